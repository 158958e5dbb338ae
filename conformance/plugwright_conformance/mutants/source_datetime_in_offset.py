"""A source whose offset holds a date object."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from plugwright_file_source import FileStreamSourceConnector, FileStreamSourceTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import SourceRecord, Task

__all__ = ["BrokenSourceConnector"]


class BrokenSourceTask(FileStreamSourceTask):
    """Notes when a record was read, in a form that JSON has not."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """The good records with the time in their offsets."""
        records = super().poll()
        for record in records or ():
            record.source_offset = {**(record.source_offset or {}), "read": datetime.now(UTC)}
        return records


class BrokenSourceConnector(FileStreamSourceConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSourceTask
