"""A consumer that says itself what it reads: no group gives it partitions or takes them away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.simulator._consumer import SimulatedConsumer
from plugwright_conformance.simulator._recorder import Recorder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright.record import TopicPartition
    from plugwright.worker import RebalanceListener
    from plugwright_conformance.simulator._kafka import SimulatedKafka


class AssignedConsumer(SimulatedConsumer):
    """A consumer of certain partitions.

    Args:
        kafka: where the records are.
        group: where it commits; nobody is a member of it.
        partitions: what it reads.
    """

    def __init__(
        self, kafka: SimulatedKafka, group: str, partitions: Sequence[TopicPartition]
    ) -> None:
        super().__init__(kafka, group, Recorder())
        self._fresh = sorted(partitions)

    def subscribe(self, topics: Sequence[str], listener: RebalanceListener) -> None:
        """Remember who is told of the partitions; the next poll tells."""
        self._topics, self._listener = list(topics), listener

    def take_away(self, *partitions: TopicPartition) -> None:
        """Let partitions leave, as a rebalance does."""
        self._give_up(list(partitions), self._listener.revoked)

    def _keep_membership(self) -> None:
        fresh, self._fresh = self._fresh, []
        for partition in fresh:
            self._positions[partition] = self._group.committed(partition) or 0
        if fresh:
            self._listener.assigned(fresh)
