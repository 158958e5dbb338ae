"""A sink that waits without a limit for a connection that will not come back."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from plugwright import RetriableError
from plugwright_file_sink import FileStreamSinkConnector, FileStreamSinkTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import SinkRecord, Task

__all__ = ["BrokenSinkConnector"]


class BrokenSinkTask(FileStreamSinkTask):
    """Takes an error for the news that it will be called when all is well again."""

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write, or wait for a call that nobody makes."""
        try:
            super().put(records)
        except RetriableError:
            threading.Event().wait()


class BrokenSinkConnector(FileStreamSinkConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSinkTask
