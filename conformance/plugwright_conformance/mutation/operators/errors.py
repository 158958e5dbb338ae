"""Operators on errors: swallowed, misclassified or not caught."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from plugwright_conformance.mutation.mutation_operator import operator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugwright_conformance.mutation.module_code import Edits, ModuleCode

__all__ = ["OPERATORS"]

_OTHER_KIND = {
    "RetriableError": "ConnectError",
    "ConnectError": "RetriableError",
    "DataError": "ConnectError",
    "ConfigError": "RuntimeError",
}


@operator
def swallow_caught(code: ModuleCode) -> Iterator[Edits]:
    """Catches an error and goes on (confluentinc/kafka-connect-elasticsearch#587)."""
    for node in code.nodes:
        if isinstance(node, ast.ExceptHandler):
            first, last = node.body[0], node.body[-1]
            (start,), (end,) = code.replace(first, "pass"), code.replace(last, "pass")
            yield (type(start)(start.start, end.end, "pass"),)


@operator
def swallow_here(code: ModuleCode) -> Iterator[Edits]:
    """Lets no error of a step out (snowflakedb/snowflake-kafka-connector#196)."""
    for node in code.statements:
        if isinstance(node, ast.Expr | ast.Return | ast.For | ast.While) and any(
            isinstance(part, ast.Call) for part in ast.walk(node)
        ):
            yield code.guarded(node)


@operator
def do_not_raise(code: ModuleCode) -> Iterator[Edits]:
    """Sees that something is wrong and says nothing (apache/camel-kafka-connector#835)."""
    for node in code.statements:
        if isinstance(node, ast.Raise):
            yield code.without(node)


@operator
def other_kind(code: ModuleCode) -> Iterator[Edits]:
    """Takes a passing failure for a lasting one, or the reverse (redpanda-data/connect#919)."""
    for node in code.nodes:
        if (
            isinstance(node, ast.Name)
            and node.id in _OTHER_KIND
            and not isinstance(code.parents.get(node), ast.ExceptHandler | ast.Tuple)
        ):
            yield code.replace(
                node,
                f'__import__("plugwright").{_OTHER_KIND[node.id]}'
                if _OTHER_KIND[node.id] != "RuntimeError"
                else "RuntimeError",
            )


@operator
def raise_plain(code: ModuleCode) -> Iterator[Edits]:
    """Lets an error of no kind of Connect's out (apache/camel-kafka-connector#1447)."""
    for node in code.nodes:
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            yield code.replace(node.exc, 'ValueError("went wrong")')


@operator
def catch_nothing(code: ModuleCode) -> Iterator[Edits]:
    """Does not expect an error that comes (splunk/kafka-connect-splunk#414)."""
    for node in code.nodes:
        if isinstance(node, ast.ExceptHandler) and node.type is not None:
            yield code.replace(node.type, "ZeroDivisionError")


@operator
def catch_all(code: ModuleCode) -> Iterator[Edits]:
    """Takes every error for the one that it expects.

    As in confluentinc/kafka-connect-elasticsearch#587.
    """
    for node in code.nodes:
        if isinstance(node, ast.ExceptHandler) and node.type is not None:
            yield code.replace(node.type, "Exception")


OPERATORS = (
    swallow_caught,
    swallow_here,
    do_not_raise,
    other_kind,
    raise_plain,
    catch_nothing,
    catch_all,
)
