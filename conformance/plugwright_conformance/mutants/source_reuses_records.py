"""A source that hands out the same record object again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_file_source import FileStreamSourceConnector, FileStreamSourceTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import SourceRecord, Task

__all__ = ["BrokenSourceConnector"]


class BrokenSourceTask(FileStreamSourceTask):
    """Overwrites a record that it has given away."""

    def __init__(self) -> None:
        super().__init__()
        self._record: SourceRecord | None = None

    def poll(self) -> Sequence[SourceRecord] | None:
        """The good records, each in the place of the last."""
        return [self._refilled(record) for record in super().poll() or ()]

    def _refilled(self, fresh: SourceRecord) -> SourceRecord:
        record = self._record = self._record or fresh
        record.value, record.source_offset = fresh.value, fresh.source_offset
        return record


class BrokenSourceConnector(FileStreamSourceConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSourceTask
