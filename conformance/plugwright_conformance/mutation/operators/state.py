"""Operators on state: lost, kept too long, or shared."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from plugwright_conformance.mutation.mutation_operator import operator

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plugwright_conformance.mutation.module_code import Edits, ModuleCode

__all__ = ["OPERATORS"]

_COPIES = {"dict", "list", "set", "tuple", "bytes", "bytearray", "deepcopy"}
_BORN = "__init__"


def _own(node: ast.AST) -> bool:
    """Whether it is an attribute of ``self``."""
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    )


def _assignments(code: ModuleCode) -> Iterator[ast.Assign | ast.AnnAssign | ast.AugAssign]:
    """Assignments to attributes of ``self``."""
    for node in code.statements:
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign | ast.AugAssign):
            targets = [node.target]
        else:
            continue
        if any(map(_own, targets)):
            yield node


@operator
def forget(code: ModuleCode) -> Iterator[Edits]:
    """Does not remember what it has done (meltano/sdk#163: does not empty its batch)."""
    for node in _assignments(code):
        yield code.without(node)


@operator
def keep_old(code: ModuleCode) -> Iterator[Edits]:
    """Keeps what an earlier start or batch has left (confluentinc/kafka-connect-hdfs#4)."""
    for node in _assignments(code):
        function = code.function_of(node)
        if isinstance(node, ast.AugAssign) or function is None or function.name == _BORN:
            continue
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        if node.value is not None and _own(target):
            name = target.attr  # type: ignore[attr-defined]  # it is an attribute
            yield code.replace(node.value, f"(self.__dict__.get({name!r}) or ({{}}))")


@operator
def share(code: ModuleCode) -> Iterator[Edits]:
    """Keeps an attribute with the class, so that all tasks of a process have one."""
    for uses in _uses(code).values():
        if any(isinstance(use.ctx, ast.Store) for use in uses):
            yield tuple(change for use in uses for change in code.replace(use.value, "type(self)"))


def _uses(code: ModuleCode) -> Mapping[tuple[int, str], Sequence[ast.Attribute]]:
    """Where a class uses an attribute of its objects, by the class and the attribute."""
    found: dict[tuple[int, str], list[ast.Attribute]] = {}
    for node in code.nodes:
        if _own(node) and isinstance(node, ast.Attribute):
            found.setdefault((id(code.class_of(node)), node.attr), []).append(node)
    return found


@operator
def remember_for_ever(code: ModuleCode) -> Iterator[Edits]:
    """Asks once and holds the answer for all times (mmolimar/kafka-connect-fs#105)."""
    for function in code.functions:
        parts = list(ast.walk(function))
        asks = any(isinstance(part, ast.Call) for part in parts)
        answers = any(isinstance(part, ast.Return) and part.value is not None for part in parts)
        if asks and answers and not function.decorator_list:
            yield code.before(function, '@__import__("functools").cache')


@operator
def do_not_copy(code: ModuleCode) -> Iterator[Edits]:
    """Keeps or hands out the very object instead of a copy."""
    for node in code.nodes:
        if not isinstance(node, ast.Call):
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in _COPIES and len(node.args) == 1 and not node.keywords:
            yield code.replace(node, f"({code.source(node.args[0])})")
        elif isinstance(node.func, ast.Attribute) and node.func.attr == "copy":
            yield code.replace(node, code.source(node.func.value))


@operator
def add_to_settings(code: ModuleCode) -> Iterator[Edits]:
    """Writes into the map of settings that it was handed."""
    for function, name in _handed(code, ("Mapping[", "dict[", "MutableMapping[")):
        if function.name == "start":
            yield code.at_entry(function, f'{name}["seen"] = "true"')


@operator
def empty_what_was_handed_over(code: ModuleCode) -> Iterator[Edits]:
    """Empties a list or map of the caller when it is done with it."""
    for function, name in _handed(code, ("Sequence[", "list[", "Mapping[", "Collection[")):
        if function.name in {"put", "flush", "pre_commit", "open", "close", "alter_offsets"}:
            last = function.body[-1]
            if not isinstance(last, ast.Return | ast.Raise):
                yield code.at_end(function, f"{name}.clear()")


@operator
def change_records(code: ModuleCode) -> Iterator[Edits]:
    """Changes the records of the caller, which may come again."""
    for function, name in _handed(code, ("Sequence[", "list[")):
        if function.name == "put" and not isinstance(function.body[-1], ast.Return | ast.Raise):
            loop = f"for handled in {name}:\n    handled.value = None"
            yield code.at_end(function, loop)


def _handed(code: ModuleCode, kinds: tuple[str, ...]) -> Iterator[tuple[ast.FunctionDef, str]]:
    """Functions and the arguments of theirs that are of a kind."""
    for function in code.functions:
        for argument in function.args.args:
            said = ast.unparse(argument.annotation) if argument.annotation else ""
            if said.startswith(kinds) and isinstance(function, ast.FunctionDef):
                yield function, argument.arg


OPERATORS = (
    forget,
    keep_old,
    share,
    remember_for_ever,
    do_not_copy,
    add_to_settings,
    empty_what_was_handed_over,
    change_records,
)
