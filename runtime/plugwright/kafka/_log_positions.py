"""The first and last offsets of topics, for a reader without a group."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from confluent_kafka import IsolationLevel, KafkaError, KafkaException, TopicCollection
from confluent_kafka import TopicPartition as ClientPartition
from confluent_kafka.admin import OffsetSpec

from plugwright.errors import ConnectError
from plugwright.kafka.admin import Admin
from plugwright.kafka.error_codes import may_pass
from plugwright.record import TopicPartition
from plugwright.retry import retried

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.kafka._topic_pattern import TopicPattern

_REQUEST_S = 15.0
_REFRESH_S = 5.0
_RETRY_S = 0.1
_ISOLATION = "isolation.level"


@dataclass(frozen=True, slots=True)
class Subscription:
    """The topics to read; exactly one attribute is set.

    Attributes:
        topics: names of topics.
        pattern: a regular expression for whole topic names.
        assigned: partitions.
    """

    topics: tuple[str, ...] = ()
    pattern: TopicPattern | None = None
    assigned: tuple[TopicPartition, ...] = ()


class LogPositions:
    """Queries Kafka for the first and last offsets of partitions.

    Args:
        bootstrap_servers: the address of Kafka.
        subscription: the topics.
        overrides: settings for the client, in Kafka's property names. Ends are those of committed
            records unless these settings say otherwise.
        clock: seconds that only go forward.
    """

    def __init__(
        self,
        bootstrap_servers: str,
        subscription: Subscription,
        overrides: Mapping[str, str],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        own = {key: value for key, value in overrides.items() if key != _ISOLATION}
        self._admin = Admin(bootstrap_servers, "plugwright-log-positions", overrides=own)
        self._subscription = subscription
        uncommitted = overrides.get(_ISOLATION) == "read_uncommitted"
        self._isolation = (
            IsolationLevel.READ_UNCOMMITTED if uncommitted else IsolationLevel.READ_COMMITTED
        )
        self._clock = clock
        self._known: list[TopicPartition] = []
        self._known_until = -1.0

    def partitions(self, *, afresh: bool = True) -> Sequence[TopicPartition]:
        """The partitions of existing topics; from a cache of some seconds if not ``afresh``.

        Raises:
            ConnectError: if Kafka does not answer.
        """
        now = self._clock()
        if afresh or not self._known or now >= self._known_until:
            self._known, self._known_until = sorted(self._look_up()), now + _REFRESH_S
        return self._known

    def earliest(self, partitions: Sequence[TopicPartition]) -> dict[TopicPartition, int]:
        """The first offset of each.

        Raises:
            ConnectError: if Kafka does not answer.
        """
        return self._offsets(dict.fromkeys(partitions, OffsetSpec.earliest()))

    def latest(self, partitions: Sequence[TopicPartition]) -> dict[TopicPartition, int]:
        """The offset after the last visible one of each.

        Raises:
            ConnectError: if Kafka does not answer.
        """
        return self._offsets(dict.fromkeys(partitions, OffsetSpec.latest()))

    def since(self, times_ms: Mapping[TopicPartition, int]) -> dict[TopicPartition, int]:
        """The first offset of that time or later; the end if there is none.

        Raises:
            ConnectError: if Kafka does not answer.
        """
        wanted = {home: OffsetSpec.for_timestamp(ms) for home, ms in times_ms.items()}
        found = self._offsets(wanted)
        late = [home for home, offset in found.items() if offset < 0]
        return found | (self.latest(late) if late else {})

    def _look_up(self) -> list[TopicPartition]:
        if self._subscription.assigned:
            return list(self._subscription.assigned)
        if self._subscription.pattern:
            topics = self._all_topics()
            meant = self._subscription.pattern.matching(topics)
            return [home for topic in meant for home in topics[topic]]
        return [home for topic in self._subscription.topics for home in self._described(topic)]

    def _all_topics(self) -> dict[str, list[TopicPartition]]:
        try:
            # For the client None means all topics.
            found = self._admin.list_topics(None, _REQUEST_S)  # type: ignore[arg-type]
        except KafkaException as error:
            raise _unknown("partitions", error) from error
        return {
            name: [TopicPartition(name, number) for number in each.partitions]
            for name, each in found.topics.items()
        }

    def _described(self, topic: str) -> list[TopicPartition]:
        """The partitions of a topic; none if it does not exist, without creating it."""
        futures: Any = self._admin.client.describe_topics(
            TopicCollection([topic]), request_timeout=_REQUEST_S
        )
        try:
            found = self._admin.answer(futures[topic])
        except KafkaException as error:
            if error.args[0].code() == KafkaError.UNKNOWN_TOPIC_OR_PART:
                return []
            raise _unknown("partitions", error) from error
        return [TopicPartition(topic, each.id) for each in found.partitions]

    def _offsets(self, wanted: Mapping[TopicPartition, OffsetSpec]) -> dict[TopicPartition, int]:
        def refresh() -> None:
            """A partition without leader gets a new one after a moment."""
            for topic in {home.topic for home in wanted}:
                self._admin.refresh(topic)

        try:
            return retried(
                lambda: self._ask(wanted),
                may_pass,
                within_s=_REQUEST_S,
                pause_s=_RETRY_S,
                between=refresh,
            )
        except KafkaException as error:
            raise _unknown("offsets", error) from error

    def _ask(self, wanted: Mapping[TopicPartition, OffsetSpec]) -> dict[TopicPartition, int]:
        if not wanted:
            return {}
        futures: Any = self._admin.client.list_offsets(
            {ClientPartition(*home): spec for home, spec in wanted.items()},
            isolation_level=self._isolation,
            request_timeout=_REQUEST_S,
        )
        return {
            TopicPartition(home.topic, home.partition): int(self._admin.answer(future).offset)
            for home, future in futures.items()
        }


def _unknown(what: str, error: KafkaException) -> ConnectError:
    return ConnectError(
        f"Kafka did not return the {what} of the topics to read: {error.args[0].str()}",
        code="kafka.positions-unavailable",
        hint="check that the brokers are reachable, and that the client may describe the topics",
    )
