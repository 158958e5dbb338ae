"""A sink that promises offsets in steps of a thousand, also at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_file_sink import FileStreamSinkConnector, FileStreamSinkTask

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright import Task, TopicPartition

__all__ = ["BrokenSinkConnector"]

_STEP = 1000


class BrokenSinkTask(FileStreamSinkTask):
    """Repeats up to a thousand records of each partition after a clean stop."""

    def pre_commit(self, offsets: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, int]:
        """The last full thousand."""
        self.flush(offsets)
        return {home: offset // _STEP * _STEP for home, offset in offsets.items()}


class BrokenSinkConnector(FileStreamSinkConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSinkTask
