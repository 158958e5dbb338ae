"""Row sinks that handle revoked partitions or remembered offsets wrongly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright import TopicPartition
from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.sink import RowsSinkTask

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from plugwright import SinkRecord

__all__ = [
    "ClosesEveryPartitionTask",
    "PromisesTheOldestTask",
    "WritesFoursTask",
    "WritesRevokedAtStopTask",
]

_FOUR = 4


def _home(record: SinkRecord) -> TopicPartition:
    return TopicPartition(record.original_topic, record.original_kafka_partition)


class WritesFoursTask(RowsSinkTask):
    """Writes four records of a partition at a time, and commits only those."""

    def start(self, props: Mapping[str, str]) -> None:
        """Start without records and offsets."""
        self._waiting: dict[TopicPartition, list[SinkRecord]] = {}
        self._written: dict[TopicPartition, int] = {}
        super().start(props)

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Buffer the records, and write every four of a partition."""
        for record in records:
            mine = self._waiting.setdefault(_home(record), [])
            mine.append(record)
            if len(mine) == _FOUR:
                super().put(mine)
                self._written[_home(record)] = record.original_kafka_offset + 1
                mine.clear()

    def pre_commit(
        self, current_offsets: Mapping[TopicPartition, int]
    ) -> Mapping[TopicPartition, int]:
        """The offsets of written records."""
        self.flush(current_offsets)
        return {home: n for home, n in self._written.items() if home in current_offsets}

    def close(self, partitions: Collection[TopicPartition]) -> None:
        """Forget records and offsets of these partitions."""
        for home in partitions:
            self._waiting.pop(home, None)
            self._written.pop(home, None)


@mutant(
    "M127",
    "close() drops what waits of every partition",
    base="lines-sink",
    killed_by="SNK-REB-01",
    failure="of them missing",
)
class ClosesEveryPartitionTask(WritesFoursTask):
    """Drops the buffers of all partitions in close().

    Reported at https://github.com/confluentinc/kafka-connect-storage-cloud/pull/950: a task that
    keeps some of its partitions loses what it has buffered for them.
    """

    def close(self, partitions: Collection[TopicPartition]) -> None:
        """Forget all buffered records."""
        super().close(partitions)
        self._waiting.clear()


@mutant(
    "M128",
    "writes what waits of a revoked partition when it is stopped",
    base="lines-sink",
    killed_by="SNK-REB-02",
    failure="written after close()",
)
class WritesRevokedAtStopTask(WritesFoursTask):
    """Writes records of revoked partitions in stop().

    Reported at https://github.com/Azure/kafka-sink-azure-kusto/issues/69: what is written once the
    offsets for the commit are known comes from the next owner again.
    """

    def close(self, partitions: Collection[TopicPartition]) -> None:
        """Forget the offsets, but not the records."""
        for home in partitions:
            self._written.pop(home, None)

    def stop(self) -> None:
        """Write the buffered records, then close the table."""
        for records in getattr(self, "_waiting", {}).values():
            RowsSinkTask.put(self, records)
        super().stop()


@mutant(
    "M089",
    "promises the first of a set of written offsets, which is emptied now and then",
    base="lines-sink",
    killed_by="SNK-OFF-06",
    failure="after it had promised",
)
class PromisesTheOldestTask(RowsSinkTask):
    """Derives offsets from a list that it empties after each commit."""

    def start(self, props: Mapping[str, str]) -> None:
        """Start without records and offsets."""
        self._ends: list[tuple[TopicPartition, int]] = []
        super().start(props)

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write a batch, and remember its offsets."""
        super().put(records)
        self._ends += [(_home(record), record.original_kafka_offset + 1) for record in records]

    def pre_commit(
        self, current_offsets: Mapping[TopicPartition, int]
    ) -> Mapping[TopicPartition, int]:
        """The offsets, or smaller ones if nothing was written since."""
        durable = dict(super().pre_commit(current_offsets))
        if not self._ends:
            durable = {home: max(offset - 2, 0) for home, offset in durable.items()}
        self._ends.clear()
        return durable
