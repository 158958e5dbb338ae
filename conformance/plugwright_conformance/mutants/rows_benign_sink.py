"""Unusual but correct sinks, which no check may fail."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from plugwright_conformance.reference.rows.sink import RowsSinkConnector, RowsSinkTask

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from plugwright import SinkRecord, Task, TopicPartition

__all__ = ["BuffersUntilFlush", "LagsBehind", "SilentWhenNothingIsNew", "ThreadsOfItsOwn"]


class BuffersUntilFlushTask(RowsSinkTask):
    """Buffers records until flush()."""

    def start(self, props: Mapping[str, str]) -> None:
        """Start with an empty buffer."""
        self._kept: list[SinkRecord] = []
        super().start(props)

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Check the records and buffer them."""
        for record in records:
            if record.value is not None:
                self.line(record)
        self._kept += records

    def flush(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Write the buffer; after a failure the worker delivers again from the last commit."""
        kept, self._kept = self._kept, []
        super().put(kept)
        super().flush(offsets)


class BuffersUntilFlush(RowsSinkConnector):
    """G02."""

    def task_class(self) -> type[Task]:
        """The unusual class."""
        return BuffersUntilFlushTask


class LagsBehindTask(RowsSinkTask):
    """Returns the durable offsets of the previous call."""

    def start(self, props: Mapping[str, str]) -> None:
        """Start without durable offsets."""
        self._durable: dict[TopicPartition, int] = {}
        super().start(props)

    def pre_commit(
        self, current_offsets: Mapping[TopicPartition, int]
    ) -> Mapping[TopicPartition, int]:
        """The durable offsets of the previous call."""
        promised = dict(self._durable)
        self._durable.update(super().pre_commit(current_offsets))
        return promised

    def close(self, partitions: Collection[TopicPartition]) -> None:
        """Forget the offsets of these partitions."""
        for home in partitions:
            self._durable.pop(home, None)
        super().close(partitions)


class LagsBehind(RowsSinkConnector):
    """G10."""

    def task_class(self) -> type[Task]:
        """The unusual class."""
        return LagsBehindTask


class SilentWhenNothingIsNewTask(RowsSinkTask):
    """Returns an offset only if it has changed."""

    def start(self, props: Mapping[str, str]) -> None:
        """Start without returned offsets."""
        self._said: dict[TopicPartition, int] = {}
        super().start(props)

    def pre_commit(
        self, current_offsets: Mapping[TopicPartition, int]
    ) -> Mapping[TopicPartition, int]:
        """The offsets that have changed."""
        durable = super().pre_commit(current_offsets)
        fresh = {h: offset for h, offset in durable.items() if self._said.get(h) != offset}
        self._said.update(fresh)
        return fresh


class SilentWhenNothingIsNew(RowsSinkConnector):
    """G11."""

    def task_class(self) -> type[Task]:
        """The unusual class."""
        return SilentWhenNothingIsNewTask


class ThreadsOfItsOwnTask(RowsSinkTask):
    """Has a thread that ends with the task."""

    def __init__(self) -> None:
        super().__init__()
        self._end = threading.Event()
        self._beating: threading.Thread | None = None

    def start(self, props: Mapping[str, str]) -> None:
        """Start, and start the thread."""
        super().start(props)
        self._end.clear()
        self._beating = threading.Thread(target=self._beat, name="rows-heartbeat")
        self._beating.start()

    def _beat(self) -> None:
        while not self._end.wait(0.05):
            time.sleep(0)

    def stop(self) -> None:
        """End the thread and wait for it."""
        self._end.set()
        if self._beating is not None:
            self._beating.join()
            self._beating = None
        super().stop()


class ThreadsOfItsOwn(RowsSinkConnector):
    """G12."""

    def task_class(self) -> type[Task]:
        """The unusual class."""
        return ThreadsOfItsOwnTask
