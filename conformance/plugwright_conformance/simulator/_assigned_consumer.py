"""A consumer with manually assigned partitions, outside any group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.simulator._consumer import SimulatedConsumer
from plugwright_conformance.simulator._recorder import Recorder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright.record import TopicPartition
    from plugwright.worker import RebalanceListener
    from plugwright_conformance.simulator._kafka import SimulatedKafka
    from plugwright_conformance.simulator._log import Stored

_FETCH = 500


class AssignedConsumer(SimulatedConsumer):
    """A consumer of given partitions.

    Args:
        kafka: where the records are.
        group: where it commits; it has no members.
        partitions: what it reads.
        batch: how many records of all partitions together a poll brings at most; by default it
            brings what one partition has.
    """

    def __init__(
        self,
        kafka: SimulatedKafka,
        group: str,
        partitions: Sequence[TopicPartition],
        *,
        batch: int | None = None,
    ) -> None:
        super().__init__(kafka, group, Recorder(), fetch=batch or _FETCH)
        self._fresh = sorted(partitions)
        self._mixed = batch is not None

    def subscribe(self, topics: Sequence[str], listener: RebalanceListener) -> None:
        """Register the rebalance listener, which the next poll calls."""
        self._topics, self._listener = list(topics), listener

    def take_away(self, *partitions: TopicPartition) -> None:
        """Let partitions leave, as a rebalance does."""
        self._give_up(list(partitions), self._listener.revoked)

    def give_back(self, *partitions: TopicPartition) -> None:
        """Let partitions come with the next poll, from what is committed of them."""
        self._fresh += sorted(partitions)

    def _keep_membership(self) -> None:
        fresh, self._fresh = self._fresh, []
        for partition in fresh:
            self._positions[partition] = self._group.committed(partition) or 0
        if fresh:
            self._listener.assigned(fresh)

    def _fetch(self, limit: int) -> list[Stored]:
        """Fetch records of one partition, or of all, as a client does."""
        found = super()._fetch(limit)
        while self._mixed and (more := super()._fetch(limit - len(found))):
            found += more
        return found
