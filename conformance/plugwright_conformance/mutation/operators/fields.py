"""Operators on record fields: ignored, or taken from the wrong field."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from plugwright_conformance.mutation.mutation_operator import operator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugwright_conformance.mutation.module_code import Edits, ModuleCode

__all__ = ["OPERATORS"]

_NEIGHBOUR = {
    "key": "value",
    "value": "key",
    "key_schema": "value_schema",
    "value_schema": "key_schema",
    "topic": "original_topic",
    "original_topic": "topic",
    "kafka_offset": "original_kafka_offset",
    "original_kafka_offset": "kafka_offset",
    "kafka_partition": "original_kafka_partition",
    "original_kafka_partition": "kafka_partition",
    "source_offset": "source_partition",
    "source_partition": "source_offset",
}
_IGNORED = {**_NEIGHBOUR, "headers": "", "timestamp": "", "timestamp_type": ""}
_NUMBERS = {"kafka_partition", "original_kafka_partition"}
_RECORD = ("Record", "TopicPartition", "Struct")


def _reads(code: ModuleCode) -> Iterator[ast.Attribute]:
    """Reads of what a record has."""
    for node in code.nodes:
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Load)
            and node.attr in _IGNORED
            and not (isinstance(node.value, ast.Name) and node.value.id == "self")
        ):
            yield node


def _made(code: ModuleCode) -> Iterator[ast.Call]:
    """Calls that make a record, and calls of the module's own functions."""
    own = {function.name for function in code.functions}
    for node in code.nodes:
        if isinstance(node, ast.Call):
            func = node.func
            name = func.id if isinstance(func, ast.Name) else getattr(func, "attr", "")
            if name.endswith(_RECORD) or name in own:
                yield node


@operator
def ignore_field(code: ModuleCode) -> Iterator[Edits]:
    """Does not look at a key, a header, a partition or a timestamp."""
    for node in _reads(code):
        yield code.replace(node, "0" if node.attr in _NUMBERS else "None")


@operator
def other_field(code: ModuleCode) -> Iterator[Edits]:
    """Takes the field beside the right one (airbytehq/airbyte#27226)."""
    for node in _reads(code):
        if other := _NEIGHBOUR.get(node.attr):
            yield code.replace(node, f"{code.source(node.value)}.{other}")


@operator
def ignore_argument(code: ModuleCode) -> Iterator[Edits]:
    """Leaves something out of a record or a call."""
    for node in _made(code):
        for argument in node.args:
            yield code.replace(argument, "None")
        for keyword in node.keywords:
            yield code.replace(keyword.value, "None")


@operator
def exchange_arguments(code: ModuleCode) -> Iterator[Edits]:
    """Takes one of two for the other (confluentinc/kafka-connect-jdbc#541)."""
    for node in _made(code):
        for one, two in zip(node.args, node.args[1:], strict=False):
            (left,), (right,) = code.replace(one, "X"), code.replace(two, "X")
            yield (
                type(left)(left.start, left.end, code.source(two)),
                type(right)(right.start, right.end, code.source(one)),
            )


@operator
def ignore_entry(code: ModuleCode) -> Iterator[Edits]:
    """Drops an entry of a map that it hands out, such as a part of an offset."""
    for node in code.nodes:
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if key is not None:
                    yield code.replace(value, "None")


OPERATORS = (ignore_field, other_field, ignore_argument, exchange_arguments, ignore_entry)
