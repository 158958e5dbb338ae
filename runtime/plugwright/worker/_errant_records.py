"""The errant record reporter, for records that a sink task itself rejects (KIP-610)."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future, wait
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright.worker._codec import consumed_message
from plugwright.worker._processing import Origin, ProcessingStage

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugwright.record import SinkRecord
    from plugwright.worker._codec import Codec
    from plugwright.worker._host_protocols import KafkaMessage
    from plugwright.worker.error_handler import ErrorHandler

_MOST_PENDING = 1000  # above this, successful futures are dropped


class LoopErrantRecordReporter:
    """The errant record reporter of one task; usable from any of the task's threads.

    Args:
        handler: applies the connector's ``errors.*`` settings.
        codec: serializes records whose consumed bytes are not known.
        task_class: dotted name of the task's class.
    """

    def __init__(self, handler: ErrorHandler, codec: Codec, task_class: str) -> None:
        self._handler = handler
        self._codec = codec
        self._task_class = task_class
        self._lock = threading.Lock()
        self._pending: list[Future[None]] = []
        self._refusal: ConnectError | None = None

    def report(self, record: SinkRecord, error: Exception) -> Future[None]:
        """Report a record; the future completes when every report is stored.

        Raises:
            ConnectError: if ``errors.tolerance`` is ``none``; the task fails even if it catches
                this error.
        """
        origin = Origin(message=consumed_message(record) or self._reserialized(record))
        with self._lock:
            try:
                futures = self._handler.failed(
                    origin, ProcessingStage.TASK_PUT, self._task_class, error
                )
            except ConnectError as refusal:
                self._refusal = self._refusal or refusal
                raise
            if len(self._pending) >= _MOST_PENDING:
                self._pending = [p for p in self._pending if not p.done() or p.exception()]
            self._pending += futures
        return _all_of(futures)

    def raise_refusal(self) -> None:
        """Raise the error of a report again, in case the task has swallowed it.

        Raises:
            ConnectError: if a record was reported although errors are not tolerated.
        """
        if self._refusal is not None:
            refusal, self._refusal = self._refusal, None
            raise refusal

    def settled(self, timeout_s: float, clock: Callable[[], float] = time.monotonic) -> bool:
        """Wait for the reports so far; whether all of them are stored.

        Raises:
            ConnectError: if a report failed.
        """
        deadline = clock() + timeout_s
        with self._lock:
            pending = list(self._pending)
        done, open_ = wait(pending, max(deadline - clock(), 0.0))
        for future in done:
            if (error := future.exception()) is not None:
                raise error
        with self._lock:
            self._pending = [future for future in self._pending if future not in done]
        return not open_

    def _reserialized(self, record: SinkRecord) -> KafkaMessage:
        """Serialize the record again, for tasks that report records they created."""
        return _ReserializedMessage(record, self._codec)


class _ReserializedMessage:
    """A message built from a record: its topic and position, with its data serialized again."""

    def __init__(self, record: SinkRecord, codec: Codec) -> None:
        self._record = record
        outgoing = codec.encode(record, _nobody)
        self._key, self._value, self._headers = outgoing[2], outgoing[3], outgoing[4]

    def topic(self) -> str:
        return self._record.topic

    def partition(self) -> int:
        return self._record.kafka_partition

    def offset(self) -> int:
        return self._record.kafka_offset

    def key(self) -> bytes | None:
        return self._key

    def value(self) -> bytes | None:
        return self._value

    def timestamp(self) -> tuple[int, int]:
        timestamp = self._record.timestamp
        return (0, -1) if timestamp is None else (1, timestamp)

    def headers(self) -> list[tuple[str, bytes | None]] | None:
        return self._headers


def _nobody(_: object | None, __: KafkaMessage) -> None:
    """Ignore the acknowledgement."""


def _all_of(futures: list[Future[None]]) -> Future[None]:
    """The only future, or one that is already done."""
    if futures:
        return futures[0]  # only the dead-letter queue returns a future
    done: Future[None] = Future()
    done.set_result(None)
    return done
