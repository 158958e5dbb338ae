"""Records from Kafka through confluent-kafka, as a member of a consumer group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException
from confluent_kafka import TopicPartition as ClientPartition

from plugwright.errors import ConnectError, RetriableError
from plugwright.record import TopicPartition

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from plugwright.worker import KafkaMessage, RebalanceListener

__all__ = ["KafkaRecordConsumer"]

_COMMITTED_TIMEOUT_S = 10.0


class KafkaRecordConsumer:
    """The record consumer of a sink task.

    Args:
        settings: librdkafka's settings, see `consumer_settings`.
    """

    def __init__(self, settings: Mapping[str, object]) -> None:
        self._consumer = Consumer(dict(settings))
        self._rebalanced = False

    def subscribe(self, topics: Sequence[str], listener: RebalanceListener) -> None:
        """Join the group; names that begin with ``^`` are regular expressions."""

        def assigned(_: Consumer, partitions: list[ClientPartition]) -> None:
            self._rebalanced = True
            self._consumer.assign(partitions)
            listener.assigned(_ours(partitions))

        def revoked(_: Consumer, partitions: list[ClientPartition]) -> None:
            self._rebalanced = True
            listener.revoked(_ours(partitions))

        def lost(_: Consumer, partitions: list[ClientPartition]) -> None:
            self._rebalanced = True
            listener.lost(_ours(partitions))

        self._consumer.subscribe(list(topics), on_assign=assigned, on_revoke=revoked, on_lost=lost)

    def poll(self, max_records: int, timeout_s: float) -> Sequence[KafkaMessage]:
        """The next messages. Hot path.

        Waits for the first one only, then takes what the client has at hand: asking it for a whole
        batch at once would hold back every record until the batch is full.

        Raises:
            ConnectError: if the client has given up.
        """
        self._rebalanced = False
        first = self._consumer.poll(timeout_s)
        if first is None:
            return ()
        messages = [first, *self._consumer.consume(max_records - 1, 0)]
        faulty = [message for message in messages if message.error() is not None]
        if faulty:
            self._judge(faulty)
            messages = [message for message in messages if message.error() is None]
        if self._rebalanced:
            # A batch may span a rebalance: what left with it is another member's now.
            mine = set(self.assignment())
            messages = [m for m in messages if (m.topic(), m.partition()) in mine]
        return messages

    def assignment(self) -> Sequence[TopicPartition]:
        """The partitions that this member owns."""
        return _ours(self._consumer.assignment())

    def committed(self, partitions: Sequence[TopicPartition]) -> Mapping[TopicPartition, int]:
        """The group's committed offsets; partitions without one are left out.

        Raises:
            RetriableError: if the group coordinator does not answer.
        """
        try:
            found = self._consumer.committed(_theirs(partitions), timeout=_COMMITTED_TIMEOUT_S)
        except KafkaException as error:
            raise RetriableError(
                f"the committed offsets cannot be read: {error}", code="kafka.offsets-unavailable"
            ) from error
        return {TopicPartition(p.topic, p.partition): p.offset for p in found if p.offset >= 0}

    def commit(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Commit synchronously.

        Raises:
            ConnectError: if the group refuses, for example because this member was fenced.
        """
        wanted = [ClientPartition(tp.topic, tp.partition, offset) for tp, offset in offsets.items()]
        try:
            self._consumer.commit(offsets=wanted, asynchronous=False)
        except KafkaException as error:
            raise ConnectError(
                f"offsets were not committed: {error}",
                code="kafka.commit-failed",
                hint="records since the last commit will be delivered again",
            ) from error

    def seek(self, partition: TopicPartition, offset: int | None) -> None:
        """Read on from this offset, or from the beginning."""
        target = OFFSET_BEGINNING if offset is None else offset
        self._consumer.seek(ClientPartition(partition.topic, partition.partition, target))

    def pause(self, partitions: Sequence[TopicPartition]) -> None:
        """Fetch nothing from these partitions."""
        if partitions:
            self._consumer.pause(_theirs(partitions))

    def resume(self, partitions: Sequence[TopicPartition]) -> None:
        """Fetch from these partitions again."""
        if partitions:
            self._consumer.resume(_theirs(partitions))

    def close(self) -> None:
        """Leave the group."""
        self._consumer.close()

    @staticmethod
    def _judge(faulty: Sequence[KafkaMessage]) -> None:
        for message in faulty:
            error: KafkaError = message.error()  # type: ignore[attr-defined]  # client messages only
            missing = error.code() == KafkaError.UNKNOWN_TOPIC_OR_PART
            if not (error.retriable() or missing):
                raise ConnectError(
                    f"consuming failed: {error}",
                    code="kafka.consume-failed",
                    facts={"error": error.name()},
                )


def _ours(partitions: Iterable[ClientPartition]) -> list[TopicPartition]:
    return [TopicPartition(p.topic, p.partition) for p in partitions]


def _theirs(partitions: Iterable[TopicPartition]) -> list[ClientPartition]:
    return [ClientPartition(p.topic, p.partition) for p in partitions]
