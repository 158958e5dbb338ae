"""The dead-letter queue: failing sink records, as they were consumed, in a topic of their own.

KIP-298; Kafka Connect's ``DeadLetterQueueReporter``.
"""

from __future__ import annotations

import logging
import threading
import traceback
from concurrent.futures import Future, wait
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright.worker._processing import class_name

if TYPE_CHECKING:
    from plugwright.worker._counters import ErrorCounters
    from plugwright.worker._error_settings import ErrorSettings
    from plugwright.worker._identity import TaskIdentity
    from plugwright.worker._processing import FailedOperation
    from plugwright.worker._seams import KafkaMessage, OutgoingRecord, RecordProducer

__all__ = ["DeadLetterQueue"]

_PREFIX = "__connect.errors."
_MOST_PENDING = 1000  # from here on, futures that are done are not kept

log = logging.getLogger(__name__)


class DeadLetterQueue:
    """Sends what was consumed on to the queue's topic, key, value, headers and timestamp unchanged.

    Safe to call from several threads, because a task may report records from its own.

    Args:
        producer: takes the records; another thread or the loop serves it.
    """

    def __init__(
        self,
        settings: ErrorSettings,
        identity: TaskIdentity,
        producer: RecordProducer,
        counters: ErrorCounters,
    ) -> None:
        self._settings = settings
        self._identity = identity
        self._producer = producer
        self._counters = counters
        self._sending = threading.Lock()
        self._pending: list[Future[None]] = []

    def report(self, failed: FailedOperation) -> Future[None]:
        """Send the record; the future is done when Kafka has it, or has refused it."""
        future: Future[None] = Future()
        future.set_running_or_notify_cancel()  # what was sent cannot be taken back

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
        """Wait for what was sent; whether Kafka has answered for all of it."""
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
        """Kafka's ten headers; a record that has been in a queue before keeps its older ones."""
        error = failed.error
        texts = {
            "topic": message.topic(),
            "partition": str(message.partition()),
            "offset": str(message.offset()),
            "connector.name": self._identity.connector,
            "task.id": str(self._identity.task),
            "stage": failed.stage.value,
            "class.name": failed.executor,
            "exception.class.name": class_name(type(error)),
            "exception.message": str(error) or None,
            "exception.stacktrace": "".join(traceback.format_exception(error)),
        }
        return [
            (f"{_PREFIX}{name}", None if text is None else text.encode(errors="replace"))
            for name, text in texts.items()
        ]

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
