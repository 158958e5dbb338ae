"""The mapping between Connect schemas and Arrow and Spark types: one table for both directions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from plugwright.errors import DataError
from plugwright.schema import Date, Decimal, SchemaBuilder, Time, Timestamp, Type, Values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from plugwright.schema import Schema

PRECISION = "connect.decimal.precision"
"""The parameter of a Decimal schema with the maximum number of digits."""

_DIGITS = 38  # maximum of Spark's and Arrow's decimals


@dataclass(frozen=True, slots=True)
class Mapped:
    """One row of the table.

    Attributes:
        connect: the Connect type.
        spark: the Spark type, as SQL writes it.
        remark: details, for the documentation.
        arrow: the Arrow type; ``None`` if it depends on the schema.
        builder: creates a builder for the Connect schema in the other direction.
        logical: name of the logical type, or ``None``.
    """

    connect: str
    spark: str
    remark: str = ""
    arrow: Any = None
    builder: Callable[[], SchemaBuilder] | None = None
    logical: str | None = None


MAPPING: tuple[Mapped, ...] = (
    Mapped("INT8", "TINYINT", "", pa.int8(), SchemaBuilder.int8),
    Mapped("INT16", "SMALLINT", "", pa.int16(), SchemaBuilder.int16),
    Mapped("INT32", "INT", "", pa.int32(), SchemaBuilder.int32),
    Mapped("INT64", "BIGINT", "", pa.int64(), SchemaBuilder.int64),
    Mapped("FLOAT32", "FLOAT", "", pa.float32(), SchemaBuilder.float32),
    Mapped("FLOAT64", "DOUBLE", "", pa.float64(), SchemaBuilder.float64),
    Mapped("BOOLEAN", "BOOLEAN", "", pa.bool_(), SchemaBuilder.bool),
    Mapped("STRING", "STRING", "", pa.string(), SchemaBuilder.string),
    Mapped("BYTES", "BINARY", "", pa.binary(), SchemaBuilder.bytes),
    Mapped(
        "Decimal",
        "DECIMAL(p, scale)",
        f"p is the parameter {PRECISION} of the schema, {_DIGITS} without it; scales from 0 to "
        f"{_DIGITS}",
        logical=Decimal.LOGICAL_NAME,
    ),
    Mapped("Date", "DATE", "", pa.date32(), Date.builder, Date.LOGICAL_NAME),
    Mapped(
        "Time",
        "TIME",
        "if Spark supports it (4.1 and later, spark.sql.timeType.enabled); milliseconds in Connect",
        pa.time64("ns"),
        Time.builder,
        Time.LOGICAL_NAME,
    ),
    Mapped(
        "Timestamp",
        "TIMESTAMP",
        "microseconds in Spark, milliseconds once a converter encodes it; "
        "TIMESTAMP_NTZ is rejected",
        pa.timestamp("us", tz="UTC"),
        Timestamp.builder,
        Timestamp.LOGICAL_NAME,
    ),
    Mapped("ARRAY", "ARRAY<element>", "elements are nullable where their schema is optional"),
    Mapped("MAP", "MAP<key, value>", "any key that neither is a map nor contains one"),
    Mapped("STRUCT", "STRUCT<field, …>", "fields are nullable where their schema is optional"),
    Mapped("no schema", "STRING", "JSON, as the JsonConverter writes it without schemas"),
)
"""Every Connect type with its Spark type. Names of schemas other than logical types,
versions, documentation and defaults are not kept in Spark: absent values become the default."""

_BY_TYPE = {row.connect.lower(): row.arrow for row in MAPPING if row.arrow and not row.logical}
_BY_LOGICAL: dict[str, Any] = {
    row.logical: row.arrow for row in MAPPING if row.arrow and row.logical
}
_BACK = {row.arrow: row.builder for row in MAPPING if row.arrow}
_FIXES = (
    (pa.types.is_null, "give the column a type, such as CAST(column AS STRING)"),
    (pa.types.is_unsigned_integer, "cast it to the next larger signed type"),
    (pa.types.is_float16, "cast it to FLOAT"),
    (pa.types.is_duration, "cast it to BIGINT, its microseconds"),
    (pa.types.is_timestamp, "cast it to TIMESTAMP, which has a time zone"),
    (pa.types.is_dictionary, "cast it to the type of its values"),
)


def mapping_table() -> str:
    """The table in Markdown, for the documentation."""
    rows = [f"| {row.connect} | {row.spark} | {row.remark} |" for row in MAPPING]
    return "\n".join(["| Connect | Spark | remark |", "|---|---|---|", *rows]) + "\n"


def arrow_type(schema: Schema | None, path: str = "value") -> Any:
    """The Arrow type, from which Spark derives its own, for values of a schema.

    Args:
        schema: the schema; ``None`` for schemaless values, which become JSON text.
        path: of the column, for errors.

    Raises:
        DataError: ``rows.unsupported-type`` if Spark has no type for it, naming the column.
    """
    if schema is None:
        return pa.string()
    if (known := _BY_LOGICAL.get(schema.name or "")) is not None:
        return known
    if schema.name == Decimal.LOGICAL_NAME:
        return _decimal(schema, path)
    made = _CONTAINERS.get(schema.type)
    return _BY_TYPE[schema.type.value] if made is None else made(schema, path)


def connect_schema(found: Any, path: str, *, optional: bool) -> Schema:
    """The schema for values of an Arrow type.

    Args:
        found: the type.
        path: of the column, for errors.
        optional: whether values may be null.

    Raises:
        DataError: ``rows.unsupported-type`` if Connect has no type for it, naming the column and
            a remedy.
    """
    builder = _builder(found, path)
    return (builder.optional() if optional else builder).build()


def _nullable(schema: Schema | None) -> bool:
    return schema is None or (schema.optional and not schema.has_default)


def _decimal(schema: Schema, path: str) -> Any:
    try:
        scale = int(schema.parameters[Decimal.SCALE_FIELD])
        precision = int(schema.parameters.get(PRECISION, _DIGITS))
    except (KeyError, ValueError):
        scale, precision = -1, _DIGITS
    if 0 <= scale <= precision <= _DIGITS:
        return pa.decimal128(precision, scale)
    raise _unsupported(
        path,
        f"a Decimal with the parameters {Values.convert_to_string(None, dict(schema.parameters))}",
        f"Spark's decimals have scales from 0 to {_DIGITS}; change it with the transformation Cast",
    )


def _list(schema: Schema, path: str) -> Any:
    element = schema.value_schema
    inner = arrow_type(element, f"{path}.element")
    return pa.list_(pa.field("element", inner, nullable=_nullable(element)))


def _map(schema: Schema, path: str) -> Any:
    key, value = schema.key_schema, schema.value_schema
    key_type = arrow_type(key, f"{path}.key")
    if _holds_map(key_type):
        raise _unsupported(
            f"{path}.key",
            "a map whose keys are maps or contain maps",
            "Spark has no such maps; leave the field out with the transformation ReplaceField",
        )
    item = pa.field("value", arrow_type(value, f"{path}.value"), nullable=_nullable(value))
    return pa.map_(pa.field("key", key_type, nullable=False), item)


def _holds_map(found: Any) -> bool:
    if pa.types.is_map(found):
        return True
    inner = range(found.num_fields) if pa.types.is_nested(found) else ()
    return any(_holds_map(found.field(i).type) for i in inner)


def _struct(schema: Schema, path: str) -> Any:
    return pa.struct(list(_fields(schema, path)))


def _fields(schema: Schema, path: str) -> Iterator[Any]:
    seen: dict[str, str] = {}
    for field in schema.fields:
        other = seen.setdefault(field.name.lower(), field.name)
        if other != field.name:
            raise _unsupported(
                f"{path}.{field.name}",
                f"the fields {other} and {field.name}, which Spark considers one name",
                "rename one with the transformation ReplaceField",
            )
        inner = arrow_type(field.schema, f"{path}.{field.name}")
        yield pa.field(field.name, inner, nullable=_nullable(field.schema))


_CONTAINERS = {Type.ARRAY: _list, Type.MAP: _map, Type.STRUCT: _struct}


def _builder(found: Any, path: str) -> SchemaBuilder:
    if (known := _BACK.get(found)) is not None:
        return known()
    make = next((make for applies, make in _MADE if applies(found)), None)
    if make is not None:
        return make(found, path)
    fix = next((fix for applies, fix in _FIXES if applies(found)), "cast it to STRING")
    raise _unsupported(path, f"the type {found}", fix)


def _decimal_back(found: Any, _path: str) -> SchemaBuilder:
    return Decimal.builder(found.scale).parameter(PRECISION, str(found.precision))


def _array_back(found: Any, path: str) -> SchemaBuilder:
    element = found.value_field
    inner = connect_schema(element.type, f"{path}.element", optional=element.nullable)
    return SchemaBuilder.array(inner)


def _map_back(found: Any, path: str) -> SchemaBuilder:
    value = found.item_field
    return SchemaBuilder.map(
        connect_schema(found.key_type, f"{path}.key", optional=False),
        connect_schema(value.type, f"{path}.value", optional=value.nullable),
    )


def _struct_back(found: Any, path: str) -> SchemaBuilder:
    builder = SchemaBuilder.struct()
    for each in found:
        inner = connect_schema(each.type, f"{path}.{each.name}", optional=each.nullable)
        builder.field(each.name, inner)
    return builder


_MADE = (
    (pa.types.is_decimal128, _decimal_back),
    (pa.types.is_list, _array_back),
    (pa.types.is_map, _map_back),
    (pa.types.is_struct, _struct_back),
)


def _unsupported(path: str, what: str, hint: str) -> DataError:
    return DataError(
        f"column {path}: {what} cannot be mapped between Connect and Spark",
        code="rows.unsupported-type",
        hint=hint,
        facts={"column": path, "found": what},
    )
