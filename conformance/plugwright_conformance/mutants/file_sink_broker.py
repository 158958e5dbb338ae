"""A file sink with a wrong reaction to broker failures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.mutants.mutant import mutant
from plugwright_file_sink import FileStreamSinkTask

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from plugwright import SinkRecord, TopicPartition

__all__ = ["GivesUpAfterCloseTask"]


@mutant(
    "M131",
    "writes nothing more once its partitions were taken from it, and looks healthy",
    killed_by="CON-BRK-03",
    failure="lost",
)
class GivesUpAfterCloseTask(FileStreamSinkTask):
    """Writes nothing after close(), even if the partitions are assigned again."""

    def __init__(self) -> None:
        super().__init__()
        self._is_over = False

    def close(self, partitions: Collection[TopicPartition]) -> None:
        """Remember that partitions were revoked."""
        super().close(partitions)
        self._is_over = True

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write unless partitions were revoked."""
        if not self._is_over:
            super().put(records)
