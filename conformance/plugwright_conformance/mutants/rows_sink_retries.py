"""Row sinks that write what has failed after what is newer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright import RetriableError
from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.sink import RowsSinkTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SinkRecord, TopicPartition

__all__ = ["AppendsFailedRecordsTask", "QueuesFailedBatchesTask"]


@mutant(
    "M101",
    "a queue of batches to retry is last in, first out",
    base="lines-sink",
    killed_by="CON-DLV-10",
    failure="of the same partition",
    sentinel=True,
)
class QueuesFailedBatchesTask(RowsSinkTask):
    """Keeps failed batches, and writes them after the next one, the last of them first."""

    def __init__(self) -> None:
        super().__init__()
        self._failed: list[Sequence[SinkRecord]] = []

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write the batch, or keep it; then write what failed before."""
        try:
            super().put(records)
        except RetriableError:
            self._failed.append(records)
            return
        self._write_failed()

    def _write_failed(self) -> None:
        while self._failed:
            super().put(self._failed[-1])
            self._failed.pop()

    def flush(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Write what failed, then wait for the disk."""
        self._write_failed()
        super().flush(offsets)


@mutant(
    "M101a",
    "records that failed are appended behind those of their batch that did not",
    base="lines-sink",
    killed_by="CON-DLV-10",
    failure="of the same partition",
)
class AppendsFailedRecordsTask(RowsSinkTask):
    """Writes record by record, and at the end of a batch again what has failed.

    Reported at https://github.com/redpanda-data/connect/issues/4387: the records of a batch that
    had failed follow those that had not.
    """

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write each record on its own; then those that failed."""
        failed = []
        for record in records:
            try:
                super().put([record])
            except RetriableError:
                failed.append(record)
        if failed:
            super().put(failed)
