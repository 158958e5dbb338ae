"""A source that trusts the stored offset to be its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_file_source import FileStreamSourceConnector, FileStreamSourceTask

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright import Task

__all__ = ["BrokenSourceConnector"]


class BrokenSourceTask(FileStreamSourceTask):
    """Fails with a bare KeyError on the offset of another version."""

    def start(self, props: Mapping[str, str]) -> None:
        """Take the position out of the map before anybody has looked at it."""
        stored = self.context.offset_storage_reader.offset({"filename": props["file"]})
        position = stored["position"] if stored is not None else 0
        super().start(props)
        self._position = position


class BrokenSourceConnector(FileStreamSourceConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSourceTask
