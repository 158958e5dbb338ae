"""A sink that writes its buffer when it is stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_file_sink import FileStreamSinkConnector, FileStreamSinkTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import SinkRecord, Task

__all__ = ["BrokenSinkConnector"]


class BrokenSinkTask(FileStreamSinkTask):
    """Loses everything when nobody has the time to stop it."""

    def __init__(self) -> None:
        super().__init__()
        self._buffer: list[SinkRecord] = []

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Keep the batch for later."""
        self._buffer += records

    def stop(self) -> None:
        """Write everything, then close."""
        if self._buffer:
            super().put(self._buffer)
            self._buffer = []
        super().stop()


class BrokenSinkConnector(FileStreamSinkConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSinkTask
