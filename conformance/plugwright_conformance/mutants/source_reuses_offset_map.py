"""A source that fills one map again for every record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright_file_source import FileStreamSourceConnector, FileStreamSourceTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import SourceRecord, Task

__all__ = ["BrokenSourceConnector"]


class BrokenSourceTask(FileStreamSourceTask):
    """Saves an allocation."""

    def __init__(self) -> None:
        super().__init__()
        self._offset: dict[str, Any] = {}

    def poll(self) -> Sequence[SourceRecord] | None:
        """The good records, all with the same map."""
        records = super().poll()
        for record in records or ():
            self._offset.update(record.source_offset or {})
            record.source_offset = self._offset
        return records


class BrokenSourceConnector(FileStreamSourceConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSourceTask
