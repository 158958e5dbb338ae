"""Operators on boundaries: off by one, or the wrong side."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from plugwright_conformance.mutation.mutation_operator import operator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugwright_conformance.mutation.module_code import Edits, ModuleCode

__all__ = ["OPERATORS"]

_BOUNDARY: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}
_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "+",
    ast.FloorDiv: "*",
    ast.Mod: "+",
    ast.BitOr: "&",
    ast.BitAnd: "|",
}


@operator
def boundary(code: ModuleCode) -> Iterator[Edits]:
    """Is on the wrong side of a boundary (confluentinc/kafka-connect-jdbc#1093: of equal times)."""
    for node in code.nodes:
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            sign = _BOUNDARY[type(node.ops[0])]
            left, right = code.source(node.left), code.source(node.comparators[0])
            yield code.replace(node, f"{left} {sign} {right}")


@operator
def slice_edge(code: ModuleCode) -> Iterator[Edits]:
    """Cuts a batch one too early or too late (jcustenborder/kafka-connect-spooldir#40)."""
    for node in code.nodes:
        if isinstance(node, ast.Slice):
            for bound in (node.lower, node.upper):
                if bound is not None:
                    yield code.replace(bound, "({}) + 1")
                    yield code.replace(bound, "({}) - 1")
            if node.upper is not None and node.lower is not None:
                yield code.replace(node.upper, "")
                yield code.replace(node.lower, "")


@operator
def number(code: ModuleCode) -> Iterator[Edits]:
    """Counts from the wrong number (Azure/kafka-sink-azure-kusto#33)."""
    for node in code.nodes:
        if (
            isinstance(node, ast.Constant)
            and type(node.value) is int
            and code.function_of(node) is not None
        ):
            yield code.replace(node, str(node.value + 1))
            yield code.replace(node, f"({node.value - 1})")


@operator
def arithmetic(code: ModuleCode) -> Iterator[Edits]:
    """Counts by the wrong amount (airbytehq/airbyte#27502)."""
    for node in code.nodes:
        if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
            if code.function_of(node) is None:
                continue
            sign = _ARITHMETIC[type(node.op)]
            yield code.replace(node, f"{code.source(node.left)} {sign} {code.source(node.right)}")
        elif isinstance(node, ast.AugAssign):
            target, value = code.source(node.target), code.source(node.value)
            yield code.replace(node, f"{target} = {value}")


@operator
def least_for_most(code: ModuleCode) -> Iterator[Edits]:
    """Takes the newest for the oldest (snowflakedb/snowflake-kafka-connector#1476)."""
    for node in code.nodes:
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in {"min", "max"}
        ):
            yield code.replace(node.func, "max" if node.func.id == "min" else "min")


@operator
def from_the_other_end(code: ModuleCode) -> Iterator[Edits]:
    """Looks from the beginning for what is at the end, or the reverse."""
    other = {
        "partition": "rpartition",
        "rpartition": "partition",
        "find": "rfind",
        "rfind": "find",
        "split": "rsplit",
    }
    for node, owner, name in code.method_calls(*other):
        yield code.replace(node.func, f"{code.source(owner)}.{other[name]}")


OPERATORS = (boundary, slice_edge, number, arithmetic, least_for_most, from_the_other_end)
