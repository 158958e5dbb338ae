"""Row sinks that repeat records, or commit too few."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright import RetriableError, TopicPartition
from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.sink import RowsSinkTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SinkRecord

__all__ = ["CommitsLastRecordTask", "KeepsFailedBatchTask", "KeepsPartOfFailedBatchTask"]

_BUFFER = 50


@mutant(
    "M178a",
    "a batch that failed is kept, and comes again",
    base="lines-sink",
    killed_by="CON-DLV-04",
    failure="before anything was done; no restart",
)
class KeepsFailedBatchTask(RowsSinkTask):
    """Keeps a failed batch, though the worker delivers it again."""

    def __init__(self) -> None:
        super().__init__()
        self._failed: list[SinkRecord] = []

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write the failed batch and the new one."""
        batch = [*self._failed, *records]
        try:
            super().put(batch)
        except RetriableError:
            self._failed = batch
            raise
        self._failed = []


@mutant(
    "M178c",
    "what a failed batch had of other partitions stays in the buffer, and comes again",
    base="lines-sink",
    killed_by="CON-DLV-04",
    failure="of 240 records, before anything was done; no restart",
)
class KeepsPartOfFailedBatchTask(RowsSinkTask):
    """Writes a partition when it has enough records, and each at the flush.

    Reported at https://github.com/ClickHouse/clickhouse-kafka-connect/pull/835.
    """

    def __init__(self) -> None:
        super().__init__()
        self._waiting: dict[TopicPartition, list[SinkRecord]] = {}

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Take a batch, and write what fills the buffer of its partition."""
        for record in records:
            home = TopicPartition(record.original_topic, record.original_kafka_partition)
            self._waiting.setdefault(home, []).append(record)
            if len(self._waiting[home]) >= _BUFFER:
                super().put(self._waiting.pop(home))

    def flush(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Write what waits; after an error all of it is given again."""
        waiting, self._waiting = self._waiting, {}
        for records in waiting.values():
            super().put(records)
        super().flush(offsets)


@mutant(
    "M179",
    "the offset of the last record is taken for that of the next one",
    base="lines-sink",
    killed_by="SNK-OFF-08",
    failure="committed up to 11 of 12",
)
class CommitsLastRecordTask(RowsSinkTask):
    """Commits the offset of the last record instead of the next one."""

    def pre_commit(
        self, current_offsets: Mapping[TopicPartition, int]
    ) -> Mapping[TopicPartition, int]:
        """The offsets of the last records."""
        durable = super().pre_commit(current_offsets)
        return {home: offset - 1 for home, offset in durable.items()}
