"""Determines the bindings of a module from its source, without running it."""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

UNPARSABLE = (SyntaxError, ValueError, RecursionError, MemoryError, SystemError)
"""The exceptions for unparsable source; the last one is a Python bug."""

_TRY = (ast.Try, ast.TryStar)
_BLOCKS = (ast.With, ast.AsyncWith, ast.For, ast.AsyncFor, ast.While)


@dataclass(frozen=True, slots=True)
class Imported:
    """A name from an import statement; without an attribute, the module itself."""

    module: str
    attribute: str = ""


@dataclass(frozen=True, slots=True)
class Reference:
    """A dotted name, with the binding of its first part at that position."""

    binding: Binding | None
    name: str
    attributes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Opaque:
    """A value that only running the code would determine.

    Attributes:
        reason: ``dynamic-base``, ``type-call`` and so on.
        arguments: names passed to a call.
    """

    reason: str
    arguments: tuple[Binding, ...] = ()


@dataclass(slots=True, eq=False)
class ClassNode:
    """A class statement."""

    module: str
    qualname: str
    bases: tuple[Binding, ...] = ()
    metaclass: Binding | None = None
    namespace: dict[str, Binding] = field(default_factory=dict)
    abstract: frozenset[str] = frozenset()


Binding: TypeAlias = "Imported | Reference | Opaque | ClassNode"


@dataclass(slots=True)
class Module:
    """The bindings of one module, and its star imports."""

    name: str
    is_package: bool
    namespace: dict[str, Binding] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)


def read_module(name: str, source: bytes, *, is_package: bool) -> Module:
    """The bindings of a module.

    If a condition is undecidable, the first branch counts; of ``try``, the body.

    Raises:
        SyntaxError: or another of `UNPARSABLE`, if Python cannot parse it.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(source)
    module = Module(name, is_package)
    _Reader(module, module.namespace, "", {}).read(tree.body)
    return module


class _Reader:
    """Follows the statements of one module or class body in order."""

    def __init__(
        self,
        module: Module,
        namespace: dict[str, Binding],
        prefix: str,
        outer: dict[str, Binding],
    ) -> None:
        self._module = module
        self._namespace = namespace
        self._prefix = prefix
        self._outer = outer
        self.abstract: set[str] = set()

    def read(self, body: Iterable[ast.stmt]) -> None:
        """Process statements."""
        for statement in body:
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Import():
                self._import(node)
            case ast.ImportFrom():
                self._import_from(node)
            case ast.ClassDef():
                self._class(node)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._function(node)
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._assign(target, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._assign(target, value)
            case _:
                self._compound(node)

    def _compound(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Delete):
            for target in node.targets:
                self._namespace.pop(getattr(target, "id", ""), None)
        elif isinstance(node, ast.If):
            self.read(node.orelse)
            if not _is_never(node.test):
                self.read(node.body)
        elif isinstance(node, _TRY):
            for handler in node.handlers:
                self.read(handler.body)
            self.read([*node.body, *node.orelse, *node.finalbody])
        elif isinstance(node, ast.Match):
            self.read(statement for case in node.cases for statement in case.body)
        elif isinstance(node, _BLOCKS):
            self.read([*node.body, *getattr(node, "orelse", [])])

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            if alias.asname:
                self._namespace[alias.asname] = Imported(alias.name)
            else:
                first = alias.name.partition(".")[0]
                self._namespace[first] = Imported(first)

    def _import_from(self, node: ast.ImportFrom) -> None:
        source = self._absolute(node)
        for alias in node.names:
            if alias.name == "*":
                self._module.stars.append(source)
            else:
                self._namespace[alias.asname or alias.name] = Imported(source, alias.name)

    def _absolute(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        parts = self._module.name.split(".")
        up = node.level - self._module.is_package
        kept = parts[: len(parts) - up] if up else parts
        return ".".join([*kept, *([node.module] if node.module else [])])

    def _class(self, node: ast.ClassDef) -> None:
        qualname = f"{self._prefix}{node.name}"
        found = ClassNode(self._module.name, qualname)
        found.bases = tuple(self._binding_of(base) for base in node.bases)
        for keyword in node.keywords:
            if keyword.arg == "metaclass":
                found.metaclass = self._binding_of(keyword.value)
            elif keyword.arg is None:
                found.bases += (Opaque("dynamic-base"),)
        inner = _Reader(
            self._module, found.namespace, f"{qualname}.", self._outer | self._namespace
        )
        inner.read(node.body)
        found.abstract = frozenset(inner.abstract)
        self._namespace[node.name] = found

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._namespace[node.name] = Opaque("dynamic-base")
        self.abstract.discard(node.name)
        for decorator in node.decorator_list:
            name = decorator.attr if isinstance(decorator, ast.Attribute) else None
            if isinstance(decorator, ast.Name):
                name = decorator.id
            if name in {"abstractmethod", "abstractproperty"}:
                self.abstract.add(node.name)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self._namespace[target.id] = self._binding_of(value)
            self.abstract.discard(target.id)
        elif isinstance(target, ast.Tuple | ast.List):
            for element in target.elts:
                if isinstance(element, ast.Name):
                    self._namespace[element.id] = Opaque("dynamic-base")

    def _binding_of(self, node: ast.expr) -> Binding:
        attributes: list[str] = []
        while not isinstance(node, ast.Name):
            if isinstance(node, ast.Attribute):
                attributes.insert(0, node.attr)
                node = node.value
            elif isinstance(node, ast.Subscript):
                node = node.value
            elif isinstance(node, ast.Call):
                return self._call(node)
            else:
                return Opaque("dynamic-base")
        binding = self._namespace.get(node.id) or self._outer.get(node.id)
        if binding is not None and not attributes:
            return binding
        return Reference(binding, node.id, tuple(attributes))

    def _call(self, node: ast.Call) -> Opaque:
        flat = [
            part
            for argument in node.args
            for part in (argument.elts if isinstance(argument, ast.Tuple) else [argument])
        ]
        bindings = [self._binding_of(part) for part in flat]
        known = tuple(found for found in bindings if not isinstance(found, Opaque))
        by_type = isinstance(node.func, ast.Name) and node.func.id == "type"
        return Opaque("type-call" if by_type else "dynamic-base", known)


def _is_never(test: ast.expr) -> bool:
    """Whether a condition is false whenever the module runs."""
    if isinstance(test, ast.Constant):
        return not test.value
    name = test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", "")
    return name == "TYPE_CHECKING"
