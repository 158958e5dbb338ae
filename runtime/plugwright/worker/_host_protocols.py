"""The Protocols that the host of a task loop implements, free of Spark and Kafka.

The resident Spark host implements them with confluent-kafka, the conformance simulator with an
in-process log. A message is any object with confluent-kafka's accessor methods, so that the
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
    """A consumed or acknowledged record with the accessors of a Kafka client."""

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
"""One serialized record; a plain tuple, because one is built per record."""

SourceRecords = Iterator[SourceRecord | None]
"""Serialized records; ``None`` marks a dropped one."""

Outgoing = list[OutgoingRecord | None]
"""Receives serialized records."""


class RecordRefusedError(ConnectError):
    """The client refused a record before it was queued.

    Args:
        sent: number of records of the batch that were queued before it.
        reason: the error that the client reports.
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
    """What to do about a record that Kafka or its client refuses."""
    if missing := right_hint(reason, "Write", "Topic", topic):
        return missing
    if "MSG_SIZE_TOO_LARGE" in str(reason):
        return (
            "raise producer.override.max.request.size, and max.message.bytes of the topic, or "
            "have the connector produce smaller records"
        )
    return "see the broker's message; records before it keep their stored offsets"


def record_refused(topic: str, reason: object) -> ConnectError:
    """The error for a record that the broker refused or never received.

    Args:
        topic: topic of the record.
        reason: the error that the client reports.
    """
    return ConnectError(
        f"Kafka refused a record for topic {topic}: {reason}",
        code="kafka.record-refused",
        hint=refusal_hint(reason, topic),
        facts={"topic": topic, "error": str(reason)},
    )


class RecordProducer(Protocol):
    """Sends records to Kafka and reports the outcome of each to its callback."""

    def send(self, batch: Sequence[OutgoingRecord]) -> None:
        """Queue a batch in order; waits while the queue is full.

        Raises:
            RecordRefusedError: if the client refuses a record; those before it are queued.
        """

    def when_full(self, call: Callable[[], None]) -> None:
        """Set a function to call repeatedly while `send` waits; it may raise to end the wait."""

    def serve(self) -> None:
        """Run the due callbacks without waiting."""

    def flush(self, timeout_s: float) -> int:
        """Wait for outstanding records, running callbacks; returns how many remain outstanding."""

    @property
    def outstanding(self) -> int:
        """The approximate number of records that Kafka has not acknowledged yet."""

    def close(self) -> None:
        """Close the client; outstanding records are abandoned."""


class OffsetStore(Protocol):
    """Stores the offsets of a source connector's partitions."""

    def offset(self, partition: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The stored offset of a source partition, or ``None``."""

    def store(self, offsets: Sequence[tuple[Mapping[str, Any], Mapping[str, Any] | None]]) -> None:
        """Store these offsets durably: all, or possibly some of them on an error.

        Raises:
            ConnectError: if any of them could not be stored.
        """

    def close(self) -> None:
        """Close the store."""


SourceOffset = tuple[Mapping[str, Any], Mapping[str, Any] | None]
"""A source partition and its offset; ``None`` removes the partition."""


class TransactionalProducer(RecordProducer, Protocol):
    """A producer that commits records and their source offsets in one transaction."""

    @property
    def offsets_topic(self) -> str:
        """The topic of the source offsets."""

    def begin(self) -> None:
        """Begin a transaction.

        Raises:
            ConnectError: if a newer task has fenced this one.
        """

    def commit(self, offsets: Sequence[SourceOffset]) -> None:
        """Write offsets into the open transaction and commit it, waiting for all of its records.

        Raises:
            DataError: if a partition or an offset is not a flat map of plain values.
            ConnectError: if it cannot be committed; then it is aborted.
        """

    def abort(self) -> None:
        """Abort the open transaction, so that no record of it ever becomes visible."""

    def gave_up(self, error: object) -> bool:
        """Whether this error means that a record was not sent after the transaction had failed."""

    def failure(self) -> ConnectError:
        """The error that failed the open transaction, once records were not sent because of it."""


class RebalanceListener(Protocol):
    """Receives changes of the assignment, on the polling thread."""

    def assigned(self, partitions: Sequence[TopicPartition]) -> None:
        """Handle new partitions."""

    def revoked(self, partitions: Sequence[TopicPartition]) -> None:
        """Handle partitions about to be revoked; offsets can still be committed."""

    def lost(self, partitions: Sequence[TopicPartition]) -> None:
        """Handle partitions that are already lost; offsets can no longer be committed."""


class RecordConsumer(Protocol):
    """A member of a consumer group."""

    def subscribe(self, topics: Sequence[str], listener: RebalanceListener) -> None:
        """Join the group for these topics."""

    def poll(self, max_records: int, timeout_s: float) -> Sequence[KafkaMessage]:
        """The next messages, at most ``max_records``; nothing after ``timeout_s`` seconds."""

    def assignment(self) -> Sequence[TopicPartition]:
        """The partitions that this member owns."""

    def positions(self, partitions: Sequence[TopicPartition]) -> Mapping[TopicPartition, int]:
        """Where reading of new partitions begins, as far as it is known.

        That is the group's committed offset or, without one, the reset position.
        """

    def commit(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Commit synchronously; each offset is that of the next record to read."""

    def commit_async(
        self, offsets: Mapping[TopicPartition, int], done: Callable[[ConnectError | None], None]
    ) -> None:
        """Commit asynchronously; a later poll calls ``done``, with the error if it failed."""

    def seek(self, partition: TopicPartition, offset: int | None) -> None:
        """Continue from this offset; ``None`` for the reset position of a group without offsets."""

    def pause(self, partitions: Sequence[TopicPartition]) -> None:
        """Fetch nothing from these partitions."""

    def resume(self, partitions: Sequence[TopicPartition]) -> None:
        """Fetch from these partitions again."""

    def close(self) -> None:
        """Leave the group."""


class StatusListener(Protocol):
    """Receives the status of one task."""

    def running(self) -> None:
        """The task has started or was resumed."""

    def paused(self) -> None:
        """The task is paused and keeps its assignment."""

    def failed(self, error: Exception) -> None:
        """The task has failed and stays down until it is restarted."""

    def stopped(self) -> None:
        """The task has stopped as requested."""
