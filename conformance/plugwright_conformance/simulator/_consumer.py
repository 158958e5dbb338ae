"""The simulated consumer: a group member that follows the protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright_conformance.simulator._errors import Refusal
from plugwright_conformance.simulator._message import SimulatedMessage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.record import TopicPartition
    from plugwright.worker import KafkaMessage, RebalanceListener
    from plugwright_conformance.simulator._kafka import SimulatedKafka
    from plugwright_conformance.simulator._log import Stored
    from plugwright_conformance.simulator._recorder import Recorder

_Done = tuple["Callable[[ConnectError | None], None]", "ConnectError | None"]


class SimulatedConsumer:
    """One member of a consumer group.

    Args:
        kafka: where the records are.
        group: name of the group.
        recorder: records what happens.
        fetch: the most records that one poll brings, so that there are several batches.
        first: the most records of the first poll that brings some; 0 for as many as of others.
        across: whether one poll brings records of several partitions, as far as they fit.
        committed_only: the isolation level of the reader.
        before_poll: called at the beginning of each poll, the loop's only place to wait.

    Attributes:
        polls: how many there were.
        idle: how many of them, at the end, brought nothing.
    """

    def __init__(  # noqa: PLR0913  # all but three are optional
        self,
        kafka: SimulatedKafka,
        group: str,
        recorder: Recorder,
        *,
        fetch: int = 500,
        first: int = 0,
        across: bool = False,
        committed_only: bool = False,
        before_poll: Callable[[], None] | None = None,
    ) -> None:
        self._kafka = kafka
        self._group = kafka.group(group)
        self._recorder = recorder
        self._fetch_size, self._across = first or fetch, across
        self._later_size = fetch
        self._committed_only = committed_only
        self._before_poll = before_poll
        self._member: str | None = None
        self._generation = -1
        self._joining = True
        self._positions: dict[TopicPartition, int] = {}
        self._furthest: dict[TopicPartition, int] = {}
        self._paused: set[TopicPartition] = set()
        self._answers: list[_Done] = []
        self._refusals: list[Refusal] = []
        self._turn = 0
        self.polls = 0
        self.idle = 0

    def subscribe(self, topics: Sequence[str], listener: RebalanceListener) -> None:
        """Join the group for these topics."""
        self._topics, self._listener = list(topics), listener
        self._join()

    def poll(self, max_records: int, timeout_s: float) -> Sequence[KafkaMessage]:
        """The next messages, at most ``max_records``; nothing after ``timeout_s`` seconds."""
        if self._before_poll is not None:
            self._before_poll()
        self.polls += 1
        self._answer()
        self._keep_membership()
        found = self._fetch(min(max_records, self._fetch_size))
        self.idle = 0 if found else self.idle + 1
        if found:
            self._fetch_size = self._later_size
        else:
            self._kafka.clock.advance(timeout_s)
        return [SimulatedMessage(stored) for stored in found]

    @property
    def reached(self) -> int:
        """How many records were read, of which those that came again count once."""
        return sum(self._furthest.values())

    def assignment(self) -> Sequence[TopicPartition]:
        """The partitions that this member owns."""
        return sorted(self._positions)

    def positions(self, partitions: Sequence[TopicPartition]) -> Mapping[TopicPartition, int]:
        """Where reading of new partitions begins."""
        return {p: self._positions[p] for p in partitions}

    def commit(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Commit synchronously."""
        if (error := self._try_to_commit(offsets)) is not None:
            raise error

    def commit_async(
        self, offsets: Mapping[TopicPartition, int], done: Callable[[ConnectError | None], None]
    ) -> None:
        """Commit without waiting; ``done`` is called within a later poll."""
        self._answers.append((done, self._try_to_commit(offsets)))

    def refuse_next_commit(self, refusal: Refusal) -> None:
        """Let the group refuse one commit."""
        self._refusals.append(refusal)

    def redeliver(self) -> None:
        """Go back to what is committed: the group delivers again what follows it."""
        for partition in self._positions:
            self._positions[partition] = self._group.committed(partition) or 0

    def seek(self, partition: TopicPartition, offset: int | None) -> None:
        """Read on from this offset; ``None`` is where the group would begin without one."""
        if partition not in self._positions:
            raise ConnectError(f"{partition} is not assigned", code="kafka.seek-failed")
        self._positions[partition] = offset or 0

    def pause(self, partitions: Sequence[TopicPartition]) -> None:
        """Fetch nothing from these partitions."""
        self._paused.update(partitions)

    def resume(self, partitions: Sequence[TopicPartition]) -> None:
        """Fetch from these partitions again."""
        self._paused.difference_update(partitions)

    def close(self) -> None:
        """Leave the group."""
        if self._member is not None:
            self._group.leave(self._member)

    def _join(self) -> None:
        self._member = self._group.join(self._topics, self._kafka.clock())
        self._joining = True
        self._recorder.event("group.join")

    def _keep_membership(self) -> None:
        """Heartbeat, and take part in a rebalance if there is one."""
        assert self._member is not None  # noqa: S101  # subscribed before the first poll
        self._group.expire(self._kafka.clock())
        try:
            if self._group.heartbeat(self._member, self._kafka.clock()):
                self._rejoin(self._member)
            if self._joining or self._outdated():
                self._take_assignment(self._member)
        except Refusal:  # removed from the group meanwhile; its partitions have another owner
            self._give_up(list(self._positions), self._listener.lost)
            self._join()
            self._take_assignment(self._member)

    def _outdated(self) -> bool:
        return self._generation != self._group.generation

    def _rejoin(self, member: str) -> None:
        if not self._group.cooperative:
            self._give_up(list(self._positions), self._listener.revoked)
        self._group.rejoin(member, list(self._positions))
        self._joining = True
        self._recorder.event("group.join")

    def _take_assignment(self, member: str) -> None:
        answer = self._group.assignment(member, self._kafka.partitions())
        if answer is None:
            return
        generation, mine = answer
        gone = sorted(set(self._positions) - mine)
        fresh = sorted(mine - set(self._positions))
        self._joining = False
        if gone:
            self._generation = generation
            self._give_up(gone, self._listener.revoked)
        self._generation = generation
        for partition in fresh:
            self._positions[partition] = self._group.committed(partition) or 0
        self._group.settle(member, list(self._positions))
        if fresh:
            self._listener.assigned(fresh)

    def _give_up(
        self,
        partitions: list[TopicPartition],
        tell: Callable[[Sequence[TopicPartition]], None],
    ) -> None:
        if partitions:
            tell(sorted(partitions))
            for partition in partitions:
                self._positions.pop(partition, None)
                self._paused.discard(partition)

    def _try_to_commit(self, offsets: Mapping[TopicPartition, int]) -> ConnectError | None:
        self._recorder.event("group.commit.enter")
        try:
            if self._refusals:
                raise self._refusals.pop(0)
            self._group.commit(offsets, self._member, self._generation)
        except Refusal as refusal:
            return ConnectError(
                f"offsets were not committed: {refusal.name}", code="kafka.commit-failed"
            )
        self._recorder.event("group.commit.return")
        return None

    def _answer(self) -> None:
        answers, self._answers = self._answers, []
        for done, error in answers:
            done(error)

    def _fetch(self, limit: int) -> list[Stored]:
        """From one partition at a time, by turns, as brokers answer, or from all of them."""
        homes = [p for p in sorted(self._positions) if p not in self._paused]
        fetched: list[Stored] = []
        for step in range(len(homes)):
            home = homes[(self._turn + step) % len(homes)]
            log = self._kafka.log(home.topic, home.partition)
            room = limit - len(fetched)
            found = log.read(self._positions[home], room, committed=self._committed_only)
            if found:
                self._positions[home] = found[-1].offset + 1
                self._furthest[home] = max(self._furthest.get(home, 0), self._positions[home])
                fetched += found
                if not self._across:
                    self._turn += step + 1
                    break
        return fetched
