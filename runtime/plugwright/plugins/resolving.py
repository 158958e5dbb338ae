"""Resolves names across modules statically, and computes method resolution orders."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from plugwright.plugins._sources import find_source, host_roots
from plugwright.plugins.reading import read_regular
from plugwright.plugins.syntax import (
    UNPARSABLE,
    ClassNode,
    Imported,
    Module,
    Opaque,
    read_module,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from plugwright.plugins._sources import Source
    from plugwright.plugins.syntax import Binding

SOURCE_LIMIT = 4 << 20
_UNREADABLE = (OSError, *UNPARSABLE)


@dataclass(frozen=True, slots=True)
class Outside:
    """A name of the standard library or the language, dotted."""

    name: str


@dataclass(frozen=True, slots=True)
class _ModuleName:
    """A module."""

    name: str


Target: TypeAlias = "ClassNode | Outside | Opaque | _ModuleName"
Ancestor: TypeAlias = "ClassNode | Outside"


class InconsistentError(Exception):
    """A class that Python could not create: its bases are circular or contradictory."""


class HostModules:
    """The parsed modules of the host, shared by all locations."""

    def __init__(self) -> None:
        self.roots = host_roots()
        self._modules: dict[Path, Module | Opaque] = {}

    def read(self, source: Source) -> Module | Opaque:
        """A module's bindings, or why they are unknown."""
        if source.path not in self._modules:
            self._modules[source.path] = _read(source)
        return self._modules[source.path]


class Resolver:
    """Reads modules on demand, each once.

    Args:
        root: the location.
        host: the already parsed modules of the host.
    """

    def __init__(self, root: Path, host: HostModules | None = None) -> None:
        self._host = host or HostModules()
        self._root = root
        self._roots = [root, *self._host.roots]
        self._modules: dict[str, Module | Opaque] = {}
        self._imports: dict[Imported, Target] = {}
        self._orders: dict[ClassNode, tuple[Sequence[Ancestor], frozenset[str]] | None] = {}

    def add(self, module: Module) -> None:
        """Add a parsed module."""
        self._modules[module.name] = module

    def module(self, name: str) -> Module | Opaque:
        """A module's bindings, or why they are unknown."""
        if name not in self._modules:
            self._modules[name] = self._read(name)
        return self._modules[name]

    def _read(self, name: str) -> Module | Opaque:
        own = name.partition(".")[0] == "plugwright"
        # The package itself imports the author's API only when one of its names is used.
        read = "plugwright._api" if name == "plugwright" else name
        source = find_source(self._host.roots if own else self._roots, read)
        if source is None:
            return Opaque("unresolved-base")
        return _read(source) if source.path.is_relative_to(self._root) else self._host.read(source)

    def resolve(self, binding: Binding, module: str) -> Target:
        """Resolve a binding of a module to its target."""
        return self._resolve(binding, module, frozenset())

    def _resolve(self, binding: Binding, module: str, active: frozenset[tuple[str, str]]) -> Target:
        if isinstance(binding, ClassNode | Opaque):
            return binding
        if isinstance(binding, Imported):
            return self._imported(binding, active)
        if binding.binding is None:
            target: Target = self._global(module, binding.name, active, builtins=True)
        else:
            target = self._resolve(binding.binding, module, active)
        for attribute in binding.attributes:
            target = self._member(target, attribute, active)
        return target

    def _imported(self, binding: Imported, active: frozenset[tuple[str, str]]) -> Target:
        target: Target = self._module_target(binding.module)
        if not binding.attribute:
            return target
        if active:
            return self._member(target, binding.attribute, active)
        # Most modules of a location import the same names.
        if binding not in self._imports:
            self._imports[binding] = self._member(target, binding.attribute, active)
        return self._imports[binding]

    def _module_target(self, name: str) -> Target:
        if name.partition(".")[0] in sys.stdlib_module_names:
            return Outside(name)
        return _ModuleName(name)

    def _member(self, target: Target, name: str, active: frozenset[tuple[str, str]]) -> Target:
        if isinstance(target, Outside):
            return Outside(f"{target.name}.{name}")
        if isinstance(target, _ModuleName):
            return self._global(target.name, name, active, builtins=False)
        if isinstance(target, ClassNode):
            found = target.namespace.get(name)
            return self._resolve(found, target.module, active) if found else Opaque("dynamic-base")
        return target

    def _global(
        self, name: str, attribute: str, active: frozenset[tuple[str, str]], *, builtins: bool
    ) -> Target:
        """A module's attribute: bound there, a submodule, from a star import, or the language's."""
        key = (name, attribute)
        if key in active:
            return Opaque("circular-import")
        module = self.module(name)
        active |= {key}
        if isinstance(module, Module) and (found := module.namespace.get(attribute)):
            return self._resolve(found, name, active)
        if not builtins and find_source(self._roots, f"{name}.{attribute}"):
            return _ModuleName(f"{name}.{attribute}")
        if isinstance(module, Opaque):
            return module
        if (target := self._starred(module, attribute, active)) is not None:
            return target
        return Outside(f"builtins.{attribute}") if builtins else Opaque("unresolved-base")

    def _starred(
        self, module: Module, attribute: str, active: frozenset[tuple[str, str]]
    ) -> Target | None:
        """The target of a name from a module's star imports, the last first."""
        for star in reversed(module.stars):
            if isinstance(self.module(star), Opaque):
                return Opaque("star-external")
            target = self._global(star, attribute, active, builtins=False)
            if not isinstance(target, Opaque):
                return target
        return None

    def order(self, node: ClassNode) -> tuple[Sequence[Ancestor], frozenset[str]]:
        """The class and its bases in method resolution order, and the unresolved parts.

        Raises:
            InconsistentError: if there is no such order.
        """
        if node in self._orders:
            known = self._orders[node]
            if known is None:
                raise InconsistentError
            return known
        self._orders[node] = None
        lists: list[list[Ancestor]] = []
        direct: list[Ancestor] = []
        reasons: set[str] = set()
        for base in node.bases:
            target = self.resolve(base, node.module)
            if isinstance(target, ClassNode):
                above, unknown = self.order(target)
                reasons |= unknown
                lists.append(list(above))
                direct.append(target)
            elif isinstance(target, Outside):
                lists.append([target])
                direct.append(target)
            else:
                reasons.add(target.reason if isinstance(target, Opaque) else "dynamic-base")
        found = [node, *_merged([*lists, direct])], frozenset(reasons)
        self._orders[node] = found
        return found


def _read(source: Source) -> Module | Opaque:
    if source.compiled:
        return Opaque("compiled")
    try:
        data = read_regular(source.path, SOURCE_LIMIT)
        return read_module(source.module, data, is_package=source.is_package)
    except _UNREADABLE:
        return Opaque("unreadable-base")


def _merged(lists: list[list[Ancestor]]) -> list[Ancestor]:
    """C3 linearisation, as Python does it."""
    if len(lists) <= 2:  # noqa: PLR2004  # one base's order, and that base
        return lists[0]
    merged: list[Ancestor] = []
    while lists := [rest for rest in lists if rest]:
        for candidate in (rest[0] for rest in lists):
            if not any(candidate in rest[1:] for rest in lists):
                break
        else:
            raise InconsistentError
        merged.append(candidate)
        lists = [[item for item in rest if item != candidate] for rest in lists]
    return merged
