"""A sink that looks up every error in a map that does not have it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright import ConnectError
from plugwright_file_sink import FileStreamSinkConnector, FileStreamSinkTask

if TYPE_CHECKING:
    from plugwright import Task

__all__ = ["BrokenSinkConnector"]


class BrokenSinkTask(FileStreamSinkTask):
    """Raises KeyError where an answer is not the one it knows."""

    def _failure(self, error: OSError, *, whole: bool) -> ConnectError:
        return {28: ConnectError("no room")}[error.errno or 0] if whole else ConnectError("cut")


class BrokenSinkConnector(FileStreamSinkConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSinkTask
