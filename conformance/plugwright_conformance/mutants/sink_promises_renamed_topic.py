"""A sink that tracks offsets under the topic that a transformation made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright import TopicPartition
from plugwright_file_sink import FileStreamSinkConnector, FileStreamSinkTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SinkRecord, Task

__all__ = ["BrokenSinkConnector"]


class BrokenSinkTask(FileStreamSinkTask):
    """Mixes up where a record goes with where it came from (KIP-793)."""

    def __init__(self) -> None:
        super().__init__()
        self._written: dict[TopicPartition, int] = {}

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write, and note the offsets."""
        super().put(records)
        for record in records:
            home = TopicPartition(record.topic, record.kafka_partition)
            self._written[home] = record.kafka_offset + 1

    def pre_commit(self, offsets: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, int]:
        """The noted offsets."""
        self.flush(offsets)
        return self._written


class BrokenSinkConnector(FileStreamSinkConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSinkTask
