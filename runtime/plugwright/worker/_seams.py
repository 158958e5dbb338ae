"""What the task loops need from their host: narrow Protocols, and nothing of Spark or Kafka.

The resident Spark host fills them with confluent-kafka, the conformance simulator with an
in-process log. A message is anything with confluent-kafka's accessor methods, so that the
consuming hot path wraps nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from plugwright.record import TopicPartition

__all__ = [
    "DeliveryCallback",
    "KafkaMessage",
    "OffsetStore",
    "OutgoingRecord",
    "RebalanceListener",
    "RecordConsumer",
    "RecordProducer",
    "StatusListener",
]


class KafkaMessage(Protocol):
    """A record as a Kafka client shows it, consumed or acknowledged."""

    def topic(self) -> str:
        """Topic of the record."""

    def partition(self) -> int:
        """Partition of the record."""

    def offset(self) -> int:
        """Offset of the record."""

    def key(self) -> bytes | None:
        """Serialized key."""

    def value(self) -> bytes | None:
        """Serialized value."""

    def timestamp(self) -> tuple[int, int]:
        """Timestamp type (0 none, 1 create time, 2 log append time) and milliseconds."""

    def headers(self) -> list[tuple[str, bytes | None]] | None:
        """Serialized headers in order, or ``None``."""


DeliveryCallback = Callable[[object | None, KafkaMessage], None]
"""Called once per record, on the thread that serves the producer: error or ``None``, message."""

OutgoingRecord = tuple[
    str,  # topic
    int | None,  # partition
    bytes | None,  # key
    bytes | None,  # value
    list[tuple[str, bytes | None]] | None,  # headers
    int | None,  # timestamp, milliseconds
    DeliveryCallback,
]
"""One serialized record on its way out; a bare tuple, because one is built per record."""


class RecordProducer(Protocol):
    """Hands records to Kafka and reports each one's fate to its callback."""

    def send(self, batch: Sequence[OutgoingRecord]) -> None:
        """Queue a batch in order; waits while the queue is full."""

    def serve(self) -> None:
        """Run the callbacks that are due, without waiting."""

    def flush(self, timeout_s: float) -> int:
        """Wait for outstanding records, running callbacks; how many are still outstanding."""

    def close(self) -> None:
        """Release the client; outstanding records are abandoned."""


class OffsetStore(Protocol):
    """Keeps the offsets of a source connector's partitions."""

    def offset(self, partition: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The stored offset of a source partition, or ``None``."""

    def store(self, offsets: Sequence[tuple[Mapping[str, Any], Mapping[str, Any] | None]]) -> None:
        """Make these offsets durable, all or (on an error) possibly some of them.

        Raises:
            ConnectError: if any of them could not be stored.
        """

    def close(self) -> None:
        """Release the store."""


class RebalanceListener(Protocol):
    """Is told about partitions coming and going, on the thread that polls."""

    def assigned(self, partitions: Sequence[TopicPartition]) -> None:
        """These partitions are new."""

    def revoked(self, partitions: Sequence[TopicPartition]) -> None:
        """These partitions are about to leave; offsets may still be committed."""

    def lost(self, partitions: Sequence[TopicPartition]) -> None:
        """These partitions have gone already; committing is too late."""


class RecordConsumer(Protocol):
    """A member of a consumer group."""

    def subscribe(self, topics: Sequence[str], listener: RebalanceListener) -> None:
        """Join the group for these topics."""

    def poll(self, max_records: int, timeout_s: float) -> Sequence[KafkaMessage]:
        """The next messages, at most ``max_records``; nothing after ``timeout_s`` seconds."""

    def assignment(self) -> Sequence[TopicPartition]:
        """The partitions that this member owns."""

    def committed(self, partitions: Sequence[TopicPartition]) -> Mapping[TopicPartition, int]:
        """The group's committed offsets; partitions without one are left out."""

    def commit(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Commit synchronously: each offset is that of the next record to read."""

    def seek(self, partition: TopicPartition, offset: int | None) -> None:
        """Read on from this offset; ``None`` is where the group would begin without one."""

    def pause(self, partitions: Sequence[TopicPartition]) -> None:
        """Fetch nothing from these partitions."""

    def resume(self, partitions: Sequence[TopicPartition]) -> None:
        """Fetch from these partitions again."""

    def close(self) -> None:
        """Leave the group."""


class StatusListener(Protocol):
    """Hears about the life of one task."""

    def running(self) -> None:
        """The task has started or was resumed."""

    def paused(self) -> None:
        """The task holds still and keeps its place."""

    def failed(self, error: Exception) -> None:
        """The task has ended with an error and stays down until it is restarted."""

    def stopped(self) -> None:
        """The task has ended as asked."""
