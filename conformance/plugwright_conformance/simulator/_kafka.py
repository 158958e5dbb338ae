"""An in-memory Kafka: topics, transactions, groups. All its data is durable.

Written from Kafka's documentation and protocol, not from the runtime's client code. It can be
pickled, which is how it outlives the process of a task that was stopped at a crash point.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from plugwright_conformance.simulator import _groups, _log, _transactions
from plugwright_conformance.simulator._groups import ConsumerGroup
from plugwright_conformance.simulator._log import PartitionLog, Stored
from plugwright_conformance.simulator._transactions import TransactionCoordinator

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from plugwright_conformance.simulator._clock import VirtualClock
    from plugwright_conformance.simulator._transactions import ProducerSession


class SimulatedKafka:
    """One broker that never fails on its own.

    Args:
        clock: for the timeouts of sessions and transactions.
        cooperative: the protocol of its consumer groups.

    Attributes:
        clock: the same.
        transactions: the transaction coordinator.
    """

    def __init__(self, clock: VirtualClock, *, cooperative: bool = False) -> None:
        self.clock = clock
        self.transactions = TransactionCoordinator()
        self._cooperative = cooperative
        self._topics: dict[str, list[PartitionLog]] = {}
        self._groups: dict[str, ConsumerGroup] = {}

    def create_topic(self, name: str, partitions: int = 1, *, first: int = 0) -> None:
        """Make a topic unless it is there; its records have offsets from ``first`` on."""
        if name not in self._topics:
            self._topics[name] = [PartitionLog(name, n, first) for n in range(partitions)]

    def partitions(self) -> Mapping[str, int]:
        """The number of partitions of each topic."""
        return {name: len(logs) for name, logs in self._topics.items()}

    def log(self, topic: str, partition: int) -> PartitionLog:
        """One partition; a topic that is not there is made, as brokers do."""
        self.create_topic(topic)
        return self._topics[topic][partition]

    def produce(  # noqa: PLR0913  # what a record consists of
        self,
        topic: str,
        value: bytes | None,
        *,
        key: bytes | None = None,
        partition: int | None = None,
        headers: Sequence[tuple[str, bytes | None]] = (),
        timestamp: int | None = None,
        session: ProducerSession | None = None,
    ) -> Stored:
        """Append one record; with a session as part of its transaction.

        Raises:
            Refusal: INVALID_PRODUCER_EPOCH, if the session was fenced.
        """
        self.create_topic(topic)
        logs = self._topics[topic]
        log = logs[self._place(logs, key) if partition is None else partition]
        if session is not None:
            self.transactions.expire(self.clock())
            self.transactions.add(session, log, self.clock())
        stamp = int(self.clock() * 1000) if timestamp is None else timestamp
        producer = None if session is None else session.producer
        return log.append(key, value, tuple(headers), stamp, producer)

    def read(self, topic: str, *, committed: bool = True) -> list[Stored]:
        """Every record of a topic, partition by partition, as a reader of this isolation."""
        logs = self._topics.get(topic, ())
        return [entry for log in logs for entry in log.read(0, log.end, committed=committed)]

    def group(self, name: str) -> ConsumerGroup:
        """The consumer group of this name."""
        return self._groups.setdefault(name, ConsumerGroup(cooperative=self._cooperative))

    def lag(self, group: str, topic: str) -> int:
        """How many records of a topic a group has not committed yet."""
        offsets = self.group(group).offsets
        lag = 0
        for number, log in enumerate(self._topics.get(topic, ())):
            done = next((o for p, o in offsets.items() if p == (topic, number)), 0)
            lag += len(log.read(done, log.end, committed=False))
        return lag

    def durable(self) -> Hashable:
        """Everything that outlives a client, apart from the time."""
        logs = [(name, tuple(log.durable() for log in logs)) for name, logs in self._topics.items()]
        groups = [(name, group.durable()) for name, group in self._groups.items()]
        return tuple(logs), tuple(groups), self.transactions.durable()

    @staticmethod
    def _place(logs: Sequence[PartitionLog], key: bytes | None) -> int:
        """The partition of a key; records without one go where there is least."""
        if key is None:
            return min(range(len(logs)), key=lambda number: (logs[number].end, number))
        return zlib.crc32(key) % len(logs)


KINDS = SimulatedKafka, *_groups.KINDS, *_log.KINDS, *_transactions.KINDS
"""The classes that a Kafka is made of."""
