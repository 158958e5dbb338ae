"""A sink that gives a batch up if its write fails after a rebalance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright import RetriableError
from plugwright_file_sink import FileStreamSinkConnector, FileStreamSinkTask

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from plugwright import SinkRecord, Task, TopicPartition

__all__ = ["BrokenSinkConnector"]


class BrokenSinkTask(FileStreamSinkTask):
    """Right in every test that has no rebalance, fault and flush in this order."""

    _rebalanced = False

    def close(self, partitions: Collection[TopicPartition]) -> None:
        """Note that there was a rebalance."""
        super().close(partitions)
        self._rebalanced = True

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write, but take an error after a rebalance for one of the old assignment."""
        try:
            super().put(records)
        except RetriableError:
            if not self._rebalanced:
                raise


class BrokenSinkConnector(FileStreamSinkConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSinkTask
