"""The committed offsets of a sink connector's consumer group, while nobody is in it (KIP-875)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NoReturn

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaError, KafkaException
from confluent_kafka import TopicPartition as ClientPartition

from plugwright.errors import ConnectError
from plugwright.kafka._admin import Admin
from plugwright.record import TopicPartition

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from concurrent.futures import Future

    from confluent_kafka.admin import AdminClient

__all__ = ["GroupOffsets"]

_REQUEST_S = 15.0
_UNKNOWN = frozenset({KafkaError.GROUP_ID_NOT_FOUND})
_UNREADY = frozenset(
    {
        KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
        KafkaError.COORDINATOR_NOT_AVAILABLE,
        KafkaError.NOT_COORDINATOR,
    }
)
_UNREADY_WAIT_S = 0.1
_IN_USE = frozenset({KafkaError.NON_EMPTY_GROUP, KafkaError.UNKNOWN_MEMBER_ID})


class GroupOffsets:
    """Reads and changes the offsets of one group.

    Args:
        group: its id.
        overrides: settings for the client, in Kafka's property names.
    """

    def __init__(
        self, bootstrap_servers: str, group: str, overrides: Mapping[str, str] | None = None
    ) -> None:
        self._group = group
        self._overrides = overrides
        self._bootstrap_servers = bootstrap_servers

    def read(self) -> Mapping[TopicPartition, int]:
        """The committed offsets, sorted by partition; none for a group that does not exist.

        Raises:
            ConnectError: if Kafka does not tell.
        """
        return {home: offset for home, (offset, _) in self.noted().items()}

    def noted(self) -> Mapping[TopicPartition, tuple[int, str]]:
        """The same, each with the note (Kafka's metadata) that was left with it.

        Raises:
            ConnectError: if Kafka does not tell.
        """
        asked = ConsumerGroupTopicPartitions(self._group)
        try:
            answer = self._ask(
                lambda admin: admin.list_consumer_group_offsets([asked], request_timeout=_REQUEST_S)
            )
            found = answer.topic_partitions
        except KafkaException as error:
            if error.args[0].code() in _UNKNOWN:
                return {}
            self._fail("read", error)
        offsets = {
            TopicPartition(p.topic, p.partition): (p.offset, p.metadata or "")
            for p in found
            if p.offset >= 0
        }
        return dict(sorted(offsets.items()))

    def alter(self, changes: Mapping[TopicPartition, int | None]) -> None:
        """Set offsets, or forget those that are ``None``.

        Forgetting some means to delete the group and to commit the others anew, because the client
        cannot delete single offsets; a crash in between makes the connector read those again.

        Raises:
            ConnectError: if the group is in use, or a partition does not exist.
        """
        wanted = {place: offset for place, offset in changes.items() if offset is not None}
        if len(wanted) < len(changes):
            kept = {place: offset for place, offset in self.read().items() if place not in changes}
            self.reset()
            wanted = kept | wanted
        if wanted:
            self.commit(wanted)

    def reset(self) -> None:
        """Forget all offsets.

        Raises:
            ConnectError: if the group is in use.
        """
        try:
            self._ask(
                lambda admin: admin.delete_consumer_groups(
                    [self._group], request_timeout=_REQUEST_S
                )
            )
        except KafkaException as error:
            if error.args[0].code() not in _UNKNOWN:
                self._fail("reset", error)

    def commit(self, offsets: Mapping[TopicPartition, int], note: str = "") -> None:
        """Set offsets, with a note (Kafka's metadata) on each.

        Raises:
            ConnectError: if the group is in use, or a partition does not exist.
        """
        places = [
            ClientPartition(p.topic, p.partition, offset, note) for p, offset in offsets.items()
        ]
        asked = ConsumerGroupTopicPartitions(self._group, places)
        try:
            done = self._ask(
                lambda admin: admin.alter_consumer_group_offsets(
                    [asked], request_timeout=_REQUEST_S
                )
            )
        except KafkaException as error:
            self._fail("altered", error)
        for place in done.topic_partitions:
            if place.error is not None:
                self._fail(f"altered for {place.topic}-{place.partition}", place.error)

    def _ask(self, request: Callable[[AdminClient], Mapping[str, Future[Any]]]) -> Any:
        """The answer to a request, asked as soon as the group's coordinator is ready.

        Describing the group comes first: the client crashes the whole process if a request about
        offsets is answered by a coordinator that is still loading (librdkafka 2.16).
        """
        admin = Admin(self._bootstrap_servers, overrides=self._overrides)
        deadline = time.monotonic() + _REQUEST_S
        while True:
            try:
                described = admin.client.describe_consumer_groups(
                    [self._group], request_timeout=_REQUEST_S
                )
                admin.answer(described[self._group])
                return admin.answer(request(admin.client)[self._group])
            except KafkaException as error:
                if error.args[0].code() not in _UNREADY or time.monotonic() > deadline:
                    raise
                time.sleep(_UNREADY_WAIT_S)

    def _fail(self, what: str, reason: object) -> NoReturn:
        error = reason.args[0] if isinstance(reason, KafkaException) else reason
        in_use = isinstance(error, KafkaError) and error.code() in _IN_USE
        raise ConnectError(
            f"offsets of consumer group {self._group} cannot be {what}: {error}",
            code="kafka.group-in-use" if in_use else "kafka.group-offsets",
            hint="wait until the connector's tasks have left the group" if in_use else "",
            facts={"group": self._group},
        )
