"""Converts source records to rows: determines the columns and builds batches."""

from __future__ import annotations

from enum import Enum
from itertools import groupby
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from plugwright.converters import SimpleHeaderConverter
from plugwright.errors import ConfigError, DataError
from plugwright.schema import OPTIONAL_STRING_SCHEMA, Schema, Type
from plugwright.spark.rows._json_text import map_text
from plugwright.spark.rows._mapping import arrow_type
from plugwright.spark.rows._to_arrow import to_array, without_nulls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from plugwright.record import ConnectRecord, SourceRecord

VALUE = "value"


class RowsMode(Enum):
    """The mapping of rows to records.

    ``VALUES``: the fields of the value are the columns; a value that is not a struct is a single
    column ``value``. ``RECORDS``: a row is the whole record, with its value in the column
    ``value``.
    """

    VALUES = "values"
    RECORDS = "records"


_HEADER = pa.struct([pa.field("key", pa.string(), nullable=False), pa.field(VALUE, pa.binary())])

ENVELOPE: tuple[pa.Field, ...] = (
    pa.field("topic", pa.string(), nullable=False),
    pa.field("partition", pa.int32()),
    pa.field("headers", pa.list_(pa.field("element", _HEADER, nullable=False))),
    pa.field("timestamp", pa.timestamp("us", tz="UTC")),
    pa.field("source_partition", pa.string()),
    pa.field("source_offset", pa.string()),
)
"""The columns of a record besides ``key`` and ``value``. Headers are serialized like
Kafka Connect's SimpleHeaderConverter does; the source partition and offset are JSON."""


def row_schema(record: ConnectRecord, mode: RowsMode) -> pa.Schema:
    """The columns of records like this one.

    Raises:
        DataError: ``rows.unsupported-type`` if Spark has no type for a column, naming it.
    """
    if mode is RowsMode.RECORDS:
        sides = [
            pa.field(name, arrow_type(schema, name), nullable=schema is None or schema.optional)
            for name, schema in (("key", record.key_schema), (VALUE, record.value_schema))
        ]
        return pa.schema([*ENVELOPE[:2], *sides, *ENVELOPE[2:]])
    schema = record.value_schema
    found = arrow_type(schema, VALUE)
    if schema is None or schema.type is not Type.STRUCT:
        return pa.schema([pa.field(VALUE, found, nullable=schema is None or schema.optional)])
    return pa.schema([_loose(field) if schema.optional else field for field in found])


def columns_of(columns: pa.Schema, mode: RowsMode) -> pa.Schema:
    """Check that records have these columns, and return them.

    Raises:
        ConfigError: ``rows.unknown-column`` if records lack a column, or it has another type.
    """
    if mode is RowsMode.VALUES:
        return columns
    known = {field.name: field.type for field in ENVELOPE}
    for field in columns:
        if field.name in {"key", VALUE} or known.get(field.name) == field.type:
            continue
        names = ", ".join(["key", VALUE, *known])
        expected = f"is {known[field.name]}" if field.name in known else f"is not one of {names}"
        raise ConfigError(
            f"column {field.name}: with rows=records it {expected}, found {field.type}",
            code="rows.unknown-column",
            hint="correct .schema(…), or set rows=values to use the fields of the value as columns",
            facts={"column": field.name},
        )
    return columns


class RecordRows:
    """Builds Arrow batches from records. Hot path: loops run once per column.

    Args:
        columns: the columns that Spark expects.
        mode: the mapping of rows to records.
        strict: whether a field without a column is an error, as it is unless the user has
            specified the columns.
    """

    def __init__(self, columns: pa.Schema, mode: RowsMode, *, strict: bool = True) -> None:
        self._columns = columns
        self._mode = mode
        self._strict = strict
        self._fields = pa.struct(list(columns))

    def batches(self, records: Sequence[SourceRecord]) -> Iterator[pa.RecordBatch]:
        """Convert the records, in order, to as few batches as their schemas allow.

        Raises:
            DataError: naming the column that a record does not fit.
        """
        for _, same in groupby(records, lambda r: (id(r.key_schema), id(r.value_schema))):
            run = list(same)
            if self._mode is RowsMode.RECORDS:
                yield self._enveloped(run)
            else:
                yield self._plain(run)

    def _plain(self, run: Sequence[SourceRecord]) -> pa.RecordBatch:
        schema, values = run[0].value_schema, [record.value for record in run]
        if schema is not None and schema.type is Type.STRUCT and None not in values:
            array = to_array(schema, values, self._fields, VALUE, strict=self._strict)
            return pa.RecordBatch.from_arrays(array.flatten(), schema=self._columns)
        if schema is not None and schema.type is Type.STRUCT:
            return self._with_tombstones(schema, values)
        if self._columns.names != [VALUE]:
            raise _no_struct(schema, self._columns.names)
        return self._batch([self._side(schema, values, self._columns.field(0))])

    def _with_tombstones(self, schema: Schema, values: Sequence[Any]) -> pa.RecordBatch:
        """Turn records without a value into rows of nulls, if every column is nullable."""
        loose = pa.struct([_loose(field) for field in self._columns])
        array = to_array(schema, values, loose, VALUE, strict=self._strict)
        pairs = zip(array.flatten(), self._columns, strict=True)
        return self._batch([without_nulls(child, field, field.name) for child, field in pairs])

    def _enveloped(self, run: Sequence[SourceRecord]) -> pa.RecordBatch:
        return self._batch([self._column(run, field) for field in self._columns])

    def _column(self, run: Sequence[SourceRecord], field: pa.Field) -> Any:
        if field.name == "key":
            return self._side(run[0].key_schema, [record.key for record in run], field)
        if field.name == VALUE:
            return self._side(run[0].value_schema, [record.value for record in run], field)
        array = pa.array(_ENVELOPED[field.name](run))
        if field.name == "timestamp":
            array = pa.array(array.cast(pa.int64()), pa.timestamp("ms", tz="UTC"))
        return array.cast(field.type)

    def _side(self, schema: Schema | None, values: Sequence[Any], field: pa.Field) -> Any:
        if all(value is None for value in values):
            schema = OPTIONAL_STRING_SCHEMA  # a missing key, or a tombstone, has no schema
            array = pa.nulls(len(values), field.type)
        else:
            array = to_array(schema, values, field.type, field.name, strict=self._strict)
        return without_nulls(array, field, field.name)

    def _batch(self, arrays: Sequence[Any]) -> pa.RecordBatch:
        return pa.RecordBatch.from_arrays(arrays, schema=self._columns)


def _loose(field: pa.Field) -> pa.Field:
    return field.with_nullable(True)


def _headers(run: Sequence[SourceRecord]) -> list[Any]:
    convert = SimpleHeaderConverter().from_connect_header
    return [
        [
            {"key": h.key, VALUE: convert(record.topic, h.key, h.schema, h.value)}
            for h in record.headers
        ]
        if record.has_headers
        else None
        for record in run
    ]


_ENVELOPED: dict[str, Callable[[Sequence[SourceRecord]], list[Any]]] = {
    "topic": lambda run: [record.topic for record in run],
    "partition": lambda run: [record.kafka_partition for record in run],
    "headers": _headers,
    "timestamp": lambda run: [record.timestamp for record in run],
    "source_partition": lambda run: [map_text(record.source_partition) for record in run],
    "source_offset": lambda run: [map_text(record.source_offset) for record in run],
}


def _no_struct(schema: Schema | None, columns: Sequence[str]) -> DataError:
    found = "a value without schema" if schema is None else f"a value of type {schema}"
    return DataError(
        f"a record has {found}, not a struct, but the columns are {', '.join(columns)}",
        code="rows.no-struct",
        hint="read one column named value, or set rows=records",
        facts={"columns": tuple(columns)},
    )
