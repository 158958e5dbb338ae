"""What the task loops need from their host: narrow Protocols, and nothing of Spark or Kafka.

The resident Spark host fills them with confluent-kafka, the conformance simulator with an
in-process log. A message is anything with confluent-kafka's accessor methods, so that the
consuming hot path wraps nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from plugwright.errors import ConnectError
from plugwright.record import SourceRecord
from plugwright.worker._rights import right_hint

if TYPE_CHECKING:
    from plugwright.record import TopicPartition


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

SourceRecords = Iterator[SourceRecord | None]
"""Records on their way out; ``None`` stands for one that was dropped."""

Outgoing = list[OutgoingRecord | None]
"""Takes what the producer is to be given."""


class RecordRefusedError(ConnectError):
    """The client has refused a record before it was queued.

    Args:
        sent: how many records of the batch were queued before it.
        reason: what the client said.
    """

    default_code = "kafka.record-refused"

    def __init__(self, message: str, *, sent: int, topic: str, reason: object) -> None:
        super().__init__(
            message,
            hint=refusal_hint(reason, topic),
            facts={"topic": topic, "error": str(reason)},
        )
        self.sent = sent
        self.reason = reason


def refusal_hint(reason: object, topic: str) -> str:
    """What to do about a record for a topic that Kafka, or its client, does not take."""
    if missing := right_hint(reason, "Write", "Topic", topic):
        return missing
    if "MSG_SIZE_TOO_LARGE" in str(reason):
        return (
            "raise producer.override.max.request.size, and max.message.bytes of the topic, or "
            "have the connector make smaller records"
        )
    return "see the broker's message; records before it keep their stored offsets"


def record_refused(topic: str, reason: object) -> ConnectError:
    """The error about a record that the broker does not take, or that never reached it.

    Args:
        topic: where the record was to go.
        reason: what the client reports.
    """
    return ConnectError(
        f"Kafka refused a record for topic {topic}: {reason}",
        code="kafka.record-refused",
        hint=refusal_hint(reason, topic),
        facts={"topic": topic, "error": str(reason)},
    )


class RecordProducer(Protocol):
    """Hands records to Kafka and reports each one's fate to its callback."""

    def send(self, batch: Sequence[OutgoingRecord]) -> None:
        """Queue a batch in order; waits while the queue is full.

        Raises:
            RecordRefusedError: if the client refuses a record; those before it are queued.
        """

    def when_full(self, call: Callable[[], None]) -> None:
        """What to call again and again while `send` waits; it may raise to end the waiting."""

    def serve(self) -> None:
        """Run the callbacks that are due, without waiting."""

    def flush(self, timeout_s: float) -> int:
        """Wait for outstanding records, running callbacks; how many are still outstanding."""

    @property
    def outstanding(self) -> int:
        """How many records Kafka has not acknowledged yet, about."""

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


SourceOffset = tuple[Mapping[str, Any], Mapping[str, Any] | None]
"""A source partition and its offset; ``None`` forgets the partition."""


class TransactionalProducer(RecordProducer, Protocol):
    """A producer whose records become visible together, with the offsets they belong to."""

    @property
    def offsets_topic(self) -> str:
        """Where offsets go."""

    def begin(self) -> None:
        """Begin a transaction.

        Raises:
            ConnectError: if a newer task has fenced this one.
        """

    def commit(self, offsets: Sequence[SourceOffset]) -> None:
        """Write offsets into the open transaction and commit it, waiting for every record in it.

        Raises:
            DataError: if a partition or an offset is not a flat map of plain values.
            ConnectError: if it cannot be committed; nothing of it will ever be visible.
        """

    def abort(self) -> None:
        """Make sure that nothing of the open transaction will ever be visible."""

    def gave_up(self, error: object) -> bool:
        """Whether a record was not sent for this reason: the transaction had failed before."""

    def failure(self) -> ConnectError:
        """What has failed the open transaction, once records were given up."""


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

    def commit_async(
        self, offsets: Mapping[TopicPartition, int], done: Callable[[ConnectError | None], None]
    ) -> None:
        """Commit without waiting; ``done`` is called within a later poll, with what went wrong."""

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
