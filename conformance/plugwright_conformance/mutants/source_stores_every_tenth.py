"""A source that moves its offset with every tenth record only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright_file_source import FileStreamSourceConnector, FileStreamSourceTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SourceRecord, Task

__all__ = ["BrokenSourceConnector"]


class BrokenSourceTask(FileStreamSourceTask):
    """Repeats up to nine records after a clean stop."""

    _read = 0

    def start(self, props: Mapping[str, str]) -> None:
        """Begin where the last tenth record ended."""
        super().start(props)
        self._stored: Mapping[str, Any] = {"position": self._position}

    def poll(self) -> Sequence[SourceRecord] | None:
        """The good records with coarse positions."""
        records = super().poll()
        for record in records or ():
            self._read += 1
            if self._read % 10 == 0:
                self._stored = record.source_offset or {}
            record.source_offset = self._stored
        return records


class BrokenSourceConnector(FileStreamSourceConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSourceTask
