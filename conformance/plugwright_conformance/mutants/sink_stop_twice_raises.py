"""A sink that cannot be stopped twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_file_sink import FileStreamSinkConnector, FileStreamSinkTask

if TYPE_CHECKING:
    from plugwright import Task

__all__ = ["BrokenSinkConnector"]


class BrokenSinkTask(FileStreamSinkTask):
    """Insists on being open when it is stopped."""

    def __init__(self) -> None:
        super().__init__()
        self._closed = False

    def stop(self) -> None:
        """Close, once."""
        if self._closed:
            raise ValueError("the file is closed")
        super().stop()
        self._closed = True


class BrokenSinkConnector(FileStreamSinkConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSinkTask
