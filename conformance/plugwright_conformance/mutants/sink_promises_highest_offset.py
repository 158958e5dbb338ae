"""A sink that promises the highest confirmed offset, whatever is open below it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from plugwright import TopicPartition
from plugwright_file_sink import FileStreamSinkConnector, FileStreamSinkTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SinkRecord, Task

__all__ = ["BrokenSinkConnector"]


class BrokenSinkTask(FileStreamSinkTask):
    """Writes each record on a thread of its own, and takes note of what has worked."""

    def __init__(self) -> None:
        super().__init__()
        self._writer = ThreadPoolExecutor(1)
        self._highest: dict[TopicPartition, int] = {}

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Leave every record to the thread."""
        for record in records:
            self._writer.submit(self._write_one, record)

    def pre_commit(self, offsets: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, int]:
        """The highest offset that was confirmed in each partition."""
        self._writer.submit(self.flush, offsets).result()
        return {p: self._highest[p] for p in offsets if p in self._highest}

    def stop(self) -> None:
        """End the thread."""
        self._writer.shutdown()
        super().stop()

    def _write_one(self, record: SinkRecord) -> None:
        super().put([record])
        home = TopicPartition(record.original_topic, record.original_kafka_partition)
        self._highest[home] = record.original_kafka_offset + 1


class BrokenSinkConnector(FileStreamSinkConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSinkTask
