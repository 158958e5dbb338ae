"""Columns, and the Connect schema that each kind of column has."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING

from plugwright import DataError, Date, Decimal, Schema, SchemaBuilder, SchemaType, Time, Timestamp

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Kind", "TableColumn", "kind_of_schema", "scale_of_schema", "schema_of_column"]


class Kind(Enum):
    """The kind of a column's values."""

    BOOLEAN = "boolean"
    INT8 = "int8"
    INT16 = "int16"
    INT32 = "int32"
    INT64 = "int64"
    FLOAT32 = "float32"
    FLOAT64 = "float64"
    DECIMAL = "decimal"
    STRING = "string"
    BYTES = "bytes"
    DATE = "date"
    TIME = "time"
    TIMESTAMP = "timestamp"


@dataclass(frozen=True, slots=True)
class TableColumn:
    """One column of a table or of a query.

    Attributes:
        declared: its type in the words of the database.
        kind: the kind of its values, or ``None`` if Connect has no type for it.
        scale: digits after the point of a decimal, or ``None`` if each value has its own.
        precision: digits of a decimal, or ``None``.
        zoned: whether a timestamp bears its time zone.
        as_text: whether it is read as text, because the driver would make an object of it.
    """

    name: str
    declared: str
    kind: Kind | None
    optional: bool
    scale: int | None = None
    precision: int | None = None
    zoned: bool = False
    as_text: bool = False
    key: bool = False
    generated: bool = False


_BUILDERS: Mapping[Kind, Callable[[], SchemaBuilder]] = MappingProxyType(
    {
        Kind.BOOLEAN: SchemaBuilder.bool,
        Kind.INT8: SchemaBuilder.int8,
        Kind.INT16: SchemaBuilder.int16,
        Kind.INT32: SchemaBuilder.int32,
        Kind.INT64: SchemaBuilder.int64,
        Kind.FLOAT32: SchemaBuilder.float32,
        Kind.FLOAT64: SchemaBuilder.float64,
        Kind.STRING: SchemaBuilder.string,
        Kind.BYTES: SchemaBuilder.bytes,
        Kind.DATE: Date.builder,
        Kind.TIME: Time.builder,
        Kind.TIMESTAMP: Timestamp.builder,
    }
)
_LOGICAL: Mapping[str, Kind] = MappingProxyType(
    {
        Decimal.LOGICAL_NAME: Kind.DECIMAL,
        Date.LOGICAL_NAME: Kind.DATE,
        Time.LOGICAL_NAME: Kind.TIME,
        Timestamp.LOGICAL_NAME: Kind.TIMESTAMP,
    }
)
_PRIMITIVE: Mapping[SchemaType, Kind] = MappingProxyType(
    {
        SchemaType.BOOLEAN: Kind.BOOLEAN,
        SchemaType.INT8: Kind.INT8,
        SchemaType.INT16: Kind.INT16,
        SchemaType.INT32: Kind.INT32,
        SchemaType.INT64: Kind.INT64,
        SchemaType.FLOAT32: Kind.FLOAT32,
        SchemaType.FLOAT64: Kind.FLOAT64,
        SchemaType.STRING: Kind.STRING,
        SchemaType.BYTES: Kind.BYTES,
    }
)


def schema_of_column(table: str, column: TableColumn) -> Schema:
    """The Connect schema of a column.

    Raises:
        DataError: if there is no Connect type for the column.
    """
    if column.kind is None or (column.kind is Kind.DECIMAL and column.scale is None):
        raise DataError(
            f"table {table}, column {column.name}: the type {column.declared or 'none'} "
            + ("has no scale" if column.kind else "has no Connect type"),
            code="sql.unsupported-type",
            hint="read the table by a query that leaves the column out, or casts it",
            facts={"table": table, "column": column.name, "type": column.declared},
        )
    if column.kind is Kind.DECIMAL:
        builder = Decimal.builder(column.scale or 0)
    else:
        builder = _BUILDERS[column.kind]()
    return (builder.optional() if column.optional else builder).build()


def kind_of_schema(schema: Schema) -> Kind | None:
    """The kind of column for values of a schema; ``None`` for arrays, maps and structs."""
    return _LOGICAL.get(schema.name or "") or _PRIMITIVE.get(schema.type)


def scale_of_schema(schema: Schema) -> int:
    """Digits after the point of a decimal schema."""
    return int(schema.parameters.get(Decimal.SCALE_FIELD, "0"))
