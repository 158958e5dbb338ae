"""A source with a column width of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_file_source import FileStreamSourceConnector, FileStreamSourceTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import SourceRecord, Task

__all__ = ["BrokenSourceConnector"]

_WIDTH = 65_535


class BrokenSourceTask(FileStreamSourceTask):
    """Cuts what is longer than it expects."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """The good records, cut."""
        return [record.new_record(value=record.value[:_WIDTH]) for record in super().poll() or ()]


class BrokenSourceConnector(FileStreamSourceConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSourceTask
