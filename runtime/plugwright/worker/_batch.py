"""The records between consumption and ``put``, and the offsets that they cover."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.record import TopicPartition

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from plugwright.record import SinkRecord
    from plugwright.worker._host_protocols import KafkaMessage
    from plugwright.worker._runs import MessageRun


class SinkBatch:
    """Records that are put together, with the offsets that they cover.

    A record that a transformation drops is not put, but its offset counts as consumed, as in
    Kafka Connect.

    Attributes:
        records: the records for ``put``.
    """

    __slots__ = ("_ends", "_firsts", "records")

    def __init__(self) -> None:
        self.records: list[SinkRecord] = []
        self._firsts: dict[tuple[str, int], int] = {}
        self._ends: dict[tuple[str, int], int] = {}

    def take(
        self,
        messages: Sequence[KafkaMessage],
        runs: Sequence[MessageRun],
        records: Sequence[SinkRecord | None],
    ) -> None:
        """Add consumed messages, in their runs, and the record made from each. Hot path."""
        self.records += [record for record in records if record is not None]
        begin = 0
        for topic, partition, size in runs:
            home, end = (topic, partition), begin + size
            self._firsts.setdefault(home, messages[begin].offset())
            self._ends[home] = messages[end - 1].offset() + 1
            begin = end

    def drop(self, partitions: Collection[TopicPartition]) -> None:
        """Remove all records of these partitions."""
        gone = set(partitions)
        self.records = [
            record
            for record in self.records
            if (record.original_topic, record.original_kafka_partition) not in gone
        ]
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
        return len(self.records)

    def __bool__(self) -> bool:
        return bool(self._ends)
