"""A source that goes on at the last record instead of after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_file_source import FileStreamSourceConnector, FileStreamSourceTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import SourceRecord, Task

__all__ = ["BrokenSourceConnector"]


class BrokenSourceTask(FileStreamSourceTask):
    """Stores where each record begins."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """The good records, each with the position before it."""
        at = self._position
        records = super().poll()
        for record in records or ():
            record.source_offset = {"position": at}
            at += len(record.value.encode()) + 1
        return records


class BrokenSourceConnector(FileStreamSourceConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSourceTask
