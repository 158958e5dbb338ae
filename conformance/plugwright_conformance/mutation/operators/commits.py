"""Operators on progress: offsets too high, too low, too early, too late, or foreign."""

from __future__ import annotations

import ast
import re
from itertools import pairwise
from typing import TYPE_CHECKING

from plugwright_conformance.mutation.mutation_operator import operator

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plugwright_conformance.mutation.module_code import Edits, ModuleCode

__all__ = ["OPERATORS"]

_PLACE = re.compile(r"(^|_)(offset|position|line|cursor|next|last|seq|index|id|count|size)s?$")
_DURABLE = {"commit", "flush", "fsync", "fdatasync", "sync", "checkpoint", "save"}


def _places(code: ModuleCode) -> Iterator[ast.expr]:
    """Reads of something that by its name is a place in a stream."""
    for node in code.nodes:
        if (
            isinstance(node, ast.Name | ast.Attribute)
            and isinstance(node.ctx, ast.Load)
            and _PLACE.search(node.id if isinstance(node, ast.Name) else node.attr)
            and not isinstance(code.parents.get(node), ast.Attribute | ast.Subscript)
            and not _is_called(code, node)
        ):
            yield node


def _is_called(code: ModuleCode, node: ast.expr) -> bool:
    parent = code.parents.get(node)
    return isinstance(parent, ast.Call) and parent.func is node


@operator
def place_too_high(code: ModuleCode) -> Iterator[Edits]:
    """Reports a position one after the right one (Azure/kafka-sink-azure-kusto#33)."""
    for node in _places(code):
        yield code.replace(node, "({} + 1)")


@operator
def place_too_low(code: ModuleCode) -> Iterator[Edits]:
    """Reports a position one before the right one (Azure/kafka-sink-azure-kusto#33)."""
    for node in _places(code):
        yield code.replace(node, "({} - 1)")


@operator
def place_forgotten(code: ModuleCode) -> Iterator[Edits]:
    """Begins again, whatever is stored (IBM/cloudant-kafka-connector#124)."""
    for node in _places(code):
        yield code.replace(node, "0")


@operator
def steps_exchanged(code: ModuleCode) -> Iterator[Edits]:
    """Moves on or commits before the work is done.

    As in SolaceProducts/pubsubplus-connector-kafka-source#75.
    """
    for block in _blocks(code):
        for one, two in pairwise(block):
            if _acts(one) and _acts(two):
                first, second = code.source(one), code.source(two)
                (left,), (right,) = code.replace(one, "X"), code.replace(two, "X")
                yield (
                    type(left)(left.start, left.end, second),
                    type(right)(right.start, right.end, first),
                )


def _blocks(code: ModuleCode) -> Iterator[Sequence[ast.stmt]]:
    for node in code.nodes:
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and not isinstance(node, ast.Module | ast.ClassDef):
                yield block


def _acts(statement: ast.stmt) -> bool:
    """Whether it changes what is remembered, or calls something."""
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Call)
    if isinstance(statement, ast.AugAssign):
        return True
    return isinstance(statement, ast.Assign) and any(
        isinstance(part, ast.Attribute) for target in statement.targets for part in ast.walk(target)
    )


@operator
def not_made_durable(code: ModuleCode) -> Iterator[Edits]:
    """Promises what is not on the disk (snowflakedb/snowflake-kafka-connector#196)."""
    for node in code.call_statements(*_DURABLE):
        yield code.without(node)


@operator
def promises_nothing(code: ModuleCode) -> Iterator[Edits]:
    """Writes, and never says so (confluentinc/kafka-connect-storage-cloud#14)."""
    for function in code.functions:
        if function.name == "pre_commit":
            yield code.at_entry(function, "return {}".replace("{}", "{" + "}"))


@operator
def promises_all(code: ModuleCode) -> Iterator[Edits]:
    """Gives back the offsets that it was asked about (Altinity/clickhouse-sink-connector#1299)."""
    for function in code.functions:
        names = [each.arg for each in function.args.args if each.arg != "self"]
        if function.name == "pre_commit" and names:
            yield code.at_entry(function, f"return {names[0]}")


OPERATORS = (
    place_too_high,
    place_too_low,
    place_forgotten,
    steps_exchanged,
    not_made_durable,
    promises_nothing,
    promises_all,
)
