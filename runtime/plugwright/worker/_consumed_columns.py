"""Consumed messages as columns, for tasks that take columns."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from plugwright.headers import Headers
from plugwright.sink_columns import SinkColumns
from plugwright.worker._codec import attach_messages
from plugwright.worker._columns import ConvertedColumns, decode_columns, unbuilt

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plugwright.record import SinkRecord
    from plugwright.worker._host_protocols import KafkaMessage
    from plugwright.worker.runs import MessageRun


class ConsumedBatch(NamedTuple):
    """Messages without headers, with their converted keys and values.

    Attributes:
        messages: as consumed.
        runs: the runs of messages from one partition.
        columns: their keys and values.
        remembers: whether records keep their message, for the errant record reporter.
    """

    messages: Sequence[KafkaMessage]
    runs: Sequence[MessageRun]
    columns: ConvertedColumns
    remembers: bool

    def parts(self) -> Iterator[SinkColumns]:
        """New columns for each run."""
        begin, (key_schema, keys, value_schema, values) = 0, self.columns
        for run in self.runs:
            part = slice(begin, begin + run.size)
            columns = ConvertedColumns(key_schema, keys[part], value_schema, values[part])
            yield _ConsumedColumns(run, self.messages[part], columns, remembers=self.remembers)
            begin = part.stop

    def records(self) -> Iterator[SinkRecord]:
        """New records."""
        for part in self.parts():
            yield from part.records()


class _ConsumedColumns(SinkColumns):
    """Columns of consecutive messages; records are built only if they are asked for."""

    def __init__(
        self,
        run: MessageRun,
        messages: Sequence[KafkaMessage],
        columns: ConvertedColumns,
        *,
        remembers: bool,
    ) -> None:
        self.topic, self.kafka_partition, _ = self._run = run
        self.original_topic, self.original_kafka_partition = run.topic, run.partition
        self.key_schema, self.keys, self.value_schema, self.values = columns
        self._messages, self._remembers = messages, remembers

    def __len__(self) -> int:
        return len(self._messages)

    @cached_property
    def kafka_offsets(self) -> Sequence[int]:
        """The offsets in Kafka."""
        return [message.offset() for message in self._messages]

    @cached_property
    def original_kafka_offsets(self) -> Sequence[int]:
        """The offsets in Kafka, as no transformation has run."""
        return self.kafka_offsets

    @cached_property
    def timestamps(self) -> Sequence[int | None]:
        """Milliseconds since the epoch, or ``None``."""
        pairs = [message.timestamp() for message in self._messages]
        return [timestamp if kind else None for kind, timestamp in pairs]

    def records(self) -> Sequence[SinkRecord]:
        """New records of these columns."""
        columns = ConvertedColumns(self.key_schema, self.keys, self.value_schema, self.values)
        records: list[Any] = []
        decode_columns(unbuilt(columns, self._messages, [self._run]), _no_headers, records)
        if self._remembers:
            attach_messages(records, self._messages)
        return records


def _no_headers(_: str, __: object) -> Headers:
    """What messages without headers have."""
    return Headers()
