"""A source that resumes with what is greater than the last key."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from plugwright_file_source import FileStreamSourceConnector, FileStreamSourceTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SourceRecord, Task

__all__ = ["BrokenSourceConnector"]


class BrokenSourceTask(FileStreamSourceTask):
    """Takes the text of a line for its key."""

    def start(self, props: Mapping[str, str]) -> None:
        """Look up the key of the last record."""
        super().start(props)
        before = Path(self._path).read_bytes()[: self._position].decode().split("\n")
        self._key = before[-2] if self._position else None

    def poll(self) -> Sequence[SourceRecord] | None:
        """The good records, without those whose key was seen before the restart."""
        return [record for record in super().poll() or () if record.value != self._key]


class BrokenSourceConnector(FileStreamSourceConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSourceTask
