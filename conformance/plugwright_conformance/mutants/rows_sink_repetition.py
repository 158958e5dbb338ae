"""Row sinks that repeat records, or commit too few."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright import RetriableError
from plugwright_conformance.mutants._mutant import mutant
from plugwright_conformance.reference.rows.sink import RowsSinkTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SinkRecord, TopicPartition

__all__ = ["CommitsLastRecordTask", "KeepsFailedBatchTask"]


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
