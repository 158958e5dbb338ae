"""A sink whose task reads what only the driver's memory has."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from plugwright_file_sink import FileStreamSinkConnector, FileStreamSinkTask

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright import Task

__all__ = ["BrokenSinkConnector"]


class BrokenSinkTask(FileStreamSinkTask):
    """Looks for its file where the connector has left it."""

    path: ClassVar[str]

    def start(self, props: Mapping[str, str]) -> None:
        """Take the path from the class."""
        super().start({**props, "file": self.path})


class BrokenSinkConnector(FileStreamSinkConnector):
    """Tells the task class instead of the task."""

    def start(self, props: Mapping[str, str]) -> None:
        """Leave the path on the class."""
        super().start(props)
        BrokenSinkTask.path = props["file"]

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSinkTask
