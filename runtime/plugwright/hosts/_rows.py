"""Records as tuples: what crosses between a task and a stage host, batch by batch.

Hot path: each function runs once per record and crossing; a tuple costs a third of an object.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

from plugwright.record import SinkRecord, SourceRecord

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugwright.record import ConnectRecord

__all__ = ["Row", "record_of", "row_of"]

Row = tuple[Any, ...]

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
_SOURCE: Callable[[Any], Row] = attrgetter(*_SHARED, "source_partition", "source_offset")
_SINK: Callable[[Any], Row] = attrgetter(
    *_SHARED,
    "kafka_offset",
    "timestamp_type",
    "original_topic",
    "original_kafka_partition",
    "original_kafka_offset",
)


def row_of(record: ConnectRecord) -> Row:
    """The record as a tuple; of a plugin's own subclass, what every record has."""
    return _SOURCE(record) if isinstance(record, SourceRecord) else _SINK(record)


def record_of(row: Row) -> Any:
    """The record that a tuple stands for; its length says of which kind."""
    if len(row) == len(_SHARED) + 2:
        record: Any = SourceRecord.__new__(SourceRecord)
        record.source_partition, record.source_offset = row[8], row[9]
    else:
        record = SinkRecord.__new__(SinkRecord)
        record.kafka_offset, record.timestamp_type = row[8], row[9]
        record.original_topic = row[10]
        record.original_kafka_partition = row[11]
        record.original_kafka_offset = row[12]
    record.topic = row[0]
    record.kafka_partition = row[1]
    record.key_schema = row[2]
    record.key = row[3]
    record.value_schema = row[4]
    record.value = row[5]
    record.timestamp = row[6]
    record._headers = row[7]  # noqa: SLF001  # made here
    return record
