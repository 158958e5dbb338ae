"""The dead-letter queue: sends failing sink records, as consumed, to a separate topic.

KIP-298; Kafka Connect's ``DeadLetterQueueReporter``.
"""

from __future__ import annotations

import logging
import threading
from concurrent.futures import Future, wait
from functools import lru_cache
from typing import TYPE_CHECKING

from plugwright.config import HiddenTexts
from plugwright.errors import ConnectError
from plugwright.worker._processing import class_name
from plugwright.worker.trace_texts import TraceTexts

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugwright.worker._error_settings import ErrorSettings
    from plugwright.worker._host_protocols import KafkaMessage, OutgoingRecord, RecordProducer
    from plugwright.worker._identity import TaskIdentity
    from plugwright.worker._processing import FailedOperation
    from plugwright.worker.counters import ErrorCounters

_PREFIX = "__connect.errors."
_TOPIC, _PARTITION, _OFFSET, _CONNECTOR, _TASK, _STAGE, _CLASS, _EXCEPTION, _MESSAGE, _TRACE = (
    f"{_PREFIX}{name}"
    for name in (
        *("topic", "partition", "offset", "connector.name", "task.id", "stage", "class.name"),
        *("exception.class.name", "exception.message", "exception.stacktrace"),
    )
)
_CLASSES = 1000  # number of exception classes whose encoded headers are cached
_MOST_PENDING = 1000  # above this, completed futures are dropped

_Headers = tuple[tuple[str, bytes], ...]

log = logging.getLogger(__name__)


class DeadLetterQueue:
    """Sends consumed records to the queue's topic; key, value, headers and timestamp are unchanged.

    Safe to call from several threads, because a task may report records from its own.

    Args:
        producer: sends the records; the loop or another thread serves it.
    """

    def __init__(
        self,
        settings: ErrorSettings,
        identity: TaskIdentity,
        producer: RecordProducer,
        counters: ErrorCounters,
    ) -> None:
        self._settings = settings
        self._producer = producer
        self._counters = counters
        self._hide = HiddenTexts(settings.hidden).hide
        self._traces = TraceTexts()
        self._own = (
            (_CONNECTOR, _encoded(identity.connector)),
            (_TASK, b"%d" % identity.task),
        )
        self._shared: Callable[[str | None, int, str, type], _Headers] = lru_cache(_CLASSES)(
            self._shared_headers
        )
        self._sending = threading.Lock()
        self._pending: list[Future[None]] = []

    def report(self, failed: FailedOperation) -> Future[None]:
        """Send the record; the future completes when Kafka has acknowledged or refused it."""
        future: Future[None] = Future()
        future.set_running_or_notify_cancel()  # a sent record cannot be cancelled

        def delivered(error: object | None, _: KafkaMessage) -> None:
            self._settle(future, error)

        with self._sending:
            self._counters.dead_letter_requests += 1
            message = failed.origin.message
            if message is None:
                self._settle(future, "the record did not come from Kafka")
                return future
            try:
                self._producer.send([self._letter(message, failed, delivered)])
            except ConnectError as error:
                self._settle(future, error)
            if len(self._pending) >= _MOST_PENDING:
                self._pending = [pending for pending in self._pending if not pending.done()]
            self._pending.append(future)
        return future

    def settled(self, timeout_s: float) -> bool:
        """Wait for the acknowledgements of all sent records; whether all arrived."""
        with self._sending:
            pending = self._pending
            self._pending = []
        _, open_ = wait(pending, timeout_s)
        with self._sending:
            self._pending += open_
        return not open_

    def _letter(
        self, message: KafkaMessage, failed: FailedOperation, delivered: object
    ) -> OutgoingRecord:
        kind, timestamp = message.timestamp()
        headers = list(message.headers() or ())
        if self._settings.dead_letter_headers:
            headers += self._context(message, failed)
        return (
            self._settings.dead_letter_topic,
            None,
            message.key(),
            message.value(),
            headers or None,
            timestamp if kind else None,
            delivered,  # type: ignore[return-value]  # made above
        )

    def _context(
        self, message: KafkaMessage, failed: FailedOperation
    ) -> list[tuple[str, bytes | None]]:
        """Kafka's ten headers; a record that was in a queue before keeps its older ones."""
        error = failed.error
        topic, partition, *own, executor, exception = self._shared(
            message.topic(), message.partition(), failed.executor, type(error)
        )
        return [
            topic,
            partition,
            (_OFFSET, b"%d" % message.offset()),
            *own,
            (_STAGE, failed.stage.value.encode()),
            executor,
            exception,
            (_MESSAGE, _encoded(self._hide(str(error))) or None),
            (_TRACE, _encoded(self._hide(self._traces.of(error)))),
        ]

    def _shared_headers(
        self, topic: str | None, partition: int, executor: str, kind: type
    ) -> _Headers:
        """The headers that records of one partition with the same kind of failure share."""
        return (
            (_TOPIC, _encoded(topic or "")),
            (_PARTITION, b"%d" % partition),
            *self._own,
            (_CLASS, _encoded(executor)),
            (_EXCEPTION, _encoded(class_name(kind))),
        )

    def _settle(self, future: Future[None], error: object | None) -> None:
        if error is None:
            future.set_result(None)
            return
        topic = self._settings.dead_letter_topic
        log.error("Could not produce message to dead letter queue. topic=%s: %s", topic, error)
        self._counters.dead_letter_failures += 1
        future.set_exception(
            ConnectError(
                f"a record did not reach the dead-letter queue {topic}: {error}",
                code="kafka.dead-letter-refused",
                facts={"topic": topic, "error": str(error)},
            )
        )


def _encoded(text: str) -> bytes:
    return text.encode(errors="replace")
