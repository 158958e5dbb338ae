"""Sinks of rows that write on a thread of their own, with and without a limit."""

from __future__ import annotations

import queue
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from plugwright import TopicPartition
from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.sink import RowsSinkTask

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from concurrent.futures import Future

    from plugwright import SinkRecord

__all__ = ["QueueWithLimitTask", "QueueWithoutLimitTask", "SubmitsBatchesTask"]


class QueueWithLimitTask(RowsSinkTask):
    """Passes records to a thread, through a queue of a thousand.

    Attributes:
        LIMIT: of the queue.
    """

    LIMIT = 1000

    def start(self, props: Mapping[str, str]) -> None:
        """Start the thread."""
        super().start(props)
        self._queue: queue.Queue[SinkRecord | None] = queue.Queue(self.LIMIT)
        self._done: dict[TopicPartition, int] = {}
        self._failure: Exception | None = None
        self._writer = threading.Thread(target=self._write_all, name="rows-writer", daemon=True)
        self._writer.start()

    def open(self, partitions: Collection[TopicPartition]) -> None:
        """Forget what an earlier owner has written."""
        for home in partitions:
            self._done.pop(home, None)

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Check the records, and wait for room in the queue.

        Raises:
            ConnectError: if the thread has failed.
        """
        for record in records:
            if record.value is not None:
                self.line(record)
            if self._failure is not None:
                raise self._failure
            self._queue.put(record)

    def pre_commit(
        self, current_offsets: Mapping[TopicPartition, int]
    ) -> Mapping[TopicPartition, int]:
        """The offsets of what the thread has written."""
        if self._failure is not None:
            raise self._failure
        done = dict(self._done)
        self.flush(current_offsets)
        return {home: done[home] for home in current_offsets if home in done}

    def _write_all(self) -> None:
        while (record := self._queue.get()) is not None:
            if self._failure is None:
                self._write_one(record)

    def _write_one(self, record: SinkRecord) -> None:
        try:
            super().put([record])
        except Exception as error:  # noqa: BLE001  # put raises it
            self._failure = error
            return
        home = TopicPartition(record.original_topic, record.original_kafka_partition)
        self._done[home] = record.original_kafka_offset + 1

    def stop(self) -> None:
        """End the thread."""
        if self._descriptor is not None:
            self._queue.put(None)
            self._writer.join()
        super().stop()


@mutant(
    "M140",
    "internal queue without a limit",
    base="lines-sink",
    killed_by="CON-RES-05",
    failure="records taken while none was written",
)
class QueueWithoutLimitTask(QueueWithLimitTask):
    """Takes as many records as come.

    Reported at https://github.com/awslabs/kinesis-kafka-connector/issues/2.
    """

    LIMIT = 0


@mutant(
    "M140b",
    "batches are submitted to a pool of threads without waiting",
    base="lines-sink",
    killed_by="CON-RES-05",
    failure="records taken while none was written",
)
class SubmitsBatchesTask(RowsSinkTask):
    """Waits for nothing but the batches that a commit needs, and commits only what is there.

    Reported at https://github.com/Aiven-Open/s3-connector-for-apache-kafka/issues/335.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Start the pool."""
        super().start(props)
        self._pool = ThreadPoolExecutor(1)
        self._batches: list[tuple[Future[None], Sequence[SinkRecord]]] = []

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Submit a batch."""
        if records:
            self._batches.append((self._pool.submit(super().put, records), records))

    def pre_commit(
        self, current_offsets: Mapping[TopicPartition, int]
    ) -> Mapping[TopicPartition, int]:
        """The offsets of the batches that are written."""
        ends = {}
        while self._batches and self._batches[0][0].done():
            written, records = self._batches.pop(0)
            written.result()
            for record in records:
                home = TopicPartition(record.original_topic, record.original_kafka_partition)
                ends[home] = record.original_kafka_offset + 1
        self.flush(current_offsets)
        return {home: end for home, end in ends.items() if home in current_offsets}

    def stop(self) -> None:
        """End the pool."""
        if self._descriptor is not None:
            self._pool.shutdown()
        super().stop()
