"""Row sinks that stop writing without an error."""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING

from plugwright import ConnectError, RetriableError, TopicPartition
from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.sink import RowsSinkTask

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from plugwright import SinkRecord

__all__ = ["GivesUpSilentlyTask", "WriterDiesTask"]

_RETRIES = 40


@mutant(
    "M107",
    "the thread that writes dies, and put() goes on accepting",
    base="lines-sink",
    killed_by="CON-ERR-04",
    failure="no error, and nothing more was moved",
)
class WriterDiesTask(RowsSinkTask):
    """Does not check the thread that writes.

    Reported at https://github.com/mmolimar/kafka-connect-fs/issues/84: a task that cannot go on
    stays RUNNING.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Open the table, and start the thread."""
        super().start(props)
        self._due: queue.Queue[list[SinkRecord] | None] = queue.Queue()
        self._written: dict[TopicPartition, int] = {}
        self._writer = threading.Thread(target=self._work)
        self._writer.start()

    def _work(self) -> None:
        while (records := self._due.get()) is not None:
            try:
                super().put(records)
            except ConnectError:
                return
            for record in records:
                home = TopicPartition(record.original_topic, record.original_kafka_partition)
                self._written[home] = record.original_kafka_offset + 1

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Queue a batch for the thread."""
        if records:
            self._due.put(list(records))

    def pre_commit(
        self, current_offsets: Mapping[TopicPartition, int]
    ) -> Mapping[TopicPartition, int]:
        """The offsets of written records."""
        return {home: n for home, n in self._written.items() if home in current_offsets}

    def close(self, partitions: Collection[TopicPartition]) -> None:
        """Forget the offsets of these partitions."""
        for home in partitions:
            self._written.pop(home, None)

    def stop(self) -> None:
        """End the thread, then close the table."""
        if hasattr(self, "_writer"):
            self._due.put(None)
            self._writer.join()
        super().stop()


@mutant(
    "M113",
    "gives up after the last retry and acknowledges",
    base="lines-sink",
    killed_by="SNK-ERR-03",
    failure="not there",
)
class GivesUpSilentlyTask(RowsSinkTask):
    """Ignores the last retriable error.

    Reported at https://github.com/confluentinc/kafka-connect-bigquery/issues/68: a batch that could
    not be written is committed.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Start with all retries."""
        super().start(props)
        self._left = _RETRIES

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write a batch; after 40 failures it is dropped.

        Raises:
            RetriableError: while retries are left.
        """
        try:
            super().put(records)
        except RetriableError:
            self._left -= 1
            if self._left > 0:
                raise
        else:
            self._left = _RETRIES
