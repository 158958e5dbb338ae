"""Converts Kafka records to Arrow columns and back; names and types are those of Spark's source."""

from __future__ import annotations

import json
from array import array
from itertools import accumulate, starmap
from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright.worker import KafkaMessage

_TIME = pa.timestamp("us", tz="UTC")
_HEADER = pa.struct([pa.field("key", pa.string()), pa.field("value", pa.binary())])
_COLUMNS = [
    pa.field("key", pa.binary()),
    pa.field("value", pa.binary()),
    pa.field("topic", pa.string()),
    pa.field("partition", pa.int32()),
    pa.field("offset", pa.int64()),
    pa.field("timestamp", _TIME),
    pa.field("timestampType", pa.int32()),
]
_HEADERS = pa.field("headers", pa.list_(_HEADER))
_SCHEMA = pa.schema(_COLUMNS)
_SCHEMA_WITH_HEADERS = pa.schema([*_COLUMNS, _HEADERS])
_SCHEMA_WITH_COMPACT_HEADERS = pa.schema([*_COLUMNS, pa.field("headers", pa.string())])
_NO_TIME = -1
"""Spark's values for the milliseconds and the type of a missing timestamp."""
_BYTES = "latin-1"
"""An encoding in which every byte is the character of the same number."""


def spark_schema(*, headers: bool, compact: bool = False) -> str:
    """The columns in Spark's notation, those of its own Kafka source.

    Args:
        headers: whether to include headers.
        compact: whether headers are one text each, for `messages_of` only. Spark measures the
            size of a Python batch after each row, and for a column of arrays visits all rows:
            0.1 ms a record in batches of 10,000.
    """
    found = (
        "key binary, value binary, topic string, partition int, offset bigint, "
        "timestamp timestamp, timestampType int"
    )
    if not headers:
        return found
    return (
        f"{found}, headers {'string' if compact else 'array<struct<key: string, value: binary>>'}"
    )


def batch_of(
    messages: Sequence[KafkaMessage], *, headers: bool, compact: bool = False
) -> pa.RecordBatch:
    """Convert messages to columns. Hot path: under a microsecond a record without headers.

    Timestamps are in microseconds; their types are Spark's numbers, one below the client's: -1 for
    none, 0 for create time, 1 for log append time.
    """
    # One line per column, not a function: Python calls methods fastest where it sees them.
    columns = [
        _bytes([each.key() for each in messages]),
        _bytes([each.value() for each in messages]),
        _texts([each.topic() for each in messages]),
        _numbers("i", [each.partition() for each in messages], pa.int32()),
        _numbers("q", [each.offset() for each in messages], pa.int64()),
        *_times([each.timestamp() for each in messages]),
    ]
    if not headers:
        return pa.RecordBatch.from_arrays(columns, schema=_SCHEMA)
    schema = _SCHEMA_WITH_COMPACT_HEADERS if compact else _SCHEMA_WITH_HEADERS
    kind = schema.field("headers").type
    plain = _compact_headers if compact else _plain_headers
    found = [each.headers() for each in messages]
    written = pa.array([plain(each) for each in found], kind) if any(found) else _no(found, kind)
    return pa.RecordBatch.from_arrays([*columns, written], schema=schema)


def _bytes(values: list[bytes | None]) -> pa.Array:
    if not all(values):
        missing = values.count(None)
        if missing == len(values):
            return _no(values, pa.binary())
        if missing:
            return pa.array(values, pa.binary())
    return _packed(cast("list[bytes]", values), pa.binary())


def _texts(values: list[str]) -> pa.Array:
    encoded = {each: each.encode() for each in set(values)}
    return _packed([encoded[each] for each in values], pa.string())


def _packed(values: list[bytes], kind: pa.DataType) -> pa.Array:
    """Build a column from its buffers: `pyarrow.array` imports pandas, a third of a second."""
    ends = array("i", accumulate(map(len, values), initial=0))
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(values))]
    return pa.Array.from_buffers(kind, len(values), buffers)


def _numbers(code: str, values: list[int], kind: pa.DataType) -> pa.Array:
    """Build a column of numbers with a type code of `array.array`."""
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(array(code, values))])


def _times(stamps: list[tuple[int, int]]) -> tuple[pa.Array, pa.Array]:
    kinds = [kind - 1 for kind, _ in stamps]
    if _NO_TIME in kinds:
        millis = [ms if kind else None for kind, ms in stamps]
        times = pa.array(millis, pa.timestamp("ms", tz="UTC")).cast(_TIME)
    else:
        times = _numbers("q", [ms * 1000 for _, ms in stamps], _TIME)
    return times, _numbers("i", kinds, pa.int32())


def _no(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    return pa.nulls(len(values), kind)


def _plain_headers(headers: Sequence[tuple[str, bytes | None]] | None) -> Any:
    return [{"key": key, "value": value} for key, value in headers] if headers else None


def _compact_headers(headers: Sequence[tuple[str, bytes | None]] | None) -> str | None:
    if not headers:
        return None
    return json.dumps([(k, None if v is None else v.decode(_BYTES)) for k, v in headers])


class ArrowMessage:
    """A consumed record from Spark with the accessors of a Kafka message."""

    __slots__ = (
        "_headers",
        "_key",
        "_kind",
        "_millis",
        "_offset",
        "_partition",
        "_topic",
        "_value",
    )

    def __init__(  # noqa: PLR0913, PLR0917  # one for each column, in their order
        self,
        key: bytes | None,
        value: bytes | None,
        topic: str,
        partition: int,
        offset: int,
        millis: int | None,
        kind: int,
        headers: list[tuple[str, bytes | None]] | None,
    ) -> None:
        self._key = key
        self._value = value
        self._topic = topic
        self._partition = partition
        self._offset = offset
        self._millis = _NO_TIME if millis is None else millis
        self._kind = kind + 1
        self._headers = headers

    def topic(self) -> str:
        """Topic of the record."""
        return self._topic

    def partition(self) -> int:
        """Partition of the record."""
        return self._partition

    def offset(self) -> int:
        """Offset of the record."""
        return self._offset

    def key(self) -> bytes | None:
        """Serialized key."""
        return self._key

    def value(self) -> bytes | None:
        """Serialized value."""
        return self._value

    def timestamp(self) -> tuple[int, int]:
        """Timestamp type in the client's numbers, and milliseconds."""
        return self._kind, self._millis

    def headers(self) -> list[tuple[str, bytes | None]] | None:
        """Serialized headers in order, or ``None``."""
        return self._headers

    def error(self) -> None:
        """Return nothing: such a message has no error."""


def messages_of(batch: pa.RecordBatch) -> list[ArrowMessage]:
    """Convert the rows of a batch that has all columns. Hot path."""
    columns: dict[str, Any] = dict(zip(batch.schema.names, batch.columns, strict=True))
    times = columns["timestamp"].cast(pa.timestamp("ms", tz="UTC"), safe=False).cast(pa.int64())
    rows = zip(
        columns["key"].to_pylist(),
        columns["value"].to_pylist(),
        columns["topic"].to_pylist(),
        columns["partition"].to_pylist(),
        columns["offset"].to_pylist(),
        times.to_pylist(),
        columns["timestampType"].to_pylist(),
        _header_lists(columns["headers"]),
        strict=True,
    )
    return list(starmap(ArrowMessage, rows))


def _header_lists(column: pa.Array) -> list[list[tuple[str, bytes | None]] | None]:
    if column.null_count == len(column):
        return [None] * len(column)
    if column.type == pa.string():
        return [_expanded(found) if found else None for found in column.to_pylist()]
    return [
        [(each["key"], each["value"]) for each in found] if found else None
        for found in column.to_pylist()
    ]


def _expanded(text: str) -> list[tuple[str, bytes | None]]:
    found = json.loads(text)
    return [(key, None if value is None else value.encode(_BYTES)) for key, value in found]
