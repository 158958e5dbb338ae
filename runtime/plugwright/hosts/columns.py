"""Batches of records as columns, for the exchange between a task and a stage host.

Hot path: a constant column is sent once, and a column that a stage does not change is not
sent back. Of a plugin's own subclass of a record, only the common attributes are sent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from itertools import compress, repeat
from operator import attrgetter, is_
from types import NoneType
from typing import TYPE_CHECKING, Any, NamedTuple

from plugwright.record import SinkRecord, SourceRecord
from plugwright.schema import Schema, Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from plugwright.record import ConnectRecord

_SHARED = (
    "topic",
    "kafka_partition",
    "key_schema",
    "key",
    "value_schema",
    "value",
    "timestamp",
    "_headers",
)
_SOURCE: Callable[[Any], tuple[Any, ...]] = attrgetter(
    *_SHARED, "source_partition", "source_offset"
)
_SINK: Callable[[Any], tuple[Any, ...]] = attrgetter(
    *_SHARED,
    "kafka_offset",
    "timestamp_type",
    "original_topic",
    "original_kafka_partition",
    "original_kafka_offset",
)
_SOURCE_WIDTH = len(_SHARED) + 2

_IMMUTABLE = frozenset({str, bytes, int, float, bool, NoneType, Schema, Decimal, date, datetime})

Rows = Sequence[tuple[Any, ...]]
StructRows = Mapping[int, tuple[Schema, Rows]]


class EncodedColumns(NamedTuple):
    """A batch as it is sent.

    Attributes:
        size: number of items.
        constant: by position, the value that all items share.
        varying: by position, one value per item.
        structs: by position, one schema and the columns of its fields.
    """

    size: int
    constant: dict[int, Any]
    varying: dict[int, Sequence[Any]]
    structs: dict[int, tuple[Schema, EncodedColumns]]

    def __bool__(self) -> bool:
        return bool(self.constant or self.varying or self.structs)

    def column(self, position: int) -> Iterable[Any] | None:
        """The items at a position, or ``None`` if there is no such column."""
        if position in self.varying:
            return self.varying[position]
        if position in self.structs:
            schema, fields = self.structs[position]
            adopt = Struct.adopt
            return [adopt(schema, list(values)) for values in rows_of_columns(fields)]
        if position in self.constant:
            return repeat(self.constant[position], self.size)
        return None


def rows_of(records: Sequence[ConnectRecord]) -> Rows:
    """Convert records to tuples."""
    if records and isinstance(records[0], SourceRecord):
        return [_SOURCE(record) for record in records]
    return [_SINK(record) for record in records]


def columns_of(columns: Iterable[Sequence[Any]], size: int) -> EncodedColumns:
    """Encode columns."""
    found = EncodedColumns(size, {}, {}, {})
    for position, column in enumerate(columns):
        _add(found, position, column)
    return found


def _add(columns: EncodedColumns, position: int, column: Sequence[Any]) -> None:
    first = column[0]
    if all(map(is_, column, repeat(first))):
        columns.constant[position] = first
    elif type(first) is Struct and _are_alike(column, first.schema):
        fields = zip(*[struct._values for struct in column], strict=True)  # noqa: SLF001  # unset stays unset
        columns.structs[position] = first.schema, columns_of(fields, len(column))
    else:
        columns.varying[position] = column


def _are_alike(structs: Sequence[Any], schema: Schema) -> bool:
    return (
        bool(schema.fields)
        and {Struct}.issuperset(map(type, structs))
        and all(struct.schema is schema for struct in structs)
    )


def rows_of_columns(columns: EncodedColumns) -> list[tuple[Any, ...]]:
    """Decode the tuples."""
    width = len(columns.constant) + len(columns.varying) + len(columns.structs)
    whole = [columns.column(position) or () for position in range(width)]
    return list(zip(*whole, strict=True))


def records_of(rows: Rows) -> list[Any]:
    """Create records from tuples, whose length determines the class."""
    if rows and len(rows[0]) == _SOURCE_WIDTH:
        return [_source_record(*row) for row in rows]
    return [_sink_record(*row) for row in rows]


def struct_rows(columns: EncodedColumns, chosen: Sequence[bool] | None = None) -> StructRows:
    """The field values of the structs in a batch, by column; optionally of some items only."""
    found = {}
    for position, (schema, fields) in columns.structs.items():
        rows = rows_of_columns(fields)
        found[position] = schema, rows if chosen is None else list(compress(rows, chosen))
    return found


def changes(before: Rows, after: Rows, structs: StructRows) -> EncodedColumns:
    """The columns of ``after`` that differ from ``before``, compared by identity.

    A stage may have modified headers, a struct or another container in place, although its
    contract forbids that: their columns count as changed, except for structs whose fields are the
    same immutable objects as before.

    Args:
        before: the input of the stage.
        after: the output of the stage.
        structs: field values of the structs in ``before``, if known.
    """
    found = EncodedColumns(len(after), {}, {}, {})
    old = zip(*before, strict=True)
    for position, column in enumerate(zip(*after, strict=True)):
        if all(map(is_, column, next(old))) and (
            position >= len(_SHARED)
            or _IMMUTABLE.issuperset(map(type, column))
            or (position in structs and _consist_of(column, *structs[position]))
        ):
            continue
        _add(found, position, column)
    return found


def _consist_of(column: Sequence[Any], schema: Schema, rows: Rows) -> bool:
    """Whether structs have exactly these values, all of which are immutable."""
    if not _are_alike(column, schema):
        return False
    fields = zip(*[struct._values for struct in column], strict=True)  # noqa: SLF001  # unset stays unset
    return all(
        _IMMUTABLE.issuperset(map(type, now)) and all(map(is_, now, then))
        for now, then in zip(fields, zip(*rows, strict=True), strict=True)
    )


def with_changes(before: Rows, changed: EncodedColumns) -> Rows:
    """Apply changed columns to the tuples before."""
    if not changed:
        return before
    whole = [
        old if (new := changed.column(position)) is None else new
        for position, old in enumerate(zip(*before, strict=True))
    ]
    return list(zip(*whole, strict=True))


def _source_record(  # noqa: PLR0913, PLR0917  # in the order of the columns
    topic: Any,
    kafka_partition: Any,
    key_schema: Any,
    key: Any,
    value_schema: Any,
    value: Any,
    timestamp: Any,
    headers: Any,
    source_partition: Any,
    source_offset: Any,
    _new: Callable[[type], Any] = SourceRecord.__new__,
) -> SourceRecord:
    record: SourceRecord = _new(SourceRecord)
    record.topic = topic
    record.kafka_partition = kafka_partition
    record.key_schema = key_schema
    record.key = key
    record.value_schema = value_schema
    record.value = value
    record.timestamp = timestamp
    record._headers = headers  # noqa: SLF001  # made here
    record.source_partition = source_partition
    record.source_offset = source_offset
    return record


def _sink_record(  # noqa: PLR0913, PLR0917  # in the order of the columns
    topic: Any,
    kafka_partition: Any,
    key_schema: Any,
    key: Any,
    value_schema: Any,
    value: Any,
    timestamp: Any,
    headers: Any,
    kafka_offset: Any,
    timestamp_type: Any,
    original_topic: Any,
    original_kafka_partition: Any,
    original_kafka_offset: Any,
    _new: Callable[[type], Any] = SinkRecord.__new__,
) -> SinkRecord:
    record: SinkRecord = _new(SinkRecord)
    record.topic = topic
    record.kafka_partition = kafka_partition
    record.key_schema = key_schema
    record.key = key
    record.value_schema = value_schema
    record.value = value
    record.timestamp = timestamp
    record._headers = headers  # noqa: SLF001  # made here
    record.kafka_offset = kafka_offset
    record.timestamp_type = timestamp_type
    record.original_topic = original_topic
    record.original_kafka_partition = original_kafka_partition
    record.original_kafka_offset = original_kafka_offset
    return record
