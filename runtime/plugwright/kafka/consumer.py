"""Records from Kafka through confluent-kafka, as a member of a consumer group."""

from __future__ import annotations

import logging
from collections import deque
from contextlib import contextmanager, suppress
from functools import partial
from math import ceil
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from confluent_kafka import OFFSET_BEGINNING, OFFSET_END, Consumer, KafkaError, KafkaException
from confluent_kafka import TopicPartition as ClientPartition

from plugwright.errors import ConnectError, RetriableError
from plugwright.kafka._missing_topics import CREATES, request_topics
from plugwright.kafka.error_codes import ErrorCategory, error_category
from plugwright.kafka.login import LoginWatch, opened
from plugwright.kafka.topic_watch import TopicWatch
from plugwright.record import TopicPartition
from plugwright.retry import retried
from plugwright.worker import right_hint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from plugwright.kafka._topic_pattern import TopicPattern
    from plugwright.worker import KafkaMessage, RebalanceListener

log = logging.getLogger(__name__)

_OFFSETS_TIMEOUT_S = 10.0
_RESET_OFFSETS = MappingProxyType(
    {
        **dict.fromkeys(("earliest", "beginning", "smallest"), OFFSET_BEGINNING),
        **dict.fromkeys(("latest", "end", "largest"), OFFSET_END),
    }
)
"""The logical offset for each value of ``auto.offset.reset``."""
_LIST_TIMEOUT_S = 5.0
_REFRESH_INTERVAL = "topic.metadata.refresh.interval.ms"
_SEEK_TIMEOUT_S = 5.0
_SEEK_PAUSE_S = 0.01
_FATAL = KafkaError._FATAL  # noqa: SLF001  # the client's name
_WORSE = frozenset({ErrorCategory.FATAL, ErrorCategory.CONFIGURATION})
"""Errors that the client does not recover from by itself, unlike a rejoin or a missing topic."""


class KafkaRecordConsumer:
    """The record consumer of a sink task.

    Args:
        settings: librdkafka's settings, see `consumer_settings`.
        pattern: the topics to read, instead of those passed to `subscribe`.

    Raises:
        ConfigError: if the client refuses its settings, or the pattern cannot be understood.
    """

    def __init__(self, settings: Mapping[str, object], pattern: TopicPattern | None = None) -> None:
        if pattern is not None:
            pattern.compiled()
            settings = {**settings, CREATES: False}  # a deleted topic must not come back
        self._settings = settings
        self._watch = LoginWatch({**settings, "on_commit": self._answered})
        self._consumer: Consumer = opened(Consumer, self._watch.settings)
        self._cooperative = "cooperative" in str(settings.get("partition.assignment.strategy"))
        self._awaited: deque[tuple[int, Callable[[ConnectError | None], None]]] = deque()
        self._losses = 0
        self._late_commit_fenced = False
        self._rebalanced = False
        self._gone: set[TopicPartition] = set()
        self._positions: dict[TopicPartition, int] = {}
        self._no_positions: RetriableError | None = None
        self._listener: RebalanceListener | None = None
        self._names: list[str] = []
        interval_s = int(str(settings.get(_REFRESH_INTERVAL, 300_000))) / 1000
        self._topics = (
            None if pattern is None else TopicWatch(pattern, partial(_lister, settings), interval_s)
        )

    def subscribe(self, topics: Sequence[str], listener: RebalanceListener) -> None:
        """Join the group for these topics; with a pattern, as soon as a topic matches it.

        With ``allow.auto.create.topics`` brokers may create a missing topic that is named here.

        Raises:
            ConnectError: if one of them is not a valid topic name.
        """
        self._listener = listener
        if self._topics is None:
            names = _named(topics)
            request_topics(self._consumer, self._settings, names)
            self._follow(names)
        else:
            self._topics.start()

    def poll(self, max_records: int, timeout_s: float) -> Sequence[KafkaMessage]:
        """The next messages. Hot path.

        Waits only for the first one, then takes the messages already fetched: requesting a whole
        batch would delay every record until the batch is full.

        Raises:
            ConnectError: if the client cannot continue, or Kafka refuses its login.
        """
        self._rebalanced = False
        if self._topics is not None and (topics := self._topics.changed()) is not None:
            self._follow(topics)
        # The client cuts off parts of milliseconds: the last one would be spent in empty polls.
        first = self._consumer.poll(ceil(timeout_s * 1000) / 1000)
        if first is None:
            self._watch.require()
            return ()
        self._gone.clear()
        messages: list[Any] = self._consumer.consume(max_records - 1, 0)
        # A rebalance invalidates earlier fetches, even if the partition is assigned again.
        if (first.topic(), first.partition()) not in self._gone:
            messages.insert(0, first)
        faulty = [message for message in messages if message.error() is not None]
        if faulty:
            if self._has_fenced_itself(faulty):
                self._reopen()
                return ()
            self._judge(faulty, self._settings)
            messages = [message for message in messages if message.error() is None]
        if self._rebalanced:
            # A batch may span a rebalance: revoked partitions now belong to another member.
            mine = set(self.assignment())
            messages = [m for m in messages if (m.topic(), m.partition()) in mine]
        return messages

    def assignment(self) -> Sequence[TopicPartition]:
        """The partitions that this member owns."""
        return _ours(self._consumer.assignment())

    def positions(self, partitions: Sequence[TopicPartition]) -> Mapping[TopicPartition, int]:
        """Where reading of newly assigned partitions begins, as far as it is known.

        Raises:
            RetriableError: if the group coordinator or a broker did not answer.
        """
        if self._no_positions is not None:
            raise self._no_positions
        return {p: self._positions[p] for p in partitions if p in self._positions}

    def _positioned(self, partitions: list[ClientPartition]) -> list[ClientPartition]:
        """New partitions with the offsets to begin at.

        A reset is decided here and once: records that arrive before the first fetch would lie
        before a later "latest". Offsets that are not known are left to the client.
        """
        self._positions, self._no_positions = {}, None
        try:
            found = self._consumer.committed(partitions, timeout=_OFFSETS_TIMEOUT_S)
            fresh = [ClientPartition(p.topic, p.partition) for p in found if p.offset < 0]
            found += self._reset_positions(fresh)
        except KafkaException as error:
            self._no_positions = RetriableError(
                f"the offsets of the group cannot be read: {error}",
                code="kafka.offsets-unavailable",
            )
            return partitions
        known = [p for p in found if p.offset >= 0]
        self._positions = dict(zip(_ours(known), (p.offset for p in known), strict=True))
        return [
            ClientPartition(p.topic, p.partition, self._positions.get(own, p.offset))
            for own, p in zip(_ours(partitions), partitions, strict=True)
        ]

    def _reset_positions(self, partitions: Sequence[ClientPartition]) -> list[ClientPartition]:
        """Where a group without committed offsets begins, by ``auto.offset.reset``."""
        start = _RESET_OFFSETS.get(str(self._settings.get("auto.offset.reset", "latest")))
        if start is None or not partitions:
            return []
        wanted = [ClientPartition(p.topic, p.partition, start) for p in partitions]
        return list(self._consumer.offsets_for_times(wanted, timeout=_OFFSETS_TIMEOUT_S))

    def commit(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Commit synchronously.

        Raises:
            ConnectError: if the group refuses, for example because this member was fenced.
        """
        wanted = [ClientPartition(tp.topic, tp.partition, offset) for tp, offset in offsets.items()]
        try:
            self._consumer.commit(offsets=wanted, asynchronous=False)
        except KafkaException as error:
            raise _not_committed(error) from error

    def commit_async(
        self, offsets: Mapping[TopicPartition, int], done: Callable[[ConnectError | None], None]
    ) -> None:
        """Commit without waiting; a later poll calls ``done``, in order."""
        wanted = [ClientPartition(tp.topic, tp.partition, offset) for tp, offset in offsets.items()]
        self._awaited.append((self._losses, done))
        try:
            self._consumer.commit(offsets=wanted, asynchronous=True)
        except KafkaException as error:
            self._awaited.pop()
            done(_not_committed(error))

    def _answered(self, error: KafkaError | None, partitions: Sequence[ClientPartition]) -> None:
        """Pass on the group's response; the client reports asynchronous commits in order."""
        if not self._awaited:
            return
        found = error or next((p.error for p in partitions if p.error is not None), None)
        losses, done = self._awaited.popleft()
        if found is not None and found.code() == KafkaError.FENCED_INSTANCE_ID:
            self._late_commit_fenced |= losses < self._losses
        done(None if found is None else _not_committed(found))

    def seek(self, partition: TopicPartition, offset: int | None) -> None:
        """Continue at this offset, or at the beginning; not within a group callback.

        Raises:
            ConnectError: if the partition is not assigned to this member.
        """
        start = OFFSET_BEGINNING if offset is None else offset
        target = ClientPartition(partition.topic, partition.partition, start)
        try:
            retried(
                lambda: self._consumer.seek(target),
                _is_unready,
                within_s=_SEEK_TIMEOUT_S,
                pause_s=_SEEK_PAUSE_S,
            )
        except KafkaException as error:
            raise ConnectError(
                f"cannot seek to {offset} in {partition.topic}-{partition.partition}: {error}",
                code="kafka.seek-failed",
                facts={"topic": partition.topic, "partition": partition.partition},
            ) from error

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
        if self._topics is not None:
            self._topics.close()
        self._consumer.close()

    def _follow(self, topics: Sequence[str]) -> None:
        """Subscribe to these topics, and no others."""
        self._names = list(topics)
        if topics:
            self._consumer.subscribe(
                self._names,
                on_assign=self._assigned,
                on_revoke=self._revoked,
                on_lost=self._lost,
            )
        else:
            self._consumer.unsubscribe()

    def _assigned(self, client: Consumer, partitions: list[ClientPartition]) -> None:
        if client is not self._consumer or self._listener is None:
            return
        self._rebalanced = True
        positioned = self._positioned(partitions)
        if self._cooperative:
            client.incremental_assign(positioned)
        else:
            client.assign(positioned)
        self._listener.assigned(_ours(partitions))

    def _revoked(self, client: Consumer, partitions: list[ClientPartition]) -> None:
        if client is self._consumer and self._listener is not None:
            self._leave(partitions)
            self._listener.revoked(_ours(partitions))

    def _lost(self, client: Consumer, partitions: list[ClientPartition]) -> None:
        if client is self._consumer and self._listener is not None:
            self._losses += 1
            self._leave(partitions)
            self._listener.lost(_ours(partitions))

    def _has_fenced_itself(self, faulty: Sequence[KafkaMessage]) -> bool:
        """Whether a commit that was sent before this member rejoined has fenced its client.

        A static member whose session expired rejoins with a new member id. A commit that was still
        in flight has the old one, so the broker fences the member (KIP-345).
        """
        late = self._late_commit_fenced or any(n < self._losses for n, _ in self._awaited)
        return late and any(each.error().code() == _FATAL for each in faulty)  # type: ignore[attr-defined]  # client messages only

    def _reopen(self) -> None:
        """Replace the fenced client with one that joins as the same static member."""
        log.warning(
            "a commit from before the last outage fenced %s: it joins again",
            self._settings.get("client.id"),
        )
        ended, self._consumer = self._consumer, opened(Consumer, self._watch.settings)
        partitions = _ours(ended.assignment())
        with suppress(KafkaException):  # the client was fenced
            ended.close()
        self._late_commit_fenced = False
        while self._awaited:
            self._awaited.popleft()[1](_not_committed("the member joined the group again"))
        if partitions and self._listener is not None:
            self._listener.lost(partitions)
        self._follow(self._names)

    def _leave(self, partitions: list[ClientPartition]) -> None:
        self._rebalanced = True
        self._gone.update(_ours(partitions))

    @staticmethod
    def _judge(faulty: Sequence[KafkaMessage], settings: Mapping[str, object]) -> None:
        for message in faulty:
            error: KafkaError = message.error()  # type: ignore[attr-defined]  # client messages only
            if error_category(error) in _WORSE:
                raise ConnectError(
                    f"consuming failed: {error}",
                    code="kafka.consume-failed",
                    hint=_right_to_consume(error, message.topic(), settings.get("group.id")),
                    facts={"error": error.name()},
                )


@contextmanager
def _lister(settings: Mapping[str, object]) -> Iterator[Callable[[], Iterable[str]]]:
    """Lists all topics with a separate client, because one that another thread polls cannot."""
    own = {key: value for key, value in settings.items() if key != "group.instance.id"}
    client = opened(Consumer, {**own, "client.id": f"{own['client.id']}-topics"})
    try:
        yield lambda: client.list_topics(timeout=_LIST_TIMEOUT_S).topics
    finally:
        client.close()


def _named(topics: Sequence[str]) -> list[str]:
    """The topics to subscribe to; the client treats a leading caret as a pattern.

    Raises:
        ConnectError: if one of them begins with a caret.
    """
    if patterns := [topic for topic in topics if topic.startswith("^")]:
        raise ConnectError(
            f"Invalid topics: [{', '.join(patterns)}]",
            code="kafka.invalid-topic",
            hint="use `topics` for names and `topics.regex` for a pattern",
            facts={"topics": tuple(patterns)},
        )
    return list(topics)


def _right_to_consume(error: KafkaError, topic: str | None, group: object) -> str:
    """The hint about the right that a member of a group lacks, if it does."""
    if error.code() == KafkaError.GROUP_AUTHORIZATION_FAILED:
        return right_hint(error, "Read", "Group", str(group))
    return right_hint(error, "Read", "Topic", topic or "of the connector's topics")


def _not_committed(error: object) -> ConnectError:
    return ConnectError(
        f"offsets were not committed: {error}",
        code="kafka.commit-failed",
        hint="records since the last commit will be delivered again",
    )


def _ours(partitions: Iterable[ClientPartition]) -> list[TopicPartition]:
    return [TopicPartition(p.topic, p.partition) for p in partitions]


def _theirs(partitions: Iterable[TopicPartition]) -> list[ClientPartition]:
    return [ClientPartition(p.topic, p.partition) for p in partitions]


def _is_unready(error: Exception) -> bool:
    """Whether the client is not ready for a seek yet, as it is directly after an assignment."""
    state = KafkaError._STATE  # noqa: SLF001  # the client's name
    return isinstance(error, KafkaException) and error.args[0].code() == state
