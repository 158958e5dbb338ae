"""Records to Kafka through confluent-kafka."""

from __future__ import annotations

from typing import TYPE_CHECKING

from confluent_kafka import KafkaException, Producer

from plugwright.errors import ConnectError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.worker import OutgoingRecord

__all__ = ["KafkaRecordProducer"]

_FULL_QUEUE_WAIT_S = 0.05


class KafkaRecordProducer:
    """The record producer of a source task: idempotent, callbacks on the calling thread.

    Args:
        settings: librdkafka's settings, see `producer_settings`.
    """

    def __init__(self, settings: Mapping[str, object]) -> None:
        self._producer = Producer(dict(settings))

    def send(self, batch: Sequence[OutgoingRecord]) -> None:
        """Queue a batch in order. Hot path: one client call per record.

        Raises:
            ConnectError: if the client refuses a record, for example because it is too large.
        """
        produce = self._producer.produce
        for topic, partition, key, value, headers, timestamp, on_delivery in batch:
            optional = {}
            if partition is not None:
                optional["partition"] = partition
            if timestamp is not None:
                optional["timestamp"] = timestamp
            if headers is not None:
                optional["headers"] = headers  # type: ignore[assignment]  # a client's keyword
            while True:
                try:
                    produce(topic, value, key, on_delivery=on_delivery, **optional)
                    break
                except BufferError:
                    self._producer.poll(_FULL_QUEUE_WAIT_S)
                except (KafkaException, ValueError) as error:
                    raise _refused(topic, error) from error

    def serve(self) -> None:
        """Run the callbacks that are due."""
        self._producer.poll(0)

    def flush(self, timeout_s: float) -> int:
        """Wait for outstanding records; how many are still outstanding."""
        return int(self._producer.flush(timeout_s))

    def close(self) -> None:
        """Abandon what is outstanding and release the client."""
        self._producer.purge()
        self._producer.flush(1)


def _refused(topic: str, error: Exception) -> ConnectError:
    return ConnectError(
        f"a record for topic {topic} was not accepted: {error}",
        code="kafka.record-refused",
        facts={"topic": topic, "error": str(error)},
    )
