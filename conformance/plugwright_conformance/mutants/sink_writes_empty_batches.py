"""A sink that writes something for a batch of nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_file_sink import FileStreamSinkConnector, FileStreamSinkTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import SinkRecord, Task

__all__ = ["BrokenSinkConnector"]


class BrokenSinkTask(FileStreamSinkTask):
    """Ends every batch with a line feed, full or not."""

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write the batch, or an empty line."""
        super().put(records)
        if not records:
            self._write(b"\n")


class BrokenSinkConnector(FileStreamSinkConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSinkTask
