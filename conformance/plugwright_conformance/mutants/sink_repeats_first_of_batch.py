"""A sink that writes one record of every batch twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_file_sink import FileStreamSinkConnector, FileStreamSinkTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import SinkRecord, Task

__all__ = ["BrokenSinkConnector"]


class BrokenSinkTask(FileStreamSinkTask):
    """Right for whoever counts distinct values."""

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write the batch and its first record."""
        super().put([*records, *records[:1]])


class BrokenSinkConnector(FileStreamSinkConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSinkTask
