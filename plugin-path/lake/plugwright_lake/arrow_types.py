"""Arrow types of Connect schemas."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from plugwright import Date, Decimal, Schema, SchemaType, Time, Timestamp
from plugwright_lake.values import MAX_DEPTH, inner, plain_key, refused

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MOST_DIGITS", "VALUE", "arrow_schema", "decimal_type"]

VALUE = "value"
"""The column of values that are not structs."""

MOST_DIGITS = 38
"""The digits of a decimal that every reader of Parquet understands."""

_PLAIN: Mapping[SchemaType, Any] = MappingProxyType(
    {
        SchemaType.BOOLEAN: pa.bool_(),
        SchemaType.INT8: pa.int8(),
        SchemaType.INT16: pa.int16(),
        SchemaType.INT32: pa.int32(),
        SchemaType.INT64: pa.int64(),
        SchemaType.FLOAT32: pa.float32(),
        SchemaType.FLOAT64: pa.float64(),
        SchemaType.STRING: pa.string(),
        SchemaType.BYTES: pa.binary(),
    }
)
_LOGICAL: Mapping[str | None, Any] = MappingProxyType(
    {
        Date.LOGICAL_NAME: pa.date32(),
        Time.LOGICAL_NAME: pa.time32("ms"),
        Timestamp.LOGICAL_NAME: pa.timestamp("ms", tz="UTC"),
    }
)


def arrow_schema(schema: Schema) -> Any:
    """The columns of a struct's fields; of any other value, one column.

    Raises:
        DataError: if Arrow or Parquet cannot express it.
    """
    if schema.type is not SchemaType.STRUCT:
        return pa.schema([pa.field(VALUE, _type(schema, 0), nullable=schema.optional)])
    if not schema.fields:
        raise refused("a struct without fields has no columns", "add a field, or use jsonl")
    return pa.schema([_field(each.name, each.schema, 0) for each in schema.fields])


def decimal_type(schema: Schema) -> Any:
    """The type of decimals of a schema.

    Raises:
        DataError: if Parquet does not support its scale.
    """
    text = schema.parameters.get(Decimal.SCALE_FIELD, "")
    scale = int(text) if text.isdecimal() else -1
    if not 0 <= scale <= MOST_DIGITS:
        raise refused(
            f"Parquet has no decimals of scale {text or 'unknown'}",
            f"use a scale from 0 to {MOST_DIGITS}, or jsonl",
        )
    return pa.decimal128(MOST_DIGITS, scale)


def _field(name: str, schema: Schema, depth: int) -> Any:
    return pa.field(name, _type(schema, depth), nullable=schema.optional)


def _type(schema: Schema, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise refused(f"a schema is nested more than {MAX_DEPTH} times", "flatten it before")
    if schema.name == Decimal.LOGICAL_NAME:
        return decimal_type(schema)
    if schema.name in _LOGICAL:
        return _LOGICAL[schema.name]
    if schema.type is SchemaType.STRUCT:
        if not schema.fields:
            raise refused("a struct without fields has no columns", "add a field, or use jsonl")
        return pa.struct([_field(each.name, each.schema, depth + 1) for each in schema.fields])
    if schema.type is SchemaType.ARRAY:
        return pa.list_(_field("element", inner(schema.value_schema), depth + 1))
    if schema.type is SchemaType.MAP:
        key = _type(plain_key(schema), depth + 1)
        return pa.map_(key, _field("value", inner(schema.value_schema), depth + 1))
    return _PLAIN[schema.type]
