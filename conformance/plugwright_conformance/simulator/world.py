"""The simulation state that outlives a task: Kafka, time and input."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.simulator._clock import VirtualClock
from plugwright_conformance.simulator._kafka import KINDS as KAFKA_KINDS
from plugwright_conformance.simulator._kafka import SimulatedKafka

if TYPE_CHECKING:
    from collections.abc import Hashable

    from plugwright_conformance.simulator._log import Stored

OFFSETS = "connect-offsets"
"""The topic in which a worker keeps the offsets of sources."""


class World:
    """The durable part of a simulation; pickled when a process ends.

    Attributes:
        fed: how many records have been put where the connector reads.
    """

    def __init__(self, *, cooperative: bool = False) -> None:
        self.clock = VirtualClock()
        self.kafka = SimulatedKafka(self.clock, cooperative=cooperative)
        self.fed = 0

    def arrived(self, *, committed: bool) -> list[Stored]:
        """The records sent by a source: those of all topics except the worker's."""
        topics = sorted(self.kafka.partitions().keys() - {OFFSETS})
        return [each for name in topics for each in self.kafka.read(name, committed=committed)]

    def durable(self) -> Hashable:
        """The content without the time."""
        return self.fed, self.kafka.durable()


KINDS = World, VirtualClock, *KAFKA_KINDS
"""The classes that a world is made of; no others come out of a process that ends."""
