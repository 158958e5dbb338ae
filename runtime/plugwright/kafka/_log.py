"""A compacted topic, read to its end and then followed, as Kafka Connect's stores use them."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    IsolationLevel,
    KafkaError,
    KafkaException,
    Producer,
)
from confluent_kafka import TopicPartition as ClientPartition
from confluent_kafka.admin import ConfigResource, OffsetSpec, ResourceType

from plugwright.errors import ConfigError, ConnectError
from plugwright.kafka._admin import Admin
from plugwright.kafka._login import opened
from plugwright.kafka._settings import ClientOverrides, client_settings, producer_settings
from plugwright.kafka._topics import LEADERLESS, create_topic

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.worker import KafkaMessage

__all__ = ["CompactedTopic", "KafkaLog"]

log = logging.getLogger(__name__)

_REQUEST_S = 15.0
_POLL_S = 0.1


class CompactedTopic:
    """Name and shape of an internal topic.

    Args:
        name: of the topic.
        partitions: how many it is created with; ``-1`` is the broker's default.
        replication_factor: how it is created; ``-1`` is the broker's default.
        settings: further topic settings for its creation.
        single: whether it must have one partition only, as the configs topic does.
    """

    def __init__(
        self,
        name: str,
        *,
        partitions: int = 1,
        replication_factor: int = -1,
        settings: Mapping[str, str] | None = None,
        single: bool = False,
    ) -> None:
        self.name = name
        self._partitions = partitions
        self._replication_factor = replication_factor
        self._settings = {**(settings or {}), "cleanup.policy": "compact"}
        self._single = single

    def require(self, bootstrap_servers: str, overrides: Mapping[str, str] | None = None) -> None:
        """Make the topic, or insist that the one that is there can keep state.

        ``overrides`` are settings for the client, in Kafka's property names.

        Raises:
            ConnectError: if the broker refuses to make it or to tell.
            ConfigError: if the topic that is there is not compacted, or has too many partitions.
        """
        made = create_topic(
            bootstrap_servers,
            self.name,
            partitions=self._partitions,
            replication_factor=self._replication_factor,
            config=self._settings,
            overrides=overrides,
        )
        if not made:
            admin = Admin(bootstrap_servers, overrides=overrides)
            self._require_compacted(admin)
            self._require_single(admin)

    def partitions(self, admin: Admin) -> Sequence[int]:
        """The numbers of its partitions; a fresh topic shows them only after a moment.

        Raises:
            ConnectError: if there are none to be seen.
        """
        deadline = time.monotonic() + _REQUEST_S
        while True:
            found = admin.list_topics(self.name, _REQUEST_S).topics[self.name]
            if found.partitions:
                return sorted(found.partitions)
            if time.monotonic() > deadline:
                raise ConnectError(
                    f"topic {self.name} shows no partitions: {found.error}",
                    code="kafka.unreadable",
                    facts={"topic": self.name},
                )
            time.sleep(_POLL_S)

    def _require_compacted(self, admin: Admin) -> None:
        resource = ConfigResource(ResourceType.TOPIC, self.name)
        try:
            asked = admin.client.describe_configs([resource], request_timeout=_REQUEST_S)
            policy = str(admin.answer(asked[resource])["cleanup.policy"].value)
        except KafkaException as error:
            log.warning("cleanup.policy of topic %s cannot be read: %s", self.name, error)
            return
        if policy != "compact":
            raise ConfigError(
                f"topic {self.name} has cleanup.policy={policy}, but must have cleanup.policy="
                "compact, or it would forget what the worker keeps in it",
                code="kafka.topic-not-compacted",
                hint=f"kafka-configs --alter --entity-type topics --entity-name {self.name} "
                "--add-config cleanup.policy=compact",
                facts={"topic": self.name, "cleanup.policy": policy},
            )

    def _require_single(self, admin: Admin) -> None:
        partitions = len(self.partitions(admin))
        if self._single and partitions != 1:
            raise ConfigError(
                f"topic {self.name} must have a single partition so that its entries have one "
                f"order, but has {partitions}",
                code="kafka.topic-partitions",
                hint="name another topic",
                facts={"topic": self.name, "partitions": partitions},
            )


@dataclass(frozen=True, slots=True)
class _Writer:
    """A transactional producer, for one transaction at a time."""

    producer: Producer
    lock: threading.Lock


class KafkaLog:
    """Keyed entries in a compacted topic.

    Args:
        topic: where they are; made if it does not exist.
        client_id: what the clients call themselves.
        clients: further settings of theirs.

    Raises:
        ConfigError: if a client refuses its settings.
    """

    def __init__(
        self,
        bootstrap_servers: str,
        topic: CompactedTopic,
        *,
        client_id: str,
        clients: ClientOverrides | None = None,
    ) -> None:
        self._clients = clients or ClientOverrides()
        self._bootstrap_servers = bootstrap_servers
        self._topic = topic
        self._client_id = client_id
        self._admin = Admin(bootstrap_servers, client_id, overrides=self._clients.admin)
        self._reached: dict[int, int] = {}
        self._moved = threading.Condition()
        self._closing = threading.Event()
        self._producer = self._new_producer(None)
        self._writers: dict[str, _Writer] = {}
        self._consumer: Consumer | None = None
        self._thread: threading.Thread | None = None

    def start(self, apply: Callable[[str, bytes | None], None]) -> None:
        """Make or check the topic, read it to its end, then go on following it.

        Raises:
            ConnectError: if the topic cannot be made or read.
        """
        self._topic.require(self._bootstrap_servers, self._clients.admin)
        reading = self._clients.consumer
        self._consumer = opened(
            Consumer,
            {
                **client_settings(self._bootstrap_servers, self._client_id, reading),
                "group.id": self._client_id,  # required by the client; never joined
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "enable.partition.eof": True,
                "isolation.level": "read_committed",
                "fetch.queue.backoff.ms": 10,
                "fetch.wait.max.ms": 50,
            },
        )
        partitions = self._topic.partitions(self._admin)
        self._consumer.assign(
            [ClientPartition(self._topic.name, p, OFFSET_BEGINNING) for p in partitions]
        )
        self._reached = dict.fromkeys(partitions, 0)
        self._thread = threading.Thread(
            target=self._follow, args=(apply,), name=f"log-{self._topic.name}", daemon=True
        )
        self._thread.start()
        self.read_to_end()

    def take(self, writer: str) -> None:
        """Become the only process that writes under this transactional id.

        Raises:
            ConnectError: if Kafka does not answer.
        """
        producer = self._new_producer(writer)
        try:
            producer.init_transactions(_REQUEST_S)
        except KafkaException as error:
            raise self._refused(error.args[0]) from error
        self._writers[writer] = _Writer(producer, threading.Lock())

    def send(self, entries: Sequence[tuple[str, bytes | None]], writer: str | None = None) -> None:
        """Append entries in order and wait until Kafka has acknowledged every one.

        What several threads send at the same time goes out together, but for what goes under the
        same writer, which has one transaction at a time.

        Args:
            entries: keys and values.
            writer: the transactional id to write under, all entries in one transaction; it has to
                have been taken. Without it anybody may write.

        Raises:
            ConnectError: if they were not acknowledged, or another process has taken the writer's
                place (``kafka.fenced``).
        """
        try:
            if writer is None:
                self._send(self._producer, entries)
            else:
                self._send_together(self._writers[writer], entries)
        except KafkaException as error:
            raise self._refused(error.args[0]) from error
        except SystemError as error:
            # The client raises a fatal error within the delivery callback that runs then.
            cause = error.__cause__
            raise self._refused(cause.args[0] if cause and cause.args else error) from error

    def read_to_end(self, timeout_s: float = 30.0) -> None:
        """Wait until everything that is in the topic by now was applied.

        Raises:
            ConnectError: if that takes too long.
        """
        deadline = time.monotonic() + timeout_s
        ends = self._ends(deadline)
        with self._moved:
            while any(self._reached[p] < end for p, end in ends.items()):
                left = deadline - time.monotonic()
                if left <= 0 or not self._moved.wait(left):
                    raise self._unreadable(f"its end was not reached within {timeout_s:g} s")

    def close(self) -> None:
        """Stop following and release the clients."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join()
        if self._consumer is not None:
            self._consumer.close()
        for producer in (self._producer, *(each.producer for each in self._writers.values())):
            producer.purge()
            producer.flush(1)

    def _new_producer(self, writer: str | None) -> Producer:
        own = self._clients.producer
        overrides = {**own, "linger.ms": "0", "delivery.timeout.ms": "10000"}
        if writer is not None:
            overrides |= {"transactional.id": writer, "transaction.timeout.ms": "15000"}
        settings = producer_settings(self._bootstrap_servers, self._client_id, overrides)
        producer: Producer = opened(Producer, settings)
        return producer

    def _send_together(self, writer: _Writer, entries: Sequence[tuple[str, bytes | None]]) -> None:
        """Send entries in one transaction."""
        with writer.lock:
            writer.producer.begin_transaction()
            try:
                self._send(writer.producer, entries)
            except ConnectError:
                writer.producer.abort_transaction(_REQUEST_S)
                raise
            writer.producer.commit_transaction(_REQUEST_S)

    def _send(self, producer: Producer, entries: Sequence[tuple[str, bytes | None]]) -> None:
        refusals: list[KafkaError] = []
        for key, value in entries:
            producer.produce(
                self._topic.name,
                value,
                key.encode(),
                on_delivery=lambda error, _: refusals.append(error) if error else None,
            )
        left = producer.flush(_REQUEST_S)
        if refusals or left:
            raise self._refused(
                refusals[0] if refusals else f"{left} entries not acknowledged in time"
            )

    def _follow(self, apply: Callable[[str, bytes | None], None]) -> None:
        assert self._consumer is not None  # noqa: S101  # started
        while not self._closing.is_set():
            message = self._consumer.poll(_POLL_S)
            if message is None:
                continue
            error = message.error()
            if error is None:
                self._take(message, apply)
            elif error.code() != KafkaError._PARTITION_EOF:  # noqa: SLF001  # the client's own name
                log.warning("reading topic %s: %s", self._topic.name, error)
                continue
            with self._moved:
                # The end is where the next entry goes; a marker of a transaction counts as well.
                reached = message.offset() + (error is None)
                self._reached[message.partition()] = max(
                    self._reached[message.partition()], reached
                )
                self._moved.notify_all()

    def _take(self, message: KafkaMessage, apply: Callable[[str, bytes | None], None]) -> None:
        try:
            apply((message.key() or b"").decode(errors="replace"), message.value())
        except Exception:
            # One entry that cannot be understood must not hide those after it.
            log.exception(
                "entry %s-%s@%s is ignored", message.topic(), message.partition(), message.offset()
            )

    def _ends(self, deadline: float) -> dict[int, int]:
        """Where the next entry of each partition goes, unfinished transactions included.

        The end of the finished ones lags behind a commit that was acknowledged, so that waiting for
        it could miss the caller's own entries.
        """
        wanted = {ClientPartition(self._topic.name, p): OffsetSpec.latest() for p in self._reached}
        while True:
            found = self._admin.client.list_offsets(
                wanted, isolation_level=IsolationLevel.READ_UNCOMMITTED, request_timeout=_REQUEST_S
            )
            try:
                return {p.partition: self._admin.answer(each).offset for p, each in found.items()}
            except KafkaException as error:
                # A fresh partition has no leader yet.
                if error.args[0].code() not in LEADERLESS or time.monotonic() > deadline:
                    raise self._unreadable(str(error)) from error
                time.sleep(_POLL_S)

    def _refused(self, reason: object) -> ConnectError:
        fenced = isinstance(reason, KafkaError) and (
            reason.fatal() or reason.code() in {KafkaError._FENCED, KafkaError.PRODUCER_FENCED}  # noqa: SLF001
        )
        return ConnectError(
            f"topic {self._topic.name} cannot be written: {reason}",
            code="kafka.fenced" if fenced else "kafka.unwritable",
            hint="another process has taken over; join the group again" if fenced else "",
            facts={"topic": self._topic.name},
        )

    def _unreadable(self, reason: str) -> ConnectError:
        return ConnectError(
            f"topic {self._topic.name} cannot be read: {reason}",
            code="kafka.unreadable",
            facts={"topic": self._topic.name},
        )
