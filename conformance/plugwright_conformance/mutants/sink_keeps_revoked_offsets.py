"""A sink that keeps promising offsets of partitions that have left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_file_sink import FileStreamSinkConnector, FileStreamSinkTask

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright import Task, TopicPartition

__all__ = ["BrokenSinkConnector"]


class BrokenSinkTask(FileStreamSinkTask):
    """Never forgets a partition."""

    def __init__(self) -> None:
        super().__init__()
        self._durable: dict[TopicPartition, int] = {}

    def pre_commit(self, offsets: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, int]:
        """Everything that was ever durable."""
        self.flush(offsets)
        self._durable.update(offsets)
        return dict(self._durable)


class BrokenSinkConnector(FileStreamSinkConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSinkTask
