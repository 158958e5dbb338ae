"""The transaction coordinator: epochs, fencing, commit and abort (KIP-98, KIP-360, KIP-618)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from plugwright_conformance.simulator._errors import Refusal
from plugwright_conformance.simulator._log import Kind

if TYPE_CHECKING:
    from collections.abc import Hashable

    from plugwright_conformance.simulator._log import PartitionLog


@dataclass(frozen=True, slots=True)
class ProducerSession:
    """The response to InitProducerId, which authorizes a producer."""

    transactional_id: str
    producer: int
    epoch: int


@dataclass
class _State:
    producer: int
    epoch: int = -1
    partitions: list[PartitionLog] = field(default_factory=list)
    since: float = 0.0
    timeout_s: float = 60.0


class TransactionCoordinator:
    """Manages transactional ids, their epochs and open transactions."""

    def __init__(self) -> None:
        self._states: dict[str, _State] = {}

    def init(self, transactional_id: str, timeout_s: float = 60.0) -> ProducerSession:
        """Fence every earlier producer of this id, and abort what it left open."""
        state = self._states.setdefault(transactional_id, _State(1000 + len(self._states)))
        self._end(state, Kind.ABORT)
        state.epoch += 1
        state.timeout_s = timeout_s
        return ProducerSession(transactional_id, state.producer, state.epoch)

    def add(self, session: ProducerSession, log: PartitionLog, now: float) -> None:
        """Make a partition part of the session's transaction.

        Raises:
            Refusal: INVALID_PRODUCER_EPOCH, if the session was fenced.
        """
        state = self._current(session)
        if not state.partitions:
            state.since = now
        if log not in state.partitions:
            state.partitions.append(log)

    def commit(self, session: ProducerSession) -> None:
        """Make the transaction visible, if there is one.

        Raises:
            Refusal: INVALID_PRODUCER_EPOCH, if the session was fenced.
        """
        self._end(self._current(session), Kind.COMMIT)

    def abort(self, session: ProducerSession) -> None:
        """Make sure that the transaction is never visible.

        Raises:
            Refusal: INVALID_PRODUCER_EPOCH, if the session was fenced.
        """
        self._end(self._current(session), Kind.ABORT)

    def expire(self, now: float) -> None:
        """Abort transactions that took longer than their timeout, and fence their producers."""
        for state in self._states.values():
            if state.partitions and now - state.since > state.timeout_s:
                self._end(state, Kind.ABORT)
                state.epoch += 1

    def durable(self) -> Hashable:
        """Every id with its epoch and what its transaction has touched."""
        return tuple(
            (name, state.producer, state.epoch, tuple(log.place for log in state.partitions))
            for name, state in self._states.items()
        )

    def _current(self, session: ProducerSession) -> _State:
        state = self._states[session.transactional_id]
        if state.epoch != session.epoch:
            raise Refusal("INVALID_PRODUCER_EPOCH")
        return state

    @staticmethod
    def _end(state: _State, kind: Kind) -> None:
        for log in state.partitions:
            log.mark(state.producer, kind)
        state.partitions = []


KINDS = TransactionCoordinator, _State
"""The classes that the coordinator is made of."""
