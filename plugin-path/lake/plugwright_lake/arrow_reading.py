"""Connect schemas and values of columns of Arrow."""

from __future__ import annotations

import datetime as dt
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from plugwright import Date, Decimal, Schema, SchemaBuilder, SchemaType, Struct, Time, Timestamp
from plugwright_lake.arrow_types import VALUE
from plugwright_lake.values import inner, refused

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["connect_schema", "connect_value"]

_PLAIN: Mapping[Any, Callable[[], SchemaBuilder]] = MappingProxyType(
    {
        pa.bool_(): SchemaBuilder.bool,
        pa.int8(): SchemaBuilder.int8,
        pa.uint8(): SchemaBuilder.int16,
        pa.int16(): SchemaBuilder.int16,
        pa.uint16(): SchemaBuilder.int32,
        pa.int32(): SchemaBuilder.int32,
        pa.uint32(): SchemaBuilder.int64,
        pa.int64(): SchemaBuilder.int64,
        pa.float32(): SchemaBuilder.float32,
        pa.float64(): SchemaBuilder.float64,
        pa.string(): SchemaBuilder.string,
        pa.large_string(): SchemaBuilder.string,
        pa.binary(): SchemaBuilder.bytes,
        pa.large_binary(): SchemaBuilder.bytes,
        pa.date32(): Date.builder,
        pa.time32("ms"): Time.builder,
    }
)


def connect_schema(columns: Any) -> Schema:
    """The struct of some columns; of a column ``value`` alone, its own schema.

    Raises:
        DataError: if Connect has no such type.
    """
    if columns.names == [VALUE]:
        return _schema(columns.field(0))
    return _struct(list(columns)).build()


def _struct(fields: list[Any]) -> SchemaBuilder:
    builder = SchemaBuilder.struct()
    for field in fields:
        builder.field(field.name, _schema(field))
    return builder


def _schema(field: Any) -> Schema:
    builder = _builder(field)
    return (builder.optional() if field.nullable else builder).build()


def _builder(field: Any) -> SchemaBuilder:
    kind = field.type
    if kind in _PLAIN:
        return _PLAIN[kind]()
    if pa.types.is_decimal(kind):
        return Decimal.builder(kind.scale)
    if pa.types.is_timestamp(kind) and kind.unit in {"s", "ms"}:
        return Timestamp.builder()
    if pa.types.is_struct(kind):
        return _struct([kind.field(number) for number in range(kind.num_fields)])
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return SchemaBuilder.array(_schema(kind.value_field))
    if pa.types.is_map(kind):
        return SchemaBuilder.map(_schema(kind.key_field), _schema(kind.item_field))
    raise refused(
        f"the column {field.name} is of type {kind}, which Connect has none for",
        "leave the file out, or write the column as another type",
    )


def connect_value(schema: Schema, value: Any) -> Any:
    """A value that Arrow or Avro has read, as its schema has it."""
    if value is None:
        return None
    if schema.type is SchemaType.STRUCT:
        return Struct.adopt(
            schema, [connect_value(each.schema, value[each.name]) for each in schema.fields]
        )
    if schema.type is SchemaType.ARRAY:
        element = inner(schema.value_schema)
        return [connect_value(element, each) for each in value]
    if schema.type is SchemaType.MAP:
        key, each = inner(schema.key_schema), inner(schema.value_schema)
        pairs = value.items() if isinstance(value, dict) else value
        return {connect_value(key, name): connect_value(each, found) for name, found in pairs}
    if schema.name == Timestamp.LOGICAL_NAME and value.tzinfo is None:
        return value.replace(tzinfo=dt.UTC)
    return value
