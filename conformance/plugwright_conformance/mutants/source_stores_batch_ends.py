"""A source whose offset is that of the end of the batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_file_source import FileStreamSourceConnector, FileStreamSourceTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import SourceRecord, Task

__all__ = ["BrokenSourceConnector"]


class BrokenSourceTask(FileStreamSourceTask):
    """Resumes correctly only after whole batches."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """The good records, all with the last position."""
        records = super().poll()
        for record in records or ():
            record.source_offset = {"position": self._position}
        return records


class BrokenSourceConnector(FileStreamSourceConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSourceTask
