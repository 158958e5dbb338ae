"""A source that asks for its stored offset and then starts over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_file_source import FileStreamSourceConnector, FileStreamSourceTask

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright import Task

__all__ = ["BrokenSourceConnector"]


class BrokenSourceTask(FileStreamSourceTask):
    """Looks up where to go on, for the look of it."""

    def start(self, props: Mapping[str, str]) -> None:
        """Forget what was looked up."""
        super().start(props)
        self._position = 0


class BrokenSourceConnector(FileStreamSourceConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSourceTask
