"""Membership of a worker in its cluster, as an ordinary consumer group over shards.

Connectors hash to the partitions of an internal topic that holds nothing; Kafka's group
coordinator gives every partition to one live worker. Members call themselves by the address of
their REST API, so that the group itself tells who answers for a shard. No further protocol.
"""

from __future__ import annotations

import logging
import struct
import threading
import time
import zlib
from typing import TYPE_CHECKING, Protocol

from confluent_kafka import Consumer, KafkaError, KafkaException
from confluent_kafka import TopicPartition as ClientPartition

from plugwright.errors import ConnectError
from plugwright.kafka._admin import Admin
from plugwright.kafka._login import LoginWatch, opened
from plugwright.kafka._settings import ClientOverrides, client_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.kafka._log import CompactedTopic

__all__ = ["ShardListener", "ShardMembership"]

log = logging.getLogger(__name__)

_POLL_S = 0.1
_REQUEST_S = 10.0
_FRESH_S = 1.0
_AGAIN_S = 1.0
_METADATA = b"CGMDv2:"
_FOREIGN = frozenset(
    {KafkaError.INCONSISTENT_GROUP_PROTOCOL, KafkaError.UNSUPPORTED_VERSION},
)


class ShardListener(Protocol):
    """Hears which shards come and go, on the membership's own thread."""

    def assigned(self, shards: frozenset[int]) -> None:
        """These shards are this worker's from now on."""

    def revoked(self, shards: frozenset[int]) -> None:
        """Another worker gets these shards as soon as this call returns."""

    def lost(self, shards: frozenset[int]) -> None:
        """Another worker may have these shards already."""


class ShardMembership:
    """One worker's place in the group.

    Args:
        group: Kafka Connect's ``group.id``; while workers of another kind use it, joining fails.
        topic: the topic whose partitions are the shards; made if it does not exist.
        settings: of the group's member, such as ``session.timeout.ms``.
        clients: further settings of its clients.

    Raises:
        ConfigError: if a client refuses its settings.
    """

    def __init__(
        self,
        bootstrap_servers: str,
        group: str,
        topic: CompactedTopic,
        settings: Mapping[str, str] | None = None,
        *,
        clients: ClientOverrides | None = None,
    ) -> None:
        self._clients = clients or ClientOverrides()
        self._bootstrap_servers = bootstrap_servers
        self._group = group
        self._topic = topic
        self._shards = 0
        self._settings = dict(settings or {})
        self._owned: frozenset[int] = frozenset()
        self._generation = 0
        self._owners: dict[int, str] = {}
        self._owners_at = -_FRESH_S
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._joined = threading.Event()
        self._failure: ConnectError | None = None
        self._thread: threading.Thread | None = None
        self._admin = Admin(bootstrap_servers, overrides=self._clients.admin)

    @property
    def owned(self) -> frozenset[int]:
        """The shards of this worker."""
        return self._owned

    @property
    def generation(self) -> int:
        """The group's generation that brought the newest shards; 0 where the client hides it."""
        return self._generation

    def start(self, url: str, listener: ShardListener, timeout_s: float = 60.0) -> None:
        """Join, and wait for the first assignment, which may be empty.

        Args:
            url: address of this worker's REST API, which `owner_of` tells the others.
            listener: hears which shards come and go.
            timeout_s: how long to wait.

        Raises:
            ConnectError: if Kafka does not let this worker in.
        """
        self._topic.require(self._bootstrap_servers, self._clients.admin)
        self._shards = len(self._topic.partitions(self._admin))
        self._thread = threading.Thread(
            target=self._take_part, args=(url, listener), name="shards", daemon=True
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
        """Address of the worker that has a connector's shard, or ``None`` if nobody has it now.

        Raises:
            ConnectError: if Kafka does not tell.
        """
        with self._lock:
            if time.monotonic() - self._owners_at > _FRESH_S:
                self._owners = self._described()
                self._owners_at = time.monotonic()
            return self._owners.get(self.shard_of(connector))

    def close(self) -> None:
        """Leave the group."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join()

    def _take_part(self, url: str, listener: ShardListener) -> None:
        """Be a member until the end; one that could not take up its shards joins anew."""
        while not self._closing.is_set() and self._failure is None:
            try:
                self._be_member(url, listener)
            except ConnectError as error:
                if not self._joined.is_set():
                    self._failure = error
                    self._joined.set()
                log.warning("group %s: joining again: %s", self._group, error)
                self._closing.wait(_AGAIN_S)

    def _be_member(self, url: str, listener: ShardListener) -> None:
        watch = LoginWatch(
            {
                **client_settings(self._bootstrap_servers, url, self._clients.consumer),
                "group.id": self._group,
                "partition.assignment.strategy": "cooperative-sticky",
                "enable.auto.commit": False,
                "session.timeout.ms": 10_000,
                "heartbeat.interval.ms": 1_000,
                **self._settings,
            }
        )
        consumer = opened(Consumer, watch.settings)

        def assigned(_: Consumer, partitions: list[ClientPartition]) -> None:
            shards = _numbers(partitions)
            self._generation = generation_of(consumer.consumer_group_metadata())
            consumer.incremental_assign(partitions)
            consumer.pause(partitions)
            self._owned |= shards
            self._forget_owners()
            listener.assigned(shards)
            self._joined.set()

        def revoked(_: Consumer, partitions: list[ClientPartition]) -> None:
            shards = _numbers(partitions)
            self._owned -= shards
            self._forget_owners()
            listener.revoked(shards)
            consumer.incremental_unassign(partitions)

        def lost(_: Consumer, partitions: list[ClientPartition]) -> None:
            shards = _numbers(partitions)
            self._owned -= shards
            self._forget_owners()
            listener.lost(shards)
            consumer.incremental_unassign(partitions)

        consumer.subscribe([self._topic.name], on_assign=assigned, on_revoke=revoked, on_lost=lost)
        try:
            while not self._closing.is_set():
                message = consumer.poll(_POLL_S)
                if message is not None and (error := message.error()) is not None:
                    self._judge(error)
                if not self._joined.is_set():
                    watch.require()
        finally:
            consumer.close()

    def _judge(self, error: KafkaError) -> None:
        log.warning("group %s: %s", self._group, error)
        if error.code() in _FOREIGN and not self._joined.is_set():
            self._failure = self._refused(str(error))
            self._joined.set()

    def _forget_owners(self) -> None:
        self._owners_at = -_FRESH_S

    def _described(self) -> dict[int, str]:
        try:
            asked = self._admin.client.describe_consumer_groups(
                [self._group], request_timeout=_REQUEST_S
            )
            group = self._admin.answer(asked[self._group])
        except KafkaException as error:
            raise ConnectError(
                f"the members of group {self._group} are not known: {error}",
                code="kafka.group-unavailable",
                facts={"group": self._group},
            ) from error
        return {
            place.partition: member.client_id
            for member in group.members
            for place in member.assignment.topic_partitions
        }

    def _refused(self, reason: str) -> ConnectError:
        return ConnectError(
            f"this worker cannot join group {self._group}: {reason}",
            code="kafka.group-refused",
            hint="stop the workers of another kind that use this group.id, or choose another one",
            facts={"group": self._group},
        )


def generation_of(metadata: bytes | None) -> int:
    """The generation in a client's opaque description of its membership; 0 if it is not there."""
    if metadata is None or not metadata.startswith(_METADATA):
        return 0
    (generation,) = struct.unpack_from("=i", metadata, len(_METADATA))
    return max(0, int(generation))


def _numbers(partitions: list[ClientPartition]) -> frozenset[int]:
    return frozenset(place.partition for place in partitions)
