"""A sink that writes the last record of a batch just after it was committed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_file_sink import FileStreamSinkConnector, FileStreamSinkTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SinkRecord, Task, TopicPartition

__all__ = ["BrokenSinkConnector"]


class BrokenSinkTask(FileStreamSinkTask):
    """Loses a record if it is killed between a commit and the next put."""

    def __init__(self) -> None:
        super().__init__()
        self._held: list[SinkRecord] = []

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write what was held, hold what comes."""
        super().put(self._held)
        self._held = list(records)

    def flush(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Write all that is held but the last record."""
        super().put(self._held[:-1])
        self._held = self._held[-1:]
        super().flush(offsets)

    def stop(self) -> None:
        """Write what is held."""
        if self._descriptor is not None:
            super().put(self._held)
            self._held = []
        super().stop()


class BrokenSinkConnector(FileStreamSinkConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSinkTask
