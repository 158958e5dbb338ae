"""A sink that empties the records it was given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_file_sink import FileStreamSinkConnector, FileStreamSinkTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import SinkRecord, Task

__all__ = ["BrokenSinkConnector"]


class BrokenSinkTask(FileStreamSinkTask):
    """Frees memory that others still need."""

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write the values, then drop them."""
        super().put(records)
        for record in records:
            record.value = None


class BrokenSinkConnector(FileStreamSinkConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSinkTask
