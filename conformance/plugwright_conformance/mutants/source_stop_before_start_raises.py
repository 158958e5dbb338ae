"""A source that cannot be stopped before it was started."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_file_source import FileStreamSourceConnector, FileStreamSourceTask

if TYPE_CHECKING:
    from plugwright import Task

__all__ = ["BrokenSourceConnector"]


class BrokenSourceTask(FileStreamSourceTask):
    """Reads in stop() what start() has to set."""

    last_path: str

    def stop(self) -> None:
        """Remember the path."""
        super().stop()
        self.last_path = self._path


class BrokenSourceConnector(FileStreamSourceConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSourceTask
