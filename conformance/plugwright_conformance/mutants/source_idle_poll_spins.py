"""A source that polls an idle file as fast as it can."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from plugwright_file_source import FileStreamSourceConnector, FileStreamSourceTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import SourceRecord, Task

__all__ = ["BrokenSourceConnector"]


class BrokenSourceTask(FileStreamSourceTask):
    """Returns at once when there is nothing."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """Read only if the file has grown."""
        if Path(self._path).stat().st_size == self._position:
            return None
        return super().poll()


class BrokenSourceConnector(FileStreamSourceConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSourceTask
