"""A source that never asks for its stored offset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_file_source import FileStreamSourceConnector, FileStreamSourceTask

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright import Task

__all__ = ["BrokenSourceConnector"]


class BrokenSourceTask(FileStreamSourceTask):
    """Begins at the beginning, always."""

    def start(self, props: Mapping[str, str]) -> None:
        """Take the settings, and nothing else."""
        self._path = props["file"]
        self._topic = props["topic"]
        self._batch_size = int(props.get("batch.size", "2000"))
        self._partition = {"filename": self._path}
        self._position = 0


class BrokenSourceConnector(FileStreamSourceConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSourceTask
