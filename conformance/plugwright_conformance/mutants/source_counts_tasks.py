"""A source whose partition map says how the work was divided."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_file_source import FileStreamSourceConnector, FileStreamSourceTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import Task

__all__ = ["BrokenSourceConnector"]


class BrokenSourceTask(FileStreamSourceTask):
    """Stores offsets that nobody finds after ``tasks.max`` has changed."""

    def start(self, props: Mapping[str, str]) -> None:
        """Make the task a part of the partition."""
        super().start(props)
        self._partition = {"filename": self._path, "task": f"0 of {props['tasks']}"}


class BrokenSourceConnector(FileStreamSourceConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSourceTask

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        """The good configuration and the number of tasks."""
        (only,) = super().task_configs(max_tasks)
        return [{**only, "tasks": str(max_tasks)}]
