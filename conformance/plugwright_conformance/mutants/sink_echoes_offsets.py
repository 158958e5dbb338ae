"""A sink that promises the offsets it is given while it buffers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_file_sink import FileStreamSinkConnector, FileStreamSinkTask

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from plugwright import SinkRecord, Task, TopicPartition

__all__ = ["BrokenSinkConnector"]

_ENOUGH = 1000


class BrokenSinkTask(FileStreamSinkTask):
    """Confirms what it has only heard of."""

    def __init__(self) -> None:
        super().__init__()
        self._buffer: list[SinkRecord] = []

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write every thousand records."""
        self._buffer += records
        if len(self._buffer) >= _ENOUGH:
            super().put(self._buffer)
            self._buffer = []

    def pre_commit(self, offsets: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, int]:
        """Whatever was asked."""
        return offsets

    def close(self, partitions: Collection[TopicPartition]) -> None:
        """Write the rest."""
        super().put(self._buffer)
        self._buffer = []
        super().close(partitions)


class BrokenSinkConnector(FileStreamSinkConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSinkTask
