"""Checks of values that all formats share, and schemas for schemaless values."""

from __future__ import annotations

import decimal
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any

from plugwright import (
    BOOLEAN_SCHEMA,
    BYTES_SCHEMA,
    FLOAT64_SCHEMA,
    INT64_SCHEMA,
    STRING_SCHEMA,
    DataError,
    Date,
    Decimal,
    Schema,
    SchemaType,
    Time,
    Timestamp,
)

if TYPE_CHECKING:
    from plugwright import SinkRecord

__all__ = [
    "LOGICAL",
    "MAX_DEPTH",
    "inner",
    "moment_number",
    "plain_key",
    "refused",
    "schema_of",
]

MAX_DEPTH = 100
"""Maximum nesting depth of values."""

LOGICAL = frozenset(
    {Decimal.LOGICAL_NAME, Date.LOGICAL_NAME, Time.LOGICAL_NAME, Timestamp.LOGICAL_NAME}
)


def schema_of(record: SinkRecord) -> Schema:
    """The schema of a record's value; of a single value without one, that of its type.

    Raises:
        DataError: if a map or a list has no schema.
    """
    if record.value_schema is not None:
        return record.value_schema
    value = record.value
    for kind, schema in (
        (bool, BOOLEAN_SCHEMA),
        (int, INT64_SCHEMA),
        (float, FLOAT64_SCHEMA),
        (str, STRING_SCHEMA),
        (bytes, BYTES_SCHEMA),
        (datetime, Timestamp.SCHEMA),
        (date, Date.SCHEMA),
        (time, Time.SCHEMA),
    ):
        if isinstance(value, kind):
            return schema
    if isinstance(value, decimal.Decimal) and value.is_finite():
        return Decimal.schema(-int(value.as_tuple().exponent))
    raise refused(
        f"a {type(value).__name__} without schema has no place in Avro and Parquet",
        "set format to jsonl, or use a converter with schemas",
    )


def moment_number(schema: Schema, value: Any) -> int | None:
    """The number that a date, a time or a timestamp is encoded as; ``None`` for any other type."""
    if schema.name == Date.LOGICAL_NAME:
        return Date.from_logical(schema, value)
    if schema.name == Time.LOGICAL_NAME:
        return Time.from_logical(schema, value)
    if schema.name == Timestamp.LOGICAL_NAME:
        return Timestamp.from_logical(schema, value)
    return None


def refused(problem: str, hint: str) -> DataError:
    """The error of a value that a format has no place for."""
    return DataError(problem, code="lake.no-place", hint=hint)


def inner(schema: Schema | None) -> Schema:
    """The schema of elements, keys or values.

    Raises:
        DataError: if there is none.
    """
    if schema is None:
        raise refused("a list or a map has no schema of its elements", "use another converter")
    return schema


def plain_key(schema: Schema) -> Schema:
    """The schema of a map's keys.

    Raises:
        DataError: if keys are not single values, or may be null.
    """
    key = inner(schema.key_schema)
    if key.optional or key.type in {SchemaType.STRUCT, SchemaType.ARRAY, SchemaType.MAP}:
        raise refused(
            "keys of maps must be single values that are never null", "flatten the value before"
        )
    return key
