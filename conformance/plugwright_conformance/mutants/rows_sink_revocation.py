"""Sinks of rows that get partitions wrong which leave, and offsets which stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright import TopicPartition
from plugwright_conformance.mutants._mutant import mutant
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
    """Writes four records of a partition at a time, and promises what was written."""

    def start(self, props: Mapping[str, str]) -> None:
        """Begin with nothing."""
        self._waiting: dict[TopicPartition, list[SinkRecord]] = {}
        self._written: dict[TopicPartition, int] = {}
        super().start(props)

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write what is enough for a file."""
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
        """What was written of the partitions that are asked about."""
        self.flush(current_offsets)
        return {home: n for home, n in self._written.items() if home in current_offsets}

    def close(self, partitions: Collection[TopicPartition]) -> None:
        """Forget what another task goes on with."""
        for home in partitions:
            self._waiting.pop(home, None)
            self._written.pop(home, None)


@mutant(
    "M127",
    "close() drops what waits of every partition",
    base="lines-sink",
    killed_by="SNK-REB-01",
    says="of them missing",
)
class ClosesEveryPartitionTask(WritesFoursTask):
    """Takes every revocation for the end of all.

    Reported at https://github.com/confluentinc/kafka-connect-storage-cloud/pull/950: a task that
    keeps some of its partitions loses what it has buffered for them.
    """

    def close(self, partitions: Collection[TopicPartition]) -> None:
        """Forget everything that waits."""
        super().close(partitions)
        self._waiting.clear()


@mutant(
    "M128",
    "writes what waits of a revoked partition when it is stopped",
    base="lines-sink",
    killed_by="SNK-REB-02",
    says="written after close()",
)
class WritesRevokedAtStopTask(WritesFoursTask):
    """Leaves nothing unwritten.

    Reported at https://github.com/Azure/kafka-sink-azure-kusto/issues/69: what is written once the
    offsets for the commit are known comes from the next owner again.
    """

    def close(self, partitions: Collection[TopicPartition]) -> None:
        """Forget what was promised, and nothing else."""
        for home in partitions:
            self._written.pop(home, None)

    def stop(self) -> None:
        """Write the rest, then close the table."""
        for records in getattr(self, "_waiting", {}).values():
            RowsSinkTask.put(self, records)
        super().stop()


@mutant(
    "M089",
    "promises the first of a set of written offsets, which is emptied now and then",
    base="lines-sink",
    killed_by="SNK-OFF-06",
    says="after it had promised",
)
class PromisesTheOldestTask(RowsSinkTask):
    """Recomputes what it could remember."""

    def start(self, props: Mapping[str, str]) -> None:
        """Begin with nothing."""
        self._ends: list[tuple[TopicPartition, int]] = []
        super().start(props)

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write a batch, and note where it ends."""
        super().put(records)
        self._ends += [(_home(record), record.original_kafka_offset + 1) for record in records]

    def pre_commit(
        self, current_offsets: Mapping[TopicPartition, int]
    ) -> Mapping[TopicPartition, int]:
        """The end of the last batch, or where the last one but a few began."""
        durable = dict(super().pre_commit(current_offsets))
        if not self._ends:
            durable = {home: max(offset - 2, 0) for home, offset in durable.items()}
        self._ends.clear()
        return durable
