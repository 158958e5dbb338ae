"""A compacted topic that is read to its end and then followed, as in Kafka Connect's stores."""

from __future__ import annotations

import logging
import threading
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
from confluent_kafka.admin import OffsetSpec

from plugwright.errors import ConnectError
from plugwright.kafka._settings import ClientOverrides, client_settings, producer_settings
from plugwright.kafka._timeouts import KafkaTimeouts
from plugwright.kafka.admin import Admin
from plugwright.kafka.error_codes import may_pass
from plugwright.kafka.log_writer import LogWriter, deliver, unwritable
from plugwright.kafka.login import opened
from plugwright.retry import retried
from plugwright.worker import right_hint

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.kafka._timeouts import Wait
    from plugwright.kafka.compacted_topic import CompactedTopic
    from plugwright.worker import KafkaMessage

log = logging.getLogger(__name__)

_REQUEST_S = 15.0
_READ_S = 30.0
_POLL_S = 0.1
_CHECK_S = 0.5
"""Maximum time without an answer, after which a call checks whether the worker is stopping."""


class KafkaLog:
    """Keyed entries in a compacted topic.

    Args:
        topic: the topic; created if it does not exist.
        client_id: the client id of its clients.
        group: the client's ``group.id``, by default its client id. Nothing joins the group, but
            librdkafka looks up its coordinator, so the login must be allowed to describe it.
        clients: other settings of its clients.
        timeouts: limits the waits, also while the worker stops.

    Raises:
        ConfigError: if a client refuses its settings.
    """

    def __init__(  # noqa: PLR0913  # what it reads and where, the choices named at the call
        self,
        bootstrap_servers: str,
        topic: CompactedTopic,
        *,
        client_id: str,
        group: str = "",
        clients: ClientOverrides | None = None,
        timeouts: KafkaTimeouts | None = None,
    ) -> None:
        self._timeouts = timeouts or KafkaTimeouts()
        self._clients = clients or ClientOverrides()
        self._bootstrap_servers = bootstrap_servers
        self._topic = topic
        self._client_id = client_id
        self._group = group or client_id
        self._admin = Admin(bootstrap_servers, client_id, overrides=self._clients.admin)
        self._reached: dict[int, int] = {}
        self._moved = threading.Condition()
        self._last_error = ""
        self._closing = threading.Event()
        self._producer = self._new_producer(None)
        self._writers: dict[str, LogWriter] = {}
        self._taking = threading.Lock()
        self._consumer: Consumer | None = None
        self._thread: threading.Thread | None = None

    def start(self, apply: Callable[[str, bytes | None, int], None]) -> None:
        """Create or check the topic, read it to its end, then keep following it.

        Raises:
            ConnectError: if the topic cannot be created or read.
        """
        self._topic.require(self._bootstrap_servers, self._clients.admin)
        reading = self._clients.consumer
        self._consumer = opened(
            Consumer,
            {
                **client_settings(self._bootstrap_servers, self._client_id, reading),
                "group.id": self._group,  # required by the client; never joined
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
        wait = self._timeouts.wait(_REQUEST_S)
        try:
            retried(
                lambda: producer.init_transactions(wait.slice(_CHECK_S)),
                # The client continues in between; the next call waits for the same response.
                lambda error: _must_repeat(error) and wait.left() > 0,
                within_s=_REQUEST_S,
                pause_s=0.0,
            )
        except KafkaException as error:
            raise unwritable(self._topic.name, error.args[0]) from error
        former = self._writers.get(writer)
        self._writers[writer] = LogWriter(self._topic.name, producer, timeouts=self._timeouts)
        if former is not None:
            former.close()

    def reclaim(self, writer: str) -> None:
        """Take a transactional id again if its producer cannot write any more.

        Raises:
            ConnectError: if Kafka does not answer.
        """
        with self._taking:
            if writer not in self._writers or self._writers[writer].gone:
                self.take(writer)

    def send(self, entries: Sequence[tuple[str, bytes | None]], writer: str | None = None) -> None:
        """Append entries in order and wait until Kafka has acknowledged every one.

        Entries that several threads send at the same time are written together, except under the
        same writer, which has one transaction at a time.

        Args:
            entries: keys and values.
            writer: the transactional id for writing all entries in one transaction; it must have
                been taken with `take`. Without it any process may write.

        Raises:
            ConnectError: if they were not acknowledged, another process has taken the transactional
                id (``kafka.fenced``), or its client cannot continue (``kafka.writer-broken``).
        """
        self._send(entries, writer)

    def send_and_read(
        self, entries: Sequence[tuple[str, bytes | None]], writer: str | None = None
    ) -> None:
        """Append entries as `send` does, and wait until they and all before them were applied.

        This takes less time than `read_to_end`: the client reports the end of a topic, behind the
        marker of a transaction, only when the broker has had nothing more for some time.

        Raises:
            ConnectError: as `send` and `read_to_end` do.
        """
        self._read_up_to(self._send(entries, writer), self._timeouts.wait(_READ_S))

    def _send(
        self, entries: Sequence[tuple[str, bytes | None]], writer: str | None
    ) -> dict[int, int]:
        if writer is None:
            return deliver(self._producer, self._topic.name, entries, self._timeouts)
        return self._writers[writer].send(entries)

    def read_to_end(self, timeout_s: float = _READ_S) -> None:
        """Wait until everything that is now in the topic was applied.

        Raises:
            ConnectError: if that takes too long.
        """
        wait = self._timeouts.wait(timeout_s)
        self._read_up_to(self._ends(wait), wait)

    def _read_up_to(self, ends: Mapping[int, int], wait: Wait) -> None:
        """Wait for these offsets, but for partitions that the topic did not have at the start."""
        with self._moved:
            while any(self._reached.get(p, end) < end for p, end in ends.items()):
                if wait.left() <= 0:
                    raise self._unreadable(self._unreached(wait.timeout_s))
                self._moved.wait(wait.slice(_CHECK_S))

    def close(self) -> None:
        """Stop following and release the clients."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join()
        if self._consumer is not None:
            self._consumer.close()
        self._producer.purge()
        self._producer.flush(1)
        for writer in self._writers.values():
            writer.close()

    def _new_producer(self, writer: str | None) -> Producer:
        own = self._clients.producer
        overrides = {**own, "linger.ms": "0", "delivery.timeout.ms": "10000"}
        if writer is not None:
            overrides |= {"transactional.id": writer, "transaction.timeout.ms": "15000"}
        settings = producer_settings(self._bootstrap_servers, self._client_id, overrides)
        producer: Producer = opened(Producer, settings)
        return producer

    def _follow(self, apply: Callable[[str, bytes | None, int], None]) -> None:
        assert self._consumer is not None  # noqa: S101  # started
        while not self._closing.is_set():
            message = self._consumer.poll(_POLL_S)
            if message is None:
                continue
            error = message.error()
            if error is None:
                self._apply(message, apply)
            elif error.code() != KafkaError._PARTITION_EOF:  # noqa: SLF001  # the client's own name
                log.warning("reading topic %s: %s", self._topic.name, error)
                self._last_error = f": {error}"
                continue
            with self._moved:
                self._last_error = ""
                # The end is the next entry's offset; a transaction's marker counts as well.
                reached = message.offset() + (error is None)
                self._reached[message.partition()] = max(
                    self._reached[message.partition()], reached
                )
                self._moved.notify_all()

    def _apply(
        self, message: KafkaMessage, apply: Callable[[str, bytes | None, int], None]
    ) -> None:
        try:
            key = (message.key() or b"").decode(errors="replace")
            apply(key, message.value(), message.timestamp()[1])
        except Exception:
            # One invalid entry must not hide those after it.
            log.exception(
                "entry %s-%s@%s is ignored", message.topic(), message.partition(), message.offset()
            )

    def _ends(self, wait: Wait) -> dict[int, int]:
        """The next offset of each partition, unfinished transactions included.

        The end of finished transactions lags behind an acknowledged commit, so waiting for that
        end could miss the caller's own entries.
        """
        try:
            return retried(
                lambda: self._query_ends(wait),
                lambda error: may_pass(error) and wait.left() > 0,
                within_s=wait.timeout_s,
                pause_s=_POLL_S,
                # A new partition has no leader yet, and the client caches the old leader.
                between=lambda: self._admin.refresh(self._topic.name),
            )
        except KafkaException as error:
            raise self._unreadable(str(error)) from error

    def _query_ends(self, wait: Wait) -> dict[int, int]:
        found = self._admin.client.list_offsets(
            {ClientPartition(self._topic.name, p): OffsetSpec.latest() for p in self._reached},
            isolation_level=IsolationLevel.READ_UNCOMMITTED,
            request_timeout=_REQUEST_S,
        )
        return {
            each.partition: self._admin.answer(future, wait.left).offset
            for each, future in found.items()
        }

    def _unreached(self, timeout_s: float) -> str:
        return f"its end was not reached in {timeout_s:g} s{self._last_error}"

    def _unreadable(self, reason: str) -> ConnectError:
        return ConnectError(
            f"topic {self._topic.name} cannot be read: {reason}",
            code="kafka.unreadable",
            hint=right_hint(reason, "Read", "Topic", self._topic.name),
            facts={"topic": self._topic.name},
        )


def _must_repeat(error: Exception) -> bool:
    """Whether the client requires that the same call is repeated."""
    return isinstance(error, KafkaException) and bool(error.args[0].retriable())
