"""Converts rows to records for a sink."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from plugwright.converters import SimpleHeaderConverter
from plugwright.errors import ConfigError
from plugwright.headers import Headers
from plugwright.record import SinkRecord, TimestampType
from plugwright.schema import OPTIONAL_STRING_SCHEMA
from plugwright.spark.rows._mapping import connect_schema
from plugwright.spark.rows._reading import ENVELOPE, VALUE, RowsMode
from plugwright.spark.rows._values import to_values

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plugwright.schema import Schema

_OFFSET = pa.field("offset", pa.int64())
_OURS = {field.name: field.type for field in (*ENVELOPE, _OFFSET)}


class RowRecords:
    """Builds sink records from Arrow batches. Hot path: one loop per column, and one to combine.

    Args:
        columns: of the rows.
        mode: the mapping of rows to records. With ``VALUES`` all columns form the value, a struct;
            but a single column named ``value`` is the value itself.
        topic: the topic of records without a column ``topic``.

    Attributes:
        has_offsets: whether rows have Kafka offsets.

    Raises:
        ConfigError: if a column is missing or of the wrong type, or there is no topic.
        DataError: ``rows.unsupported-type`` if Connect has no type for a column, naming it.
    """

    def __init__(self, columns: pa.Schema, mode: RowsMode, topic: str = "") -> None:
        self._topic = topic
        self._names: tuple[str, ...] = tuple(columns.names)
        self._whole = mode is RowsMode.VALUES and columns.names != [VALUE]
        if mode is RowsMode.RECORDS:
            _check(columns)
        if not topic and not (mode is RowsMode.RECORDS and "topic" in columns.names):
            raise ConfigError(
                "topics: no topic is set for the records of a sink",
                code="rows.no-topic",
                hint="set the option topics to one topic, or with rows=records add a column topic",
                facts={"key": "topics"},
            )
        self._own = set(columns.names) if mode is RowsMode.RECORDS else set()
        self.has_offsets = {"partition", "offset"} <= self._own
        self._value_schema = self._schema_of_value(columns)
        self._key_schema: Schema | None = None
        if "key" in self._own:
            key = columns.field("key")
            self._key_schema = connect_schema(key.type, "key", optional=key.nullable)

    def records(self, batch: Any, partition: int, first: int) -> list[SinkRecord]:
        """Convert a batch to records, in order.

        Args:
            batch: an Arrow record batch.
            partition: of the topic, for rows without one.
            first: offset of the first record, for rows without offsets.
        """
        count = batch.num_rows
        values = to_values(self._value_of(batch), self._value_schema)
        keys = self._column(batch, "key") or [None] * count
        topics = self._column(batch, "topic") or [self._topic] * count
        partitions = self._column(batch, "partition") or [partition] * count
        offsets = self._column(batch, "offset") or range(first, first + count)
        stamps = self._column(batch, "timestamp") or [None] * count
        headers = self._column(batch, "headers") or [None] * count
        return [
            SinkRecord(
                topic,
                partition if at is None else at,
                None if key is None else self._key_schema,
                key,
                None if value is None else self._value_schema,
                value,
                offset,
                stamp,
                TimestampType.NO_TIMESTAMP_TYPE if stamp is None else TimestampType.CREATE_TIME,
                None if pairs is None else _headers(topic, pairs),
            )
            for topic, at, key, value, offset, stamp, pairs in zip(
                topics, partitions, keys, values, offsets, stamps, headers, strict=True
            )
        ]

    def _schema_of_value(self, columns: pa.Schema) -> Schema:
        if self._whole:
            return connect_schema(pa.struct(list(columns)), "value", optional=False)
        value = columns.field(VALUE)
        return connect_schema(value.type, VALUE, optional=value.nullable)

    def _value_of(self, batch: Any) -> Any:
        if not self._whole:
            return batch.column(self._names.index(VALUE))
        return batch.to_struct_array()

    def _column(self, batch: Any, name: str) -> Sequence[Any]:
        """A column as a list; empty if it does not exist."""
        if name not in self._own:
            return ()
        array = batch.column(self._names.index(name))
        if name == "key":
            return to_values(array, self._key_schema or OPTIONAL_STRING_SCHEMA)
        if name == "timestamp":
            array = array.cast(pa.timestamp("ms", tz="UTC"), safe=False).cast(pa.int64())
        found: list[Any] = array.to_pylist()
        return found


def _check(columns: pa.Schema) -> None:
    problems = list(_problems(columns))
    if problems:
        raise ConfigError(
            " · ".join(problems),
            code="rows.unknown-column",
            hint="rename or drop the column, or set rows=values to use all columns as the value",
            facts={"problems": tuple(problems)},
        )


def _problems(columns: pa.Schema) -> Iterator[str]:
    if VALUE not in columns.names:
        yield "column value: missing, but with rows=records it becomes the record's value"
    for field in columns:
        expected = _OURS.get(field.name)
        if field.name in {"key", VALUE} or _fits(field.type, expected):
            continue
        if expected is None:
            known = ", ".join(["key", VALUE, *_OURS])
            yield f"column {field.name}: with rows=records there are only {known}"
        else:
            yield f"column {field.name}: expected {expected}, found {field.type}"


def _fits(found: Any, expected: Any) -> bool:
    """Whether types are equal except for nullability, which does not matter for writing."""
    if expected is None:
        return False
    if pa.types.is_list(expected) and pa.types.is_list(found):
        return _fits(found.value_type, expected.value_type)
    if pa.types.is_struct(expected) and pa.types.is_struct(found):
        return [(f.name, f.type) for f in found] == [(f.name, f.type) for f in expected]
    return bool(found == expected)


def _headers(topic: str, pairs: Sequence[Any]) -> Headers:
    convert = SimpleHeaderConverter().to_connect_header
    headers = Headers()
    for pair in pairs:
        schema, value = convert(topic, pair["key"], pair[VALUE])
        headers.add(pair["key"], value, schema)
    return headers
