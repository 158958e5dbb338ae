"""A module's syntax tree, and edits of its text at the positions of nodes."""

from __future__ import annotations

import ast
import textwrap
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from plugwright_conformance.subject.read_sites import last_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["Change", "Edits", "Function", "ModuleCode"]

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
"""A function or a method."""

_CHECKED = "TYPE_CHECKING"
_DETAILS = frozenset({"code", "hint", "facts"})
"""Arguments of errors that only explain them: no check judges these, a connector's own tests do."""
_STEP = "    "


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """A replacement of one stretch of a module's text; offsets count bytes."""

    start: int
    end: int
    text: str


Edits: TypeAlias = tuple[Change, ...]
"""What makes one mutant: changes that do not overlap."""


@dataclass(frozen=True)
class ModuleCode:
    """A module that is to be mutated.

    Attributes:
        text: what its file holds.
        secretive: whether the connector has a setting that is a password.
    """

    text: str
    secretive: bool = False
    _data: bytes = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_data", self.text.encode())

    @cached_property
    def tree(self) -> ast.Module:
        """Its syntax tree."""
        return ast.parse(self.text)

    @cached_property
    def parents(self) -> Mapping[ast.AST, ast.AST]:
        """The node that each node belongs to."""
        return {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    @cached_property
    def nodes(self) -> Sequence[ast.AST]:
        """The nodes that run, in the order of the text.

        Annotations and imports for types do not. What stands in a formatted string does, but before
        Python 3.12 its position is unknown. What only explains an error is left out.
        """
        return list(self._running(self.tree))

    def _running(self, node: ast.AST) -> Iterator[ast.AST]:
        if isinstance(node, ast.If) and last_name(node.test) == _CHECKED:
            return
        yield node
        if isinstance(node, ast.JoinedStr):
            return
        skipped = {
            id(a) for a in (getattr(node, "annotation", None), getattr(node, "returns", None))
        }
        for child in ast.iter_child_nodes(node):
            explains = isinstance(child, ast.keyword) and child.arg in _DETAILS
            if id(child) not in skipped and not explains:
                yield from self._running(child)

    @cached_property
    def functions(self) -> Sequence[Function]:
        """Every function and method."""
        return [n for n in self.nodes if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]

    @cached_property
    def statements(self) -> Sequence[ast.stmt]:
        """Statements inside of functions, without docstrings."""
        return [
            node
            for node in self.nodes
            if isinstance(node, ast.stmt)
            and self.function_of(node) is not None
            and not _is_docstring(node)
        ]

    def method_calls(self, *names: str) -> Iterator[tuple[ast.Call, ast.expr, str]]:
        """Calls of methods, each with the expression of its object and the method's name.

        Args:
            names: of the methods; none for all.
        """
        for node in self.nodes:
            method = node.func if isinstance(node, ast.Call) else None
            if isinstance(method, ast.Attribute) and (not names or method.attr in names):
                yield node, method.value, method.attr  # type: ignore[misc]  # it is a call

    def call_statements(self, *names: str) -> Iterator[ast.stmt]:
        """Statements that are a call of one of these methods, and nothing else."""
        calls = {call for call, _, _ in self.method_calls(*names)}
        for node in self.statements:
            if isinstance(node, ast.Expr) and node.value in calls:
                yield node

    def function_of(self, node: ast.AST) -> Function | None:
        """The innermost function around a node."""
        around = self.parents.get(node)
        while around is not None and not isinstance(around, ast.FunctionDef | ast.AsyncFunctionDef):
            around = self.parents.get(around)
        return around

    def class_of(self, node: ast.AST) -> ast.ClassDef | None:
        """The innermost class around a node."""
        around = self.parents.get(node)
        while around is not None and not isinstance(around, ast.ClassDef):
            around = self.parents.get(around)
        return around

    @cached_property
    def _starts(self) -> Sequence[int]:
        starts = [0]
        for line in self._data.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        return starts

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Where a node stands."""
        place: ast.expr | ast.stmt = node  # type: ignore[assignment]  # others have no place
        start = self._starts[place.lineno - 1] + place.col_offset
        end = self._starts[(place.end_lineno or place.lineno) - 1] + (place.end_col_offset or 0)
        return start, end

    def source(self, node: ast.AST) -> str:
        """The text of a node."""
        start, end = self.span(node)
        return self._data[start:end].decode()

    def replace(self, node: ast.AST, text: str) -> Edits:
        """Put something else in the place of a node; ``{}`` in it is the node's own text."""
        start, end = self.span(node)
        return (Change(start, end, text.replace("{}", self.source(node))),)

    def without(self, statement: ast.stmt) -> Edits:
        """Leave a statement out."""
        return self.replace(statement, "pass")

    def indent(self, statement: ast.stmt) -> str:
        """The white space before a statement."""
        return " " * statement.col_offset

    def before(self, statement: ast.stmt, text: str) -> Edits:
        """Put lines before a statement."""
        start, _ = self.span(statement)
        return (Change(start, start, self._lines(text, statement)),)

    def behind(self, statement: ast.stmt, text: str) -> Edits:
        """Put lines behind a statement."""
        _, end = self.span(statement)
        lines = self._lines(text, statement).rstrip(" ").rstrip("\n")
        return (Change(end, end, f"\n{self.indent(statement)}{lines}"),)

    def _lines(self, text: str, statement: ast.stmt) -> str:
        indent = self.indent(statement)
        return "".join(f"{line}\n{indent}" for line in text.splitlines())

    def guarded(self, statement: ast.stmt) -> Edits:
        """Put a statement into a ``try`` that lets no exception out."""
        indent = self.indent(statement)
        body = textwrap.indent(indent + self.source(statement), _STEP)
        rest = f"\n{indent}except Exception:\n{indent}{_STEP}pass"
        return self.replace(statement, f"try:\n{body}{rest}")

    def at_entry(self, function: Function, text: str) -> Edits:
        """Put lines before the first statement of a function, behind its docstring."""
        first = function.body[0]
        if not _is_docstring(first):
            return self.before(first, text)
        return self.behind(first, text)

    def at_end(self, function: Function, text: str) -> Edits:
        """Put lines behind the last statement of a function."""
        return self.behind(function.body[-1], text)

    def edited(self, edits: Edits) -> str:
        """The text with the changes."""
        data = self._data
        for change in sorted(edits, reverse=True):
            data = data[: change.start] + change.text.encode() + data[change.end :]
        return data.decode()

    def line_of(self, edits: Edits) -> int:
        """The number of the line in which the first change begins, from 1."""
        return self._data[: min(edits).start].count(b"\n") + 1


def _is_docstring(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
