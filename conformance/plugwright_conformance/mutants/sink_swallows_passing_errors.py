"""A sink that catches the transient error and returns normally."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from plugwright import RetriableError
from plugwright_file_sink import FileStreamSinkConnector, FileStreamSinkTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import SinkRecord, Task

__all__ = ["BrokenSinkConnector"]


class BrokenSinkTask(FileStreamSinkTask):
    """Calls a batch written that was not."""

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write, or not."""
        with suppress(RetriableError):
            super().put(records)


class BrokenSinkConnector(FileStreamSinkConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSinkTask
