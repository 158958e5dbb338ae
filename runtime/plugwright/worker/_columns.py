"""Consumed messages read by columns: all keys, then all values, then records made of them.

Where reading is simple, the call of a converter for each record and the pair that it returns cost
more than the reading. A converter that has ``read_column`` is asked once for a batch instead.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from plugwright.record import SinkRecord, TimestampType
from plugwright.worker._processing import ProcessingStage, Stumble

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from plugwright.converters import Converter
    from plugwright.headers import Headers
    from plugwright.schema import Schema
    from plugwright.worker._runs import MessageRun
    from plugwright.worker._seams import KafkaMessage

    Reader = Callable[[Sequence[bytes | None]], tuple[Schema | None, Sequence[Any]] | None]

TIMESTAMP_TYPES = (
    TimestampType.NO_TIMESTAMP_TYPE,
    TimestampType.CREATE_TIME,
    TimestampType.LOG_APPEND_TIME,
)
"""By the client's numbers."""


class ConvertedColumns(NamedTuple):
    """What converters have made of a batch.

    Attributes:
        key_schema: that of all keys.
        value_schema: that of all values.
        runs: a topic, a partition, and of each record from there that is still to be made the
            message, the key and the value.
    """

    key_schema: Schema | None
    value_schema: Schema | None
    runs: Sequence[tuple[str, int, Iterator[tuple[KafkaMessage, Any, Any]]]]


def read_columns(
    key: Converter, value: Converter, messages: Sequence[KafkaMessage], runs: Sequence[MessageRun]
) -> ConvertedColumns | None:
    """The keys and values of a batch, or ``None`` if they have to be read one by one.

    That is so if a converter has no other way, and if anything is wrong with any of them: whoever
    reads them one by one finds out with what.
    """
    read_key, read_value = _reader(key), _reader(value)
    if read_key is None or read_value is None:
        return None
    try:
        values = read_value([message.value() for message in messages])
        keys = read_key([message.key() for message in messages]) if values else None
    except Exception:  # noqa: BLE001  # it comes again, with its record, when they are read singly
        return None
    if keys is None or values is None:
        return None
    rows = zip(messages, keys[1], values[1], strict=True)
    parts = [(topic, partition, islice(rows, size)) for topic, partition, size in runs]
    return ConvertedColumns(keys[0], values[0], parts)


def decode_columns(
    columns: ConvertedColumns,
    decode_headers: Callable[[str, Any], Headers],
    records: list[SinkRecord | None],
) -> Stumble | None:
    """Make records up to the first whose headers cannot be read. Hot path.

    It does what ``SinkRecord(…)`` does, which spares a call for each record.
    """
    key_schema, value_schema, runs = columns
    new, record_class, types, append = (
        SinkRecord.__new__,
        SinkRecord,
        TIMESTAMP_TYPES,
        records.append,
    )
    message, key, value = None, None, None
    try:
        for topic, partition, rows in runs:
            for message, key, value in rows:
                raw = message.headers()
                kind, timestamp = message.timestamp()
                record = new(record_class)
                record.topic = record.original_topic = topic
                record.kafka_partition = record.original_kafka_partition = partition
                record.kafka_offset = record.original_kafka_offset = message.offset()
                record.key_schema = key_schema
                record.key = key
                record.value_schema = value_schema
                record.value = value
                record.timestamp = timestamp if kind else None
                record.timestamp_type = types[kind]
                record._headers = decode_headers(topic, raw) if raw else None  # noqa: SLF001  # as its constructor
                append(record)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # plugin code; the error path judges it
        parts = ((key_schema, key), (value_schema, value))
        return Stumble(message, ProcessingStage.HEADER_CONVERTER, parts, error)
    return None


def _reader(converter: Converter) -> Reader | None:
    """The class's own ``read_column``: a subclass may read single values in another way."""
    reader: Reader | None = None
    if "read_column" in vars(type(converter)):
        reader = converter.read_column  # type: ignore[attr-defined]  # just looked for
    return reader
