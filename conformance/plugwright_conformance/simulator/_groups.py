"""The group coordinator: members, generations, assignments, committed offsets.

Follows Kafka's classic group protocol with an eager (range) or a cooperative (sticky) assignor
(KIP-429). A rebalance is complete when every member has joined again; a commit that names another
generation is refused.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from plugwright.record import TopicPartition
from plugwright_conformance.simulator._errors import Refusal

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence


@dataclass
class _Member:
    topics: Sequence[str]
    session_timeout_s: float
    seen: float
    joined: bool = True
    owned: set[TopicPartition] = field(default_factory=set)
    assigned: set[TopicPartition] = field(default_factory=set)


class ConsumerGroup:
    """One consumer group.

    Attributes:
        generation: number of the last completed rebalance.
        cooperative: whether members keep their partitions while they join again.
    """

    def __init__(self, *, cooperative: bool = False) -> None:
        self.cooperative = cooperative
        self.generation = 0
        self._members: dict[str, _Member] = {}
        self._offsets: dict[TopicPartition, int] = {}
        self._preparing = False
        self._names = 0

    @property
    def members(self) -> Sequence[str]:
        """Ids of the members, in the order of joining."""
        return list(self._members)

    def join(self, topics: Sequence[str], now: float, *, session_timeout_s: float = 45.0) -> str:
        """Become a member; the id. A rebalance begins."""
        self._names += 1
        member = f"member-{self._names:03}"
        self._members[member] = _Member(topics, session_timeout_s, now)
        self._prepare(joined=member)
        return member

    def durable(self) -> Hashable:
        """Generation, offsets and members, without when they were last seen."""
        members = [
            (name, tuple(m.topics), m.joined, frozenset(m.owned), frozenset(m.assigned))
            for name, m in self._members.items()
        ]
        offsets = frozenset(self._offsets.items())
        return self.generation, self._names, self._preparing, offsets, tuple(members)

    def leave(self, member: str) -> None:
        """Stop being a member; the others share what it had."""
        if self._members.pop(member, None) is not None:
            self._prepare()

    def expire(self, now: float) -> None:
        """Put members out that were silent for longer than their session timeout."""
        for name, member in list(self._members.items()):
            if now - member.seen > member.session_timeout_s:
                self.leave(name)

    def heartbeat(self, member: str, now: float) -> bool:
        """Say that a member lives; whether it has to join again.

        Raises:
            Refusal: UNKNOWN_MEMBER_ID, if it was put out.
        """
        state = self._member(member)
        state.seen = now
        return self._preparing and not state.joined

    def rejoin(self, member: str, owned: Sequence[TopicPartition]) -> None:
        """Join again, still holding these partitions (none of them, if the group is eager)."""
        state = self._member(member)
        state.joined = True
        state.owned = set(owned)

    def assignment(
        self, member: str, partitions: Mapping[str, int]
    ) -> tuple[int, set[TopicPartition]] | None:
        """Generation and partitions of a member; ``None`` while others have not joined again.

        Raises:
            Refusal: UNKNOWN_MEMBER_ID, if it was put out.
        """
        self._member(member)
        if self._preparing:
            if not all(state.joined for state in self._members.values()):
                return None
            self._complete(partitions)
        return self.generation, set(self._members[member].assigned)

    def rebalance(self) -> None:
        """Ask every member to join again, as a change of metadata does."""
        self._prepare()

    def commit(
        self, offsets: Mapping[TopicPartition, int], member: str | None, generation: int
    ) -> None:
        """Store offsets of a member; without a member as a tool does, in an empty group only.

        Raises:
            Refusal: UNKNOWN_MEMBER_ID or ILLEGAL_GENERATION.
        """
        if member is None:
            if self._members:
                raise Refusal("UNKNOWN_MEMBER_ID")
        else:
            self._member(member)
            if generation != self.generation:
                raise Refusal("ILLEGAL_GENERATION")
        self._offsets.update(offsets)

    def committed(self, partition: TopicPartition) -> int | None:
        """The offset of the next record to read, if one was committed."""
        return self._offsets.get(partition)

    @property
    def offsets(self) -> Mapping[TopicPartition, int]:
        """Every committed offset."""
        return dict(self._offsets)

    def _member(self, name: str) -> _Member:
        if name not in self._members:
            raise Refusal("UNKNOWN_MEMBER_ID")
        return self._members[name]

    def _prepare(self, joined: str | None = None) -> None:
        for name, state in self._members.items():
            state.joined = name == joined or (self._preparing and state.joined)
        self._preparing = True

    def _complete(self, partitions: Mapping[str, int]) -> None:
        self._preparing = False
        self.generation += 1
        target = self._target(partitions)
        for name, state in self._members.items():
            state.assigned = target[name]
            if self.cooperative:  # what another member still holds is not assigned this time
                others = {p for n, m in self._members.items() if n != name for p in m.owned}
                state.assigned = target[name] - others

    def settle(self, member: str, owned: Sequence[TopicPartition]) -> None:
        """Record a member's partitions after an assignment; it rejoins if it revoked any."""
        state = self._member(member)
        gave_up = state.owned - set(owned)
        state.owned = set(owned)
        if self.cooperative and gave_up:
            self._prepare()

    def _target(self, partitions: Mapping[str, int]) -> dict[str, set[TopicPartition]]:
        """The partitions of each member: by ranges, or as before as far as that is fair."""
        target: dict[str, set[TopicPartition]] = {name: set() for name in self._members}
        for topic in sorted({t for m in self._members.values() for t in m.topics}):
            everyone = sorted(n for n, m in self._members.items() if topic in m.topics)
            homes = [TopicPartition(topic, n) for n in range(partitions.get(topic, 0))]
            share = self._sticky if self.cooperative else self._ranges
            for name, mine in share(everyone, homes).items():
                target[name] |= mine
        return target

    @staticmethod
    def _ranges(
        everyone: Sequence[str], homes: Sequence[TopicPartition]
    ) -> dict[str, set[TopicPartition]]:
        size, more = divmod(len(homes), len(everyone))
        found, begin = {}, 0
        for number, name in enumerate(everyone):
            end = begin + size + (number < more)
            found[name], begin = set(homes[begin:end]), end
        return found

    def _sticky(
        self, everyone: Sequence[str], homes: Sequence[TopicPartition]
    ) -> dict[str, set[TopicPartition]]:
        most = -(-len(homes) // len(everyone))
        found: dict[str, set[TopicPartition]] = {}
        for name in everyone:
            kept = sorted(self._members[name].owned & set(homes))[:most]
            found[name] = set(kept)
        free = sorted(set(homes) - {p for mine in found.values() for p in mine})
        for home in free:
            poorest = min(everyone, key=lambda name: (len(found[name]), name))
            found[poorest].add(home)
        return found


KINDS = ConsumerGroup, _Member, TopicPartition
"""The classes that a group is made of."""
