"""Creates topics and reads them to their end."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    KafkaError,
    KafkaException,
    Producer,
    TopicCollection,
)
from confluent_kafka import TopicPartition as ClientPartition
from confluent_kafka.admin import NewTopic

from plugwright.errors import ConnectError, RetriableError, SetupError
from plugwright.kafka._settings import client_settings, producer_settings
from plugwright.kafka.admin import Admin, topic_metadata
from plugwright.kafka.error_codes import is_of_unused_group, may_pass, passes
from plugwright.kafka.login import LoginWatch, opened
from plugwright.retry import retried
from plugwright.worker import right_hint

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plugwright.worker import KafkaMessage

_ADMIN_TIMEOUT_S = 15.0
_LEADERLESS_WAIT_S = 0.05
_POLL_S = 0.1
_DESCRIBE = "Describe (which Read and Write include)"


def create_topic(  # noqa: PLR0913  # a topic has that many properties
    bootstrap_servers: str,
    topic: str,
    *,
    partitions: int = 1,
    replication_factor: int = -1,
    config: Mapping[str, str] | None = None,
    overrides: Mapping[str, str] | None = None,
) -> bool:
    """Create a topic; returns whether it is new. ``-1`` means the broker's default.

    ``overrides`` are settings for the client, in Kafka's property names.

    Raises:
        RetriableError: if the broker does not answer in time.
        ConnectError: if the broker refuses, or refuses the client's login.
    """
    wanted = NewTopic(topic, partitions, replication_factor, config=dict(config or {}))
    try:
        with Admin(bootstrap_servers, overrides=overrides) as admin:
            futures = admin.client.create_topics([wanted], request_timeout=_ADMIN_TIMEOUT_S)
            admin.answer(futures[topic])
    except KafkaException as error:
        reason = error.args[0]
        if reason.code() == KafkaError.TOPIC_ALREADY_EXISTS:
            return False
        kind = RetriableError if passes(reason) else ConnectError
        raise kind(
            f"topic {topic} cannot be created: {error}",
            code="kafka.topic-not-created",
            hint=right_hint(error, "Create", "Topic", topic),
            facts={"topic": topic},
        ) from error
    return True


def topic_exists(
    bootstrap_servers: str, topic: str, *, overrides: Mapping[str, str] | None = None
) -> bool:
    """Whether a topic exists, without creating it.

    Raises:
        RetriableError: if the broker does not answer in time.
        ConnectError: if the broker refuses.
    """
    wanted = TopicCollection([topic])
    try:
        with Admin(bootstrap_servers, overrides=overrides) as admin:
            futures = admin.client.describe_topics(wanted, request_timeout=_ADMIN_TIMEOUT_S)
            admin.answer(futures[topic])
    except KafkaException as error:
        reason = error.args[0]
        if reason.code() == KafkaError.UNKNOWN_TOPIC_OR_PART:
            return False
        kind = RetriableError if passes(reason) else ConnectError
        raise kind(
            f"topic {topic} cannot be looked up: {error}",
            code="kafka.topics-unavailable",
            hint=right_hint(error, _DESCRIBE, "Topic", topic),
            facts={"topic": topic},
        ) from error
    return True


def cluster_id(bootstrap_servers: str, *, overrides: Mapping[str, str] | None = None) -> str:
    """The id of the Kafka cluster.

    ``overrides`` are settings for the client, in Kafka's property names.

    Raises:
        SetupError: if the cluster does not answer in time.
        ConnectError: if it refuses the client's login.
        ConfigError: if the client refuses its settings.
    """
    try:
        with Admin(bootstrap_servers, overrides=overrides) as admin:
            future = admin.client.describe_cluster(request_timeout=_ADMIN_TIMEOUT_S)
            return str(admin.answer(future).cluster_id)
    except KafkaException as error:
        raise SetupError(
            f"Kafka at {bootstrap_servers} does not answer: {error.args[0].str()}",
            code="environment.kafka-unreachable",
            hint="start the broker, or correct bootstrap.servers, or security.protocol",
            facts={"bootstrap.servers": bootstrap_servers},
        ) from error


def end_offsets(bootstrap_servers: str, topic: str) -> Mapping[int, int]:
    """The offset after the last record of each partition, for uncommitted reads; may be empty."""
    consumer, watch = _reader(bootstrap_servers)
    try:
        return {p: _watermarks(consumer, topic, p)[1] for p in _partitions(consumer, watch, topic)}
    finally:
        consumer.close()


def read_topic(
    bootstrap_servers: str,
    topic: str,
    *,
    timeout_s: float = 30.0,
    overrides: Mapping[str, str] | None = None,
) -> Iterator[KafkaMessage]:
    """All committed records of a topic up to its current end, in order within each partition.

    ``overrides`` are settings for the client, in Kafka's property names.

    Raises:
        ConnectError: if the end is not reached in time, or Kafka refuses the client's login.
    """
    consumer, watch = _reader(bootstrap_servers, overrides)
    try:
        yield from _read(consumer, watch, topic, time.monotonic() + timeout_s)
    finally:
        consumer.close()


class TopicWriter:
    """Appends values to topics without a connector, spread evenly over their partitions."""

    def __init__(self, bootstrap_servers: str) -> None:
        self._producer = Producer(producer_settings(bootstrap_servers, "plugwright-writer", {}))
        self._partitions: dict[str, int] = {}
        self._refusals: list[object] = []
        self._written = 0

    def write(
        self,
        topic: str,
        values: Sequence[bytes],
        *,
        keyed: bool = False,
        timeout_s: float = 60.0,
    ) -> None:
        """Append values and wait until all of them are acknowledged.

        Args:
            topic: to append them to.
            values: of the records.
            keyed: whether each record has a key of its own, or none has one.
            timeout_s: how long to wait.

        Raises:
            ConnectError: if one of them was refused or not acknowledged in time.
        """
        partitions = self._partitions_of(topic)
        for value in values:
            self._written += 1
            key = f"key {self._written}".encode() if keyed else None
            self._produce(topic, value, key, self._written % partitions)
        unacknowledged = self._producer.flush(timeout_s)
        if unacknowledged or self._refusals:
            reason = self._refusals or f"{unacknowledged} not acknowledged in time"
            raise ConnectError(
                f"topic {topic} cannot be written: {reason}",
                code="kafka.unwritable",
                facts={"topic": topic},
            )

    def _partitions_of(self, topic: str) -> int:
        """The number of partitions; waits until the brokers report those of a new topic."""
        deadline = time.monotonic() + _ADMIN_TIMEOUT_S
        while topic not in self._partitions:
            metadata = self._producer.list_topics(topic, _ADMIN_TIMEOUT_S).topics[topic]
            if metadata.partitions:
                self._partitions[topic] = len(metadata.partitions)
            elif time.monotonic() > deadline:
                raise ConnectError(
                    f"topic {topic} has no partitions: {metadata.error}",
                    code="kafka.no-topic",
                    facts={"topic": topic},
                )
            else:
                time.sleep(_LEADERLESS_WAIT_S)
        return self._partitions[topic]

    def _produce(self, topic: str, value: bytes, key: bytes | None, partition: int) -> None:
        while True:
            try:
                self._producer.produce(
                    topic, value, key, partition=partition, on_delivery=self._delivered
                )
            except BufferError:
                self._producer.poll(0.05)
            else:
                return

    def _delivered(self, error: object | None, _: object) -> None:
        if error is not None:
            self._refusals.append(error)


def _read(
    consumer: Consumer, watch: LoginWatch, topic: str, deadline: float
) -> Iterator[KafkaMessage]:
    ends = _unread(consumer, watch, topic)
    consumer.assign([ClientPartition(topic, p, OFFSET_BEGINNING) for p in ends])
    while ends:
        for message in _fetched(consumer):
            partition, error = message.partition(), message.error()
            if error is None:
                end = ends.get(partition, 0)
                if message.offset() < end:
                    yield message
                # The client reports an end only if no process appends, so offsets are checked too.
                if message.offset() >= end - 1:
                    ends.pop(partition, None)
            elif error.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001  # the client's own name
                ends.pop(partition, None)
            elif not passes(error) and not is_of_unused_group(error):
                raise ConnectError(
                    f"topic {topic} cannot be read: {error}",
                    code="kafka.unreadable",
                    hint=right_hint(error, "Read", "Topic", topic),
                    facts={"topic": topic},
                )
        if ends and time.monotonic() > deadline:
            raise ConnectError(
                f"the end of topic {topic} was not reached in time",
                code="kafka.unreadable",
                facts={"topic": topic},
            )


def _fetched(consumer: Consumer) -> Sequence[Any]:
    """The fetched messages; waits only for the first one, not for a whole batch."""
    first = consumer.poll(_POLL_S)
    return [] if first is None else [first, *consumer.consume(499, 0)]


def _unread(consumer: Consumer, watch: LoginWatch, topic: str) -> dict[int, int]:
    """The current ends of the partitions that are not empty."""
    ends = {}
    for partition in _partitions(consumer, watch, topic):
        low, high = _watermarks(consumer, topic, partition)
        if high > low:
            ends[partition] = high
    return ends


def _watermarks(consumer: Consumer, topic: str, partition: int) -> tuple[int, int]:
    """The first and the next offset; retries while a new partition has no leader yet."""
    low, high = retried(
        lambda: consumer.get_watermark_offsets(ClientPartition(topic, partition), _ADMIN_TIMEOUT_S),
        may_pass,
        within_s=_ADMIN_TIMEOUT_S,
        pause_s=_LEADERLESS_WAIT_S,
    )
    return low, high


def _partitions(consumer: Consumer, watch: LoginWatch, topic: str) -> list[int]:
    metadata = topic_metadata(consumer, watch, topic, _ADMIN_TIMEOUT_S)
    return sorted(metadata.topics[topic].partitions)


def _reader(
    bootstrap_servers: str, overrides: Mapping[str, str] | None = None
) -> tuple[Consumer, LoginWatch]:
    watch = LoginWatch(
        {
            **client_settings(bootstrap_servers, "plugwright-reader", overrides),
            "group.id": "plugwright-reader",  # required by the client; never joined
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
            "enable.partition.eof": True,
            "isolation.level": "read_committed",
            "fetch.queue.backoff.ms": 10,
            # A transaction ends with a marker that readers do not see. The client reports the end
            # only after an empty fetch, which takes half a second by default.
            "fetch.wait.max.ms": 10,
            "allow.auto.create.topics": False,
        }
    )
    return opened(Consumer, watch.settings), watch
