"""A sink that takes an outage for bad records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright import RetriableError
from plugwright_file_sink import FileStreamSinkConnector, FileStreamSinkTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import SinkRecord, Task

__all__ = ["BrokenSinkConnector"]


class BrokenSinkTask(FileStreamSinkTask):
    """Fills the dead-letter queue with good records."""

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write the batch, or report it."""
        try:
            super().put(records)
        except RetriableError as error:
            if (reporter := self._reporter()) is None:
                raise
            for record in records:
                reporter.report(record, error)


class BrokenSinkConnector(FileStreamSinkConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSinkTask
