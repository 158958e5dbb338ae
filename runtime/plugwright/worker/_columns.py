"""Converts batches by column: all keys, then all values.

For simple formats, a converter call per record and the returned pair cost more than the
conversion. A converter that has ``read_column`` or ``write_column`` is called once per batch
instead.
"""

from __future__ import annotations

from itertools import islice, repeat
from typing import TYPE_CHECKING, Any, NamedTuple

from plugwright.record import SinkRecord, TimestampType
from plugwright.worker._processing import ConversionFailure, ProcessingStage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from plugwright.converters import Converter
    from plugwright.headers import Headers
    from plugwright.schema import Schema
    from plugwright.worker._host_protocols import DeliveryCallback, KafkaMessage, OutgoingRecord
    from plugwright.worker._unbuilt_records import UnbuiltRecords
    from plugwright.worker.runs import MessageRun

    Writer = Callable[[str, Schema | None, Sequence[Any]], Sequence[bytes | None] | None]
    Reader = Callable[[Sequence[bytes | None]], tuple[Schema | None, Sequence[Any]] | None]

TIMESTAMP_TYPES = (
    TimestampType.NO_TIMESTAMP_TYPE,
    TimestampType.CREATE_TIME,
    TimestampType.LOG_APPEND_TIME,
)
"""Timestamp types by the client's numbers."""


class ConvertedColumns(NamedTuple):
    """The converted keys and values of a batch.

    Attributes:
        key_schema: the schema of all keys.
        keys: one per message.
        value_schema: the schema of all values.
        values: one per message.
    """

    key_schema: Schema | None
    keys: Sequence[Any]
    value_schema: Schema | None
    values: Sequence[Any]


class ConvertedRuns(NamedTuple):
    """The records of a batch that have not been built yet.

    Attributes:
        key_schema: the schema of all keys.
        value_schema: the schema of all values.
        runs: topic, partition, and the message, key and value of each record.
    """

    key_schema: Schema | None
    value_schema: Schema | None
    runs: Sequence[tuple[str, int, Iterator[tuple[KafkaMessage, Any, Any]]]]


def read_columns(
    key: Converter, value: Converter, messages: Sequence[KafkaMessage]
) -> ConvertedColumns | None:
    """Convert the keys and values of a batch; ``None`` if they must be converted one by one.

    That is the case if a converter has no ``read_column``, or if any value is invalid: converting
    one by one then reports which.
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
    return ConvertedColumns(*keys, *values)


def unbuilt(
    columns: ConvertedColumns, messages: Sequence[KafkaMessage], runs: Sequence[MessageRun]
) -> ConvertedRuns:
    """Converted columns beside their messages, by run."""
    rows = zip(messages, columns.keys, columns.values, strict=True)
    parts = [(topic, partition, islice(rows, size)) for topic, partition, size in runs]
    return ConvertedRuns(columns.key_schema, columns.value_schema, parts)


def write_columns(
    key: Converter, value: Converter, records: UnbuiltRecords, on_delivery: DeliveryCallback
) -> Sequence[OutgoingRecord] | None:
    """Convert a part of columns; ``None`` if its records must be converted one by one. Hot path.

    That is the case if a converter has no ``write_column``, or if any value is invalid: converting
    one by one then reports which.
    """
    write_key, write_value = _writer(key), _writer(value)
    if write_key is None or write_value is None:
        return None
    columns, part = records.columns, slice(records.part.start, records.part.stop)
    keys = [None] * len(records) if columns.keys is None else columns.keys[part]
    try:
        key_bytes = write_key(columns.topic, columns.key_schema, keys)
        value_bytes = write_value(columns.topic, columns.value_schema, columns.values[part])
    except Exception:  # noqa: BLE001  # it comes again, with its record, when they are converted singly
        return None
    if key_bytes is None or value_bytes is None:
        return None
    return list(
        zip(
            repeat(columns.topic),
            repeat(columns.kafka_partition),
            key_bytes,
            value_bytes,
            repeat(None),
            repeat(columns.timestamp),
            repeat(on_delivery),
            strict=False,  # all but two are endless
        )
    )


def decode_columns(
    columns: ConvertedRuns,
    decode_headers: Callable[[str, Any], Headers],
    records: list[SinkRecord | None],
) -> ConversionFailure | None:
    """Build records up to the first whose headers cannot be decoded. Hot path.

    Inlines ``SinkRecord(…)``, which saves a call per record.
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
        return ConversionFailure(message, ProcessingStage.HEADER_CONVERTER, parts, error)
    return None


def _writer(converter: Converter) -> Writer | None:
    """The class's own ``write_column``: a subclass may convert single values differently."""
    writer: Writer | None = None
    if "write_column" in vars(type(converter)):
        writer = converter.write_column  # type: ignore[attr-defined]  # checked above
    return writer


def _reader(converter: Converter) -> Reader | None:
    """The class's own ``read_column``: a subclass may convert single values differently."""
    reader: Reader | None = None
    if "read_column" in vars(type(converter)):
        reader = converter.read_column  # type: ignore[attr-defined]  # checked above
    return reader
