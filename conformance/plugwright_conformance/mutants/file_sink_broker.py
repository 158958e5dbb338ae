"""A sink of files that takes trouble of the broker wrongly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.mutants._mutant import mutant
from plugwright_file_sink import FileStreamSinkTask

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from plugwright import SinkRecord, TopicPartition

__all__ = ["GivesUpAfterCloseTask"]


@mutant(
    "M131",
    "writes nothing more once its partitions were taken from it, and looks healthy",
    killed_by="CON-BRK-03",
    says="lost",
)
class GivesUpAfterCloseTask(FileStreamSinkTask):
    """Takes the loss of its partitions for the end, though they come back."""

    def __init__(self) -> None:
        super().__init__()
        self._is_over = False

    def close(self, partitions: Collection[TopicPartition]) -> None:
        """Remember it for ever."""
        super().close(partitions)
        self._is_over = True

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write as long as it lasts."""
        if not self._is_over:
            super().put(records)
