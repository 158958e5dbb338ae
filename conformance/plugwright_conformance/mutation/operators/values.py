"""Operators on values: truncated, normalized, rounded or re-encoded."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from plugwright_conformance.mutation.mutation_operator import operator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugwright_conformance.mutation.module_code import Edits, ModuleCode

__all__ = ["OPERATORS"]

_VALUE, _VALUE_PLACE = "value", 3
_TEXTS, _STRINGS = "(str, bytes)", "str"


def _values(code: ModuleCode) -> Iterator[ast.expr]:
    """Where a record's value is read, or handed to a new record."""
    for node in code.nodes:
        if (
            isinstance(node, ast.Attribute)
            and node.attr == _VALUE
            and isinstance(node.ctx, ast.Load)
        ):
            yield node
        elif isinstance(node, ast.Call) and _called(node).endswith("Record"):
            yield from node.args[_VALUE_PLACE : _VALUE_PLACE + 1]
            yield from (k.value for k in node.keywords if k.arg == _VALUE)


def _called(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def _texts(code: ModuleCode, changed: str, kinds: str = _TEXTS) -> Iterator[Edits]:
    """Change values that are texts; ``v`` is the value."""
    for node in _values(code):
        yield code.replace(node, f"(lambda v: {changed} if isinstance(v, {kinds}) else v)({{}})")


@operator
def truncate(code: ModuleCode) -> Iterator[Edits]:
    """Cuts long values (apache/kafka#8612: its buffer does not grow)."""
    yield from _texts(code, "v[:255]")


@operator
def strip(code: ModuleCode) -> Iterator[Edits]:
    """Takes white space from the ends of a value."""
    yield from _texts(code, "v.strip()")


@operator
def lower(code: ModuleCode) -> Iterator[Edits]:
    """Writes a value in lower case."""
    yield from _texts(code, "v.lower()")


@operator
def normalise(code: ModuleCode) -> Iterator[Edits]:
    """Writes one composed character for two that are combined."""
    yield from _texts(code, "__import__('unicodedata').normalize('NFC', v)", _STRINGS)


@operator
def ascii_only(code: ModuleCode) -> Iterator[Edits]:
    """Writes a question mark for what ASCII has not (ClickHouse/clickhouse-kafka-connect#51)."""
    yield from _texts(code, "v.encode('ascii', 'replace').decode()", _STRINGS)


@operator
def null_for_empty(code: ModuleCode) -> Iterator[Edits]:
    """Takes an empty value for none (meltano/sdk#3340)."""
    for node in _values(code):
        yield code.replace(node, "({} or None)")


@operator
def empty_for_null(code: ModuleCode) -> Iterator[Edits]:
    """Takes no value for an empty one (meltano/sdk#3340)."""
    for node in _values(code):
        yield code.replace(node, '(lambda v: "" if v is None else v)({})')


@operator
def text_for_all(code: ModuleCode) -> Iterator[Edits]:
    """Makes a text of whatever comes."""
    for node in _values(code):
        yield code.replace(node, "str({})")


@operator
def other_encoding(code: ModuleCode) -> Iterator[Edits]:
    """Writes or reads in the encoding of a machine.

    As in LinkedInAttic/camus#156 and apache/flink-cdc#4428.
    """
    for node, named, name in code.method_calls("encode", "decode"):
        owner = code.source(named)
        yield code.replace(node, f'{owner}.{name}("latin-1", "replace")')
        yield code.replace(node, f'{owner}.{name}("ascii", "replace")')
        yield code.replace(node, f'{owner}.{name}("utf-8", "ignore")')
    for part in code.nodes:
        if isinstance(part, ast.keyword) and part.arg == "encoding":
            yield code.replace(part.value, '"latin-1"')
            yield code.replace(part.value, "None")
            yield code.replace(part.value, '"utf-8-sig"')
        elif isinstance(part, ast.keyword) and part.arg == "newline":
            yield code.replace(part.value, "None")


@operator
def round_number(code: ModuleCode) -> Iterator[Edits]:
    """Loses digits, by way of a double or in rounding (confluentinc/kafka-connect-jdbc#1237)."""
    for node in _values(code):
        yield code.replace(node, "(lambda v: round(v, 3) if isinstance(v, float) else v)({})")
    for part in code.nodes:
        if isinstance(part, ast.Call) and len(part.args) == 1 and not part.keywords:
            name, argument = _called(part), code.source(part.args[0])
            if name in {"Decimal", "int"} and isinstance(part.func, ast.Name):
                yield code.replace(part, f"{name}(float({argument}))")
    for node, owner, _ in code.method_calls("hex"):
        yield code.replace(node, f"round({code.source(owner)}, 6).hex()")


@operator
def drop_fraction(code: ModuleCode) -> Iterator[Edits]:
    """Drops fractions of seconds.

    As in singer-io/singer-python#34 and confluentinc/kafka-connect-jdbc#712.
    """
    for node, named, _ in code.method_calls("isoformat"):
        owner = code.source(named)
        yield code.replace(node, f"{owner}.replace(microsecond=0).isoformat()")
        kind = '{} if not hasattr(v, "microsecond") else v.isoformat(timespec="milliseconds")'
        yield code.replace(node, f"(lambda v: {kind.replace('{}', 'v.isoformat()')})({owner})")


@operator
def forget_zone(code: ModuleCode) -> Iterator[Edits]:
    """Takes a moment for one of the machine's zone (confluentinc/kafka-connect-jdbc#676)."""
    local = "(lambda v: v.replace(tzinfo=None) if hasattr(v, 'tzinfo') else v)"
    for node, owner, _ in code.method_calls("isoformat"):
        yield code.replace(node, f"{local}({code.source(owner)}).isoformat()")


OPERATORS = (
    truncate,
    strip,
    lower,
    normalise,
    ascii_only,
    null_for_empty,
    empty_for_null,
    text_for_all,
    other_encoding,
    round_number,
    drop_fraction,
    forget_zone,
)
