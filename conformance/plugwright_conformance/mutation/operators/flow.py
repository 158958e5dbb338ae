"""Operators on control flow: inverted conditions, skipped steps, early ends."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from plugwright_conformance.mutation.mutation_operator import operator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugwright_conformance.mutation.module_code import Edits, ModuleCode

__all__ = ["OPERATORS"]


def _tests(code: ModuleCode) -> Iterator[ast.expr]:
    for node in code.nodes:
        if isinstance(node, ast.If | ast.While | ast.IfExp):
            yield node.test
        elif isinstance(node, ast.comprehension):
            yield from node.ifs


@operator
def negate(code: ModuleCode) -> Iterator[Edits]:
    """Does it in the wrong case (estuary/connectors#5010)."""
    for test in _tests(code):
        yield code.replace(test, "not ({})")


@operator
def in_any_case(code: ModuleCode) -> Iterator[Edits]:
    """Does it in every case (confluentinc/kafka-connect-jdbc#541)."""
    for test in _tests(code):
        yield code.replace(test, "True")


@operator
def in_no_case(code: ModuleCode) -> Iterator[Edits]:
    """Does it in no case (airbytehq/airbyte#54713: never asks for the next page)."""
    for test in _tests(code):
        if not isinstance(code.parents.get(test), ast.While):
            yield code.replace(test, "False")


@operator
def half_a_condition(code: ModuleCode) -> Iterator[Edits]:
    """Forgets a part of a condition (estuary/connectors#5205)."""
    for node in code.nodes:
        if isinstance(node, ast.BoolOp):
            for value in node.values:
                rest = [code.source(each) for each in node.values if each is not value]
                word = " and " if isinstance(node.op, ast.And) else " or "
                yield code.replace(node, f"({word.join(f'({each})' for each in rest)})")


@operator
def remove(code: ModuleCode) -> Iterator[Edits]:
    """Leaves a step out (meltano/sdk#163: the batch is not emptied)."""
    kinds = (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Delete, ast.If, ast.For)
    for node in code.statements:
        if isinstance(node, (*kinds, ast.While, ast.Try, ast.Break, ast.Continue)):
            yield code.without(node)


@operator
def return_early(code: ModuleCode) -> Iterator[Edits]:
    """Does nothing, and says nothing."""
    for function in code.functions:
        yield code.at_entry(function, "return None")


@operator
def return_nothing(code: ModuleCode) -> Iterator[Edits]:
    """Gives nothing where something is due (scylladb/kafka-connect-scylladb#64)."""
    for node in code.nodes:
        if isinstance(node, ast.Return) and node.value is not None:
            if isinstance(node.value, ast.Constant) and type(node.value.value) is bool:
                yield code.replace(node.value, str(not node.value.value))
            else:
                yield code.replace(node.value, "None")


@operator
def other_way(code: ModuleCode) -> Iterator[Edits]:
    """Ends where it should go on, or goes on where it should end (dlt-hub/dlt#4284)."""
    for node in code.nodes:
        if isinstance(node, ast.Break):
            yield code.replace(node, "continue")
        elif isinstance(node, ast.Continue):
            yield code.replace(node, "break")


OPERATORS = (
    negate,
    in_any_case,
    in_no_case,
    half_a_condition,
    remove,
    return_early,
    return_nothing,
    other_way,
)
