"""A sink whose last records wait for more to come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright import TopicPartition
from plugwright_file_sink import FileStreamSinkConnector, FileStreamSinkTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SinkRecord, Task

__all__ = ["BrokenSinkConnector"]

_BATCH = 100


class BrokenSinkTask(FileStreamSinkTask):
    """Writes a hundred records at a time, and promises honestly no more than that."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting: list[SinkRecord] = []
        self._written: dict[TopicPartition, int] = {}

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write as many whole batches as there are."""
        self._waiting += records
        while len(self._waiting) >= _BATCH:
            batch, self._waiting = self._waiting[:_BATCH], self._waiting[_BATCH:]
            super().put(batch)
            for record in batch:
                home = TopicPartition(record.original_topic, record.original_kafka_partition)
                self._written[home] = record.original_kafka_offset + 1

    def pre_commit(self, offsets: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, int]:
        """What was written."""
        self.flush(offsets)
        return dict(self._written)


class BrokenSinkConnector(FileStreamSinkConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSinkTask
