"""A source that is deaf after the first error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright import RetriableError
from plugwright_file_source import FileStreamSourceConnector, FileStreamSourceTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import SourceRecord, Task

__all__ = ["BrokenSourceConnector"]


class BrokenSourceTask(FileStreamSourceTask):
    """Looks healthy and delivers nothing."""

    _deaf = False

    def poll(self) -> Sequence[SourceRecord] | None:
        """The good records, up to the first error."""
        if self._deaf:
            self._stopping.wait(0.1)
            return None
        try:
            return super().poll()
        except RetriableError:
            self._deaf = True
            raise


class BrokenSourceConnector(FileStreamSourceConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSourceTask
