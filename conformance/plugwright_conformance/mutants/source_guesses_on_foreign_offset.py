"""A source that starts over when it does not understand its offset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright import ConnectError
from plugwright_file_source import FileStreamSourceConnector, FileStreamSourceTask

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright import Task

__all__ = ["BrokenSourceConnector"]


class BrokenSourceTask(FileStreamSourceTask):
    """Prefers a guess to an error."""

    def start(self, props: Mapping[str, str]) -> None:
        """Begin somewhere."""
        try:
            super().start(props)
        except ConnectError:
            self._position = 0


class BrokenSourceConnector(FileStreamSourceConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSourceTask
