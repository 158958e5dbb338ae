"""A sink that gives a whole batch up because of one bad record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright import DataError
from plugwright_file_sink import FileStreamSinkConnector, FileStreamSinkTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import SinkRecord, Task

__all__ = ["BrokenSinkConnector"]


class BrokenSinkTask(FileStreamSinkTask):
    """Sends good records to the dead-letter queue."""

    def _good_lines(self, records: Sequence[SinkRecord]) -> bytes:
        reporter = self._reporter()
        if reporter is None:
            return super()._good_lines(records)
        for record in records:
            reporter.report(record, DataError("a record of this batch is bad"))
        return b""


class BrokenSinkConnector(FileStreamSinkConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSinkTask
