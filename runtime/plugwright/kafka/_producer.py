"""Records to Kafka through confluent-kafka."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from confluent_kafka import KafkaException, Producer

from plugwright.errors import ConnectError
from plugwright.kafka.login import LoginWatch, opened
from plugwright.worker import RecordRefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.worker import OutgoingRecord

_FULL_QUEUE_WAIT_S = 0.05
_SERVE_S = 0.2
_LAST_FLUSH_S = 2.0
_ANY_PARTITION = -1


class KafkaRecordProducer:
    """The record producer of a source task: idempotent, with callbacks on the calling thread.

    Args:
        settings: librdkafka's settings, see `producer_settings`.

    Raises:
        ConfigError: if the client refuses them.
    """

    def __init__(self, settings: Mapping[str, object]) -> None:
        self._watch = LoginWatch(settings)
        self._producer = self._open(self._watch)
        self._when_full: Callable[[], None] = _keep_waiting

    @staticmethod
    def _open(watch: LoginWatch) -> Producer:
        producer: Producer = opened(Producer, watch.settings)
        return producer

    def when_full(self, call: Callable[[], None]) -> None:
        """Set a function that a waiting `send` calls repeatedly; it may raise to end the wait."""
        self._when_full = call

    def send(self, batch: Sequence[OutgoingRecord]) -> None:
        """Queue a batch in order. Hot path: one client call per record.

        Raises:
            RecordRefusedError: if the client refuses a record, for example because it is too
                large; those before it are queued.
            ConnectError: if the client cannot continue, or Kafka refuses its login.
        """
        self._watch.require()
        produce = self._producer.produce
        for index, (topic, partition, key, value, headers, timestamp, on_delivery) in enumerate(
            batch
        ):
            number = _ANY_PARTITION if partition is None else partition
            while True:
                try:
                    # Positional arguments: keywords would cost half as much again.
                    produce(topic, value, key, number, on_delivery, None, timestamp or 0, headers)
                    break
                except BufferError:
                    self._wait_for_queue()
                except (KafkaException, ValueError) as error:
                    raise self._refused(topic, index, error) from error

    def serve(self) -> None:
        """Run the due callbacks.

        Raises:
            ConnectError: if the client cannot continue, or Kafka refuses its login.
        """
        try:
            self._producer.poll(0)
        except KafkaException as error:
            raise self._gone(error) from error
        self._watch.require()

    def flush(self, timeout_s: float) -> int:
        """Wait for outstanding records; how many are still outstanding.

        Raises:
            ConnectError: if the client cannot continue, or Kafka refuses its login.
        """
        try:
            left = int(self._producer.flush(timeout_s))
        except KafkaException as error:
            raise self._gone(error) from error
        self._watch.require()
        return left

    @property
    def outstanding(self) -> int:
        """The number of records and requests that wait for the broker."""
        return len(self._producer)

    def close(self) -> None:
        """Drop outstanding records and release the client."""
        with suppress(KafkaException):  # the client has failed before
            self._producer.purge()
            self._producer.flush(1)

    def _wait_for_queue(self) -> None:
        try:
            self._producer.poll(_FULL_QUEUE_WAIT_S)
        except KafkaException as error:
            raise self._gone(error) from error
        self._watch.require()
        self._when_full()

    def _refused(self, topic: str, index: int, error: Exception) -> ConnectError:
        reason: Any = error.args[0] if isinstance(error, KafkaException) else error
        if isinstance(error, KafkaException) and reason.fatal():
            return self._gone(error)
        message = f"the client refused a record for topic {topic}: {error}"
        return RecordRefusedError(message, sent=index, topic=topic, reason=reason)

    def _gone(self, error: KafkaException) -> ConnectError:
        """The error for a client that cannot send any more."""
        return ConnectError(
            f"the producer cannot continue: {error}",
            code="kafka.producer-failed",
            facts={"error": str(error)},
        )


class BackgroundProducer(KafkaRecordProducer):
    """A record producer whose callbacks run on a separate thread.

    For dead-letter queues: a caller that reports a record may wait for its acknowledgement on any
    thread.
    """

    def __init__(self, settings: Mapping[str, object]) -> None:
        super().__init__(settings)
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._serve_all, name="dead-letters", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Wait briefly for outstanding records, end the thread and release the client."""
        with suppress(ConnectError):
            self.flush(_LAST_FLUSH_S)
        self._closing.set()
        self._thread.join()
        super().close()

    def _serve_all(self) -> None:
        while not self._closing.is_set():
            with suppress(KafkaException):  # the next `send` reports it
                self._producer.poll(_SERVE_S)


def _keep_waiting() -> None:
    """Do nothing: wait without limit."""
