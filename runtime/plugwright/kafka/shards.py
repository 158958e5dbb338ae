"""A worker's membership in its cluster, which is a consumer group over shards.

Connectors hash to the partitions of an internal topic. Kafka's group coordinator assigns every
partition to one live worker, which then announces its address to the others in that topic.
"""

from __future__ import annotations

import logging
import struct
import threading
import zlib
from typing import TYPE_CHECKING, Protocol

from confluent_kafka import Consumer, KafkaError
from confluent_kafka import TopicPartition as ClientPartition

from plugwright.errors import ConnectError
from plugwright.kafka._log import KafkaLog
from plugwright.kafka._settings import ClientOverrides, client_settings
from plugwright.kafka._timeouts import KafkaTimeouts
from plugwright.kafka.admin import Admin
from plugwright.kafka.error_codes import ErrorCategory, error_category
from plugwright.kafka.login import LoginWatch, opened
from plugwright.kafka.shard_owners import ShardOwners

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from plugwright.kafka.compacted_topic import CompactedTopic

log = logging.getLogger(__name__)

_POLL_S = 0.1
_AGAIN_S = 1.0
_METADATA = b"CGMDv2:"
_FOREIGN = frozenset(
    {KafkaError.INCONSISTENT_GROUP_PROTOCOL, KafkaError.UNSUPPORTED_VERSION},
)
_WORSE = frozenset({ErrorCategory.FATAL, ErrorCategory.CONFIGURATION})


class ShardListener(Protocol):
    """Is notified of assigned and revoked shards, on the membership's own thread."""

    def assigned(self, shards: frozenset[int]) -> None:
        """This worker owns these shards from now on."""

    def revoked(self, shards: frozenset[int]) -> None:
        """Another worker gets these shards as soon as this call returns."""

    def lost(self, shards: frozenset[int]) -> None:
        """Another worker may already own these shards."""


class ShardMembership:
    """One worker's membership in the group.

    Args:
        group: Kafka Connect's ``group.id``; joining fails while other kinds of workers use it.
        topic: the topic whose partitions are the shards; created if it does not exist.
        settings: settings of the group's member, such as ``session.timeout.ms``.
        clients: other settings of its clients.
        timeouts: limits the waits; shortened by `close`.

    Raises:
        ConfigError: if a client refuses its settings.
    """

    def __init__(  # noqa: PLR0913  # the group and where, the choices named at the call
        self,
        bootstrap_servers: str,
        group: str,
        topic: CompactedTopic,
        settings: Mapping[str, str] | None = None,
        *,
        clients: ClientOverrides | None = None,
        timeouts: KafkaTimeouts | None = None,
    ) -> None:
        self._timeouts = timeouts or KafkaTimeouts()
        self._clients = clients or ClientOverrides()
        self._bootstrap_servers = bootstrap_servers
        self._group = group
        self._topic = topic
        self._shards = 0
        self._settings = dict(settings or {})
        self._owned: frozenset[int] = frozenset()
        self._generation = 0
        self._closing = threading.Event()
        self._joined = threading.Event()
        self._failure: ConnectError | None = None
        self._thread: threading.Thread | None = None
        self._admin = Admin(bootstrap_servers, overrides=self._clients.admin)
        self._owners = ShardOwners(
            KafkaLog(
                bootstrap_servers,
                topic,
                client_id=f"{group}-shards",
                group=group,
                clients=self._clients,
                timeouts=self._timeouts,
            )
        )

    @property
    def owned(self) -> frozenset[int]:
        """The shards of this worker."""
        return self._owned

    @property
    def generation(self) -> int:
        """The group generation of the newest assignment; 0 if the client does not expose it."""
        return self._generation

    def start(self, url: str, listener: ShardListener, timeout_s: float = 60.0) -> None:
        """Join, and wait for the first assignment, which may be empty.

        Args:
            url: address of this worker's REST API, which `owner_of` returns on the others.
            listener: is notified of assigned and revoked shards.
            timeout_s: how long to wait.

        Raises:
            ConnectError: if Kafka does not let this worker in.
        """
        self._owners.start(url)
        self._shards = len(self._topic.partitions(self._admin))
        self._thread = threading.Thread(
            target=self._stay_member, args=(url, listener), name="shards", daemon=True
        )
        self._thread.start()
        if not self._joined.wait(timeout_s):
            self._failure = self._refused(f"no assignment within {timeout_s:g} s")
        if self._failure is not None:
            self.close()
            raise self._failure

    def shard_of(self, connector: str) -> int:
        """The shard that a connector belongs to, the same on every worker; -1 before the start."""
        return zlib.crc32(connector.encode()) % self._shards if self._shards else -1

    def owner_of(self, connector: str) -> str | None:
        """The address of the owner of a connector's shard, or ``None`` if it has none now."""
        return self._owners.url_of(self.shard_of(connector))

    def owners(self) -> Mapping[int, str]:
        """The addresses of the workers that have claimed each shard, by its number."""
        return self._owners.urls()

    def confirms(self, connector: str) -> bool:
        """Whether this worker owns a connector's shard, and no other one has claimed it since.

        Raises:
            ConnectError: if Kafka does not answer.
        """
        shard = self.shard_of(connector)
        return shard in self._owned and self._owners.is_own(shard)

    def close(self) -> None:
        """Leave the group; if Kafka does not answer, its session expires."""
        self._timeouts.shorten()
        self._closing.set()
        if self._thread is not None:
            self._thread.join()
        self._owners.close()

    def _stay_member(self, url: str, listener: ShardListener) -> None:
        """Stay a member until `close`; rejoin if the assigned shards could not be taken over."""
        while not self._closing.is_set() and self._failure is None:
            try:
                self._be_member(url, listener)
            except Exception as error:  # a worker without this thread would own nothing for ever
                if not self._joined.is_set():
                    self._failure = self._reported(error)
                    self._joined.set()
                unexpected = None if isinstance(error, ConnectError) else error
                log.warning("group %s: joining again: %s", self._group, error, exc_info=unexpected)
                self._closing.wait(_AGAIN_S)

    def _be_member(self, url: str, listener: ShardListener) -> None:
        watch = LoginWatch(self._member_settings(url))
        consumer = opened(Consumer, watch.settings)

        def assigned(_: Consumer, partitions: list[ClientPartition]) -> None:
            shards = _numbers(partitions)
            self._generation = generation_of(consumer.consumer_group_metadata())
            consumer.incremental_assign(partitions)
            consumer.pause(partitions)
            self._owned |= shards
            self._owners.claim(shards)
            listener.assigned(shards)
            self._joined.set()

        def give_up(shards: frozenset[int], notify: Callable[[frozenset[int]], None]) -> None:
            self._owned -= shards
            if shards:
                notify(shards)
            if self._closing.is_set():  # otherwise other workers keep calling one that has left
                self._owners.release(keep=self._owned)

        def revoked(_: Consumer, partitions: list[ClientPartition]) -> None:
            give_up(_numbers(partitions), listener.revoked)
            consumer.incremental_unassign(partitions)

        def lost(_: Consumer, partitions: list[ClientPartition]) -> None:
            give_up(_numbers(partitions), listener.lost)
            consumer.incremental_unassign(partitions)

        consumer.subscribe([self._topic.name], on_assign=assigned, on_revoke=revoked, on_lost=lost)
        try:
            while not self._closing.is_set():
                message = consumer.poll(_POLL_S)
                if message is not None and (error := message.error()) is not None:
                    self._judge(error)
                self._owners.insist(self._owned)
                if not self._joined.is_set():
                    watch.require()
        finally:
            consumer.close()
            # In the middle of a rebalance the client may not call back, and shards that were
            # revoked earlier may not have another owner yet.
            give_up(self._owned, listener.lost)

    def _member_settings(self, url: str) -> dict[str, object]:
        return {
            **client_settings(self._bootstrap_servers, url, self._clients.consumer),
            "group.id": self._group,
            "partition.assignment.strategy": "cooperative-sticky",
            "enable.auto.commit": False,
            "session.timeout.ms": 10_000,
            "heartbeat.interval.ms": 1_000,
            **self._settings,
        }

    def _judge(self, error: KafkaError) -> None:
        """Fail if joining cannot succeed; rejoin as a new member if this one is fenced."""
        log.warning("group %s: %s", self._group, error)
        category = error_category(error)
        if category in _WORSE and not self._joined.is_set():
            self._failure = self._refused(str(error), foreign=error.code() in _FOREIGN)
            self._joined.set()
        elif category is ErrorCategory.FATAL:
            raise self._refused(str(error), foreign=False)

    def _reported(self, error: Exception) -> ConnectError:
        """The error that `start` raises."""
        return error if isinstance(error, ConnectError) else self._refused(repr(error))

    def _refused(self, reason: str, *, foreign: bool = True) -> ConnectError:
        others = "stop the other kind of workers that use this group.id, or choose another one"
        own = (
            "fix the reported problem: check this worker's permissions for the group and for topic "
            f"{self._topic.name}, or its session.timeout.ms"
        )
        return ConnectError(
            f"this worker cannot join group {self._group}: {reason}",
            code="kafka.group-refused",
            hint=others if foreign else own,
            facts={"group": self._group},
        )


def generation_of(metadata: bytes | None) -> int:
    """The generation in a client's opaque group metadata; 0 if it has none."""
    if metadata is None or not metadata.startswith(_METADATA):
        return 0
    (generation,) = struct.unpack_from("=i", metadata, len(_METADATA))
    return max(0, int(generation))


def _numbers(partitions: list[ClientPartition]) -> frozenset[int]:
    return frozenset(each.partition for each in partitions)
