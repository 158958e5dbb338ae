"""The records between consumption and ``put``, and the offsets that they cover."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.record import TopicPartition
from plugwright.sink_columns import SinkColumns
from plugwright.worker._consumed_columns import ConsumedBatch

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from plugwright.record import SinkRecord
    from plugwright.task import SinkTask
    from plugwright.worker._host_protocols import KafkaMessage
    from plugwright.worker.runs import MessageRun


class SinkBatch:
    """Records that are put together, with the offsets that they cover.

    A record that a transformation drops is not put, but its offset counts as consumed, as in
    Kafka Connect.
    """

    __slots__ = ("_ends", "_firsts", "_pieces", "_size")

    def __init__(self) -> None:
        self._pieces: list[list[SinkRecord] | ConsumedBatch] = []
        self._size = 0
        self._firsts: dict[tuple[str, int], int] = {}
        self._ends: dict[tuple[str, int], int] = {}

    def take(
        self,
        messages: Sequence[KafkaMessage],
        runs: Sequence[MessageRun],
        records: Sequence[SinkRecord | None],
    ) -> None:
        """Add consumed messages, in their runs, and the record made from each. Hot path."""
        kept = [record for record in records if record is not None]
        self._pieces.append(kept)
        self._size += len(kept)
        self._cover(messages, runs)

    def take_columns(self, consumed: ConsumedBatch) -> None:
        """Add consumed messages as columns. Hot path."""
        self._pieces.append(consumed)
        self._size += len(consumed.messages)
        self._cover(consumed.messages, consumed.runs)

    def _cover(self, messages: Sequence[KafkaMessage], runs: Sequence[MessageRun]) -> None:
        begin = 0
        for topic, partition, size in runs:
            home, end = (topic, partition), begin + size
            self._firsts.setdefault(home, messages[begin].offset())
            self._ends[home] = messages[end - 1].offset() + 1
            begin = end

    def records(self) -> list[SinkRecord]:
        """The records for ``put``, in a new list."""
        found: list[SinkRecord] = []
        for piece in self._pieces:
            found += piece.records() if isinstance(piece, ConsumedBatch) else piece
        return found

    def columns(self) -> list[SinkColumns]:
        """The columns for ``put_batch``, all of them new."""
        found: list[SinkColumns] = []
        for piece in self._pieces:
            found += piece.parts() if isinstance(piece, ConsumedBatch) else SinkColumns.of(piece)
        return found

    def put_to(self, task: SinkTask, *, by_column: bool) -> None:
        """Call ``put_batch`` or ``put``."""
        if by_column:
            task.put_batch(self.columns())
        else:
            task.put(self.records())

    def drop(self, partitions: Collection[TopicPartition]) -> None:
        """Remove all records of these partitions."""
        gone = set(partitions)
        rest = [
            record
            for record in self.records()
            if (record.original_topic, record.original_kafka_partition) not in gone
        ]
        self._pieces, self._size = [rest], len(rest)
        for partition in gone:
            self._firsts.pop(partition, None)
            self._ends.pop(partition, None)

    def firsts(self) -> Mapping[TopicPartition, int]:
        """The first offset of each partition that has consumed records here."""
        return {TopicPartition(*home): offset for home, offset in self._firsts.items()}

    def ends(self) -> Mapping[TopicPartition, int]:
        """The offset after the last consumed record of each partition."""
        return {TopicPartition(*home): offset for home, offset in self._ends.items()}

    def __len__(self) -> int:
        return self._size

    def __bool__(self) -> bool:
        return bool(self._ends)
