"""Sinks that are odd and right: no check may find anything wrong with them."""

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
    """Keeps up to ten thousand records."""

    def start(self, props: Mapping[str, str]) -> None:
        """Begin with nothing."""
        self._kept: list[SinkRecord] = []
        super().start(props)

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Refuse what cannot be written, keep the rest."""
        for record in records:
            if record.value is not None:
                self.line(record)
        self._kept += records

    def flush(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Write what was kept; what fails is delivered again, from the last commit on."""
        kept, self._kept = self._kept, []
        super().put(kept)
        super().flush(offsets)


class BuffersUntilFlush(RowsSinkConnector):
    """G02."""

    def task_class(self) -> type[Task]:
        """The odd class."""
        return BuffersUntilFlushTask


class LagsBehindTask(RowsSinkTask):
    """Promises what was durable at the promise before."""

    def start(self, props: Mapping[str, str]) -> None:
        """Begin with nothing to promise."""
        self._durable: dict[TopicPartition, int] = {}
        super().start(props)

    def pre_commit(
        self, current_offsets: Mapping[TopicPartition, int]
    ) -> Mapping[TopicPartition, int]:
        """The offsets of the last time; the present ones next time."""
        promised = dict(self._durable)
        self._durable.update(super().pre_commit(current_offsets))
        return promised

    def close(self, partitions: Collection[TopicPartition]) -> None:
        """Forget what another task goes on with."""
        for home in partitions:
            self._durable.pop(home, None)
        super().close(partitions)


class LagsBehind(RowsSinkConnector):
    """G10."""

    def task_class(self) -> type[Task]:
        """The odd class."""
        return LagsBehindTask


class SilentWhenNothingIsNewTask(RowsSinkTask):
    """Says nothing twice."""

    def start(self, props: Mapping[str, str]) -> None:
        """Begin with no promise."""
        self._said: dict[TopicPartition, int] = {}
        super().start(props)

    def pre_commit(
        self, current_offsets: Mapping[TopicPartition, int]
    ) -> Mapping[TopicPartition, int]:
        """What is new."""
        durable = super().pre_commit(current_offsets)
        fresh = {h: offset for h, offset in durable.items() if self._said.get(h) != offset}
        self._said.update(fresh)
        return fresh


class SilentWhenNothingIsNew(RowsSinkConnector):
    """G11."""

    def task_class(self) -> type[Task]:
        """The odd class."""
        return SilentWhenNothingIsNewTask


class ThreadsOfItsOwnTask(RowsSinkTask):
    """Has a heart that stops with it."""

    def __init__(self) -> None:
        super().__init__()
        self._end = threading.Event()
        self._beating: threading.Thread | None = None

    def start(self, props: Mapping[str, str]) -> None:
        """Start the thread, too."""
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
        """The odd class."""
        return ThreadsOfItsOwnTask
