"""The static scan: finds plugin classes of a location from source code alone."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import plugwright
from plugwright.plugins._diagnostic import Diagnostic, DiagnosticLevel
from plugwright.plugins._sources import modules_below
from plugwright.plugins._types import PLUGIN_TYPES
from plugwright.plugins.reading import read_regular
from plugwright.plugins.resolving import SOURCE_LIMIT, InconsistentError, Outside, Resolver
from plugwright.plugins.syntax import UNPARSABLE, ClassNode, Opaque, read_module

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plugwright.plugins._location import Location
    from plugwright.plugins._sources import Source
    from plugwright.plugins._types import PluginType
    from plugwright.plugins.syntax import Binding, Module

_SCANNED = tuple(kind for kind in PLUGIN_TYPES if kind.scanned)
_COMPILED_LIMIT = 64 << 20
_MARK = b"plugwright"
_BASES = tuple(kind.base.encode() for kind in _SCANNED)
_METACLASS = Outside("abc.ABCMeta")
_ABC = Outside("abc.ABC")
_PROTOCOLS = frozenset({Outside("typing.Protocol"), Outside("typing_extensions.Protocol")})


class ScanState(Enum):
    """The result of scanning a class."""

    PLUGIN = "plugin"
    NOT = "not"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ScanVerdict:
    """The scan's verdict on one class.

    Attributes:
        module: its defining module.
        qualname: its name there; empty for a compiled module as a whole.
        kinds: its plugin types, including if it is abstract.
        reason: why it is not a plugin, or why that is unknown.
    """

    module: str
    qualname: str
    state: ScanState
    kinds: tuple[PluginType, ...] = ()
    reason: str = ""


def scan(
    location: Location, exclude: Sequence[str] = (), resolver: Resolver | None = None
) -> tuple[list[ScanVerdict], list[Diagnostic]]:
    """Judge every class of a location that may be a plugin, without imports.

    Args:
        location: the location.
        exclude: shell patterns of modules or files to skip.
        resolver: a resolver of this location, for reuse.
    """
    return _Scan(location, exclude, resolver or Resolver(location.path)).run()


class _Scan:
    def __init__(self, location: Location, exclude: Sequence[str], resolver: Resolver) -> None:
        self._location = location
        self._exclude = exclude
        self._resolver = resolver
        self._findings: list[Diagnostic] = []
        self._modules: dict[str, Module] = {}
        self._new: list[Module] = []
        self._names: set[bytes] = set()
        self._known: dict[ClassNode, tuple[tuple[PluginType, ...], frozenset[str]]] = {}
        self._verdicts: list[ScanVerdict] = []
        self._terminals: Mapping[tuple[str, str], PluginType] = {
            (cls.__module__, cls.__qualname__): kind
            for kind in _SCANNED
            for cls in [getattr(plugwright, kind.base)]
        }

    def run(self) -> tuple[list[ScanVerdict], list[Diagnostic]]:
        if (self._location.path / "plugwright").exists():
            self._note("api-bundled", "plugwright", "is taken from the runtime instead")
        sources = list(modules_below(self._location.path, self._exclude))
        rest, names = self._pass(sources, None), self._names_of_interest()
        # A module may extend a plugin of another module without mentioning the runtime.
        while names and len(rest) < len(sources):
            sources = rest
            rest, names = self._pass(sources, names), self._names_of_interest()
        for name in sorted(self._modules):
            self._judge(self._modules[name])
        return self._verdicts, self._findings

    def _pass(self, sources: Sequence[Source], names: set[bytes] | None) -> list[Source]:
        """Parse the sources that mention a name, at first the runtime; returns the others.

        Files are read again in each pass, because a location may exceed the memory.
        """
        rest = []
        for source in sources:
            data = self._read(source)
            if data is None or self._compiled(source, data):
                continue
            if _mentions_ours(data) if names is None else any(name in data for name in names):
                self._parse(source, data)
            else:
                rest.append(source)
        return rest

    def _read(self, source: Source) -> bytes | None:
        limit = _COMPILED_LIMIT if source.compiled else SOURCE_LIMIT
        try:
            data = read_regular(source.path, limit + 1)
        except OSError as error:
            self._note("scan-unreadable", self._file(source), f"not scanned: {error.strerror}")
            return None
        if len(data) > limit:
            self._note("scan-too-large", self._file(source), "not scanned: too large")
            return None
        return data

    def _compiled(self, source: Source, data: bytes) -> bool:
        if source.compiled and _mentions_ours(data):
            self._verdicts.append(
                ScanVerdict(source.module, "", ScanState.UNKNOWN, reason="compiled")
            )
        return source.compiled

    def _parse(self, source: Source, data: bytes) -> None:
        try:
            module = read_module(source.module, data, is_package=source.is_package)
        except UNPARSABLE as error:
            message = f"not scanned, Python cannot parse it: {type(error).__name__}: {error}"
            self._note("scan-syntax", self._file(source), message, getattr(error, "lineno", 0) or 0)
            return
        self._modules[source.module] = module
        self._new.append(module)
        self._resolver.add(module)

    def _names_of_interest(self) -> set[bytes]:
        """The names of the plugins and bases found so far."""
        self._names |= {
            name.encode()
            for module in self._new
            for name, binding in module.namespace.items()
            if self._interests(binding, module.name)
        }
        self._new.clear()
        return self._names

    def _interests(self, binding: Binding, module: str) -> bool:
        if isinstance(binding, Opaque):
            return bool(self._made_from(binding, module))
        try:
            target = self._resolver.resolve(binding, module)
            return isinstance(target, ClassNode) and any(self._kinds(target))
        except RecursionError:
            return False

    def _judge(self, module: Module) -> None:
        try:
            for name, binding in module.namespace.items():
                if isinstance(binding, Opaque):
                    if kinds := self._made_from(binding, module.name):
                        self._verdicts.append(
                            ScanVerdict(module.name, name, ScanState.UNKNOWN, kinds, binding.reason)
                        )
                elif isinstance(binding, ClassNode) and binding.qualname == name:
                    self._verdicts += self._classes(binding)
        except RecursionError as error:
            self._note("scan-syntax", module.name.replace(".", "/"), f"not scanned: {error}")

    def _classes(self, node: ClassNode) -> Iterator[ScanVerdict]:
        yield self._verdict(node)
        for name, inner in node.namespace.items():
            if isinstance(inner, ClassNode) and inner.qualname == f"{node.qualname}.{name}":
                yield from self._classes(inner)

    def _made_from(self, made: Opaque, module: str) -> tuple[PluginType, ...]:
        """The plugin types of the classes passed to a call."""
        targets = (self._resolver.resolve(argument, module) for argument in made.arguments)
        return tuple({k: 0 for t in targets if isinstance(t, ClassNode) for k in self._kinds(t)[0]})

    def _kinds(self, node: ClassNode) -> tuple[tuple[PluginType, ...], frozenset[str]]:
        """The plugin types of a class, and its unresolved bases."""
        if node not in self._known:
            try:
                order, unknown = self._resolver.order(node)
            except InconsistentError:
                return (), frozenset()
            keys = {(a.module, a.qualname) for a in order if isinstance(a, ClassNode)}
            kinds = tuple(kind for key, kind in self._terminals.items() if key in keys)
            self._known[node] = kinds, unknown
        return self._known[node]

    def _verdict(self, node: ClassNode) -> ScanVerdict:
        kinds, unknown = self._kinds(node)

        def verdict(state: ScanState, reason: str = "") -> ScanVerdict:
            return ScanVerdict(node.module, node.qualname, state, kinds, reason)

        if not kinds:
            if unknown:
                return verdict(ScanState.UNKNOWN, min(unknown))
            return verdict(ScanState.NOT, "unrelated")
        if any(part.startswith("_") for part in node.qualname.split(".")):
            return verdict(ScanState.NOT, "underscore")
        if any(self._resolver.resolve(base, node.module) in _PROTOCOLS for base in node.bases):
            return verdict(ScanState.NOT, "protocol")
        if self._is_abstract(node):
            return (
                verdict(ScanState.UNKNOWN, min(unknown))
                if unknown
                else verdict(ScanState.NOT, "abstract")
            )
        return verdict(ScanState.PLUGIN)

    def _is_abstract(self, node: ClassNode) -> bool:
        """Whether the class has abstract methods, and a metaclass that enforces them."""
        order, _ = self._resolver.order(node)
        left: set[str] = set()
        for ancestor in reversed(order):
            if isinstance(ancestor, ClassNode):
                left = left - set(ancestor.namespace) | ancestor.abstract
        return bool(left) and any(self._minds(ancestor) for ancestor in order)

    def _minds(self, ancestor: ClassNode | Outside) -> bool:
        if isinstance(ancestor, Outside) or ancestor.metaclass is None:
            return ancestor == _ABC
        return self._resolver.resolve(ancestor.metaclass, ancestor.module) == _METACLASS

    def _file(self, source: Source) -> str:
        return source.path.relative_to(self._location.path).as_posix()

    def _note(self, code: str, file: str, message: str, line: int = 0) -> None:
        place = str(self._location.origin)
        self._findings.append(Diagnostic(DiagnosticLevel.NOTE, code, place, message, file, line))


def _mentions_ours(data: bytes) -> bool:
    return _MARK in data and any(base in data for base in _BASES)
