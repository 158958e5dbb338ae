"""A sink that takes an error reporter for granted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright import DataError
from plugwright_file_sink import FileStreamSinkConnector, FileStreamSinkTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import SinkRecord, Task

__all__ = ["BrokenSinkConnector"]


class BrokenSinkTask(FileStreamSinkTask):
    """Raises nonsense where failing records are not tolerated."""

    def _good_lines(self, records: Sequence[SinkRecord]) -> bytes:
        reporter: Any = self.context.errant_record_reporter()
        for record in records:
            if not isinstance(record.value, str):
                reporter.report(record, DataError("no text"))
        return super()._good_lines([r for r in records if isinstance(r.value, str)])


class BrokenSinkConnector(FileStreamSinkConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSinkTask
