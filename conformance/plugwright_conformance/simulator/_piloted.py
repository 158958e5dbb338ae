"""A task run whose next operation is chosen by its host at every turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plugwright_conformance.simulator._consumer import SimulatedConsumer
from plugwright_conformance.simulator._errors import Refusal
from plugwright_conformance.simulator._faults import EndpointFault, FaultKind
from plugwright_conformance.simulator._life import GROUP, TaskLife
from plugwright_conformance.simulator._recorder import Recorder
from plugwright_conformance.subject.names import TOPIC

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright.record import TopicPartition
    from plugwright_conformance.simulator.watch import Crossing

_PAUSE_S = 1.0

Step = tuple[Any, ...]
"""The name of an operation and what it takes."""


@dataclass(frozen=True, slots=True)
class Turn:
    """The observable state between two polls.

    Attributes:
        committed: the committed offset of each partition of a sink's topic.
        crossings: exceptions that the plugin raised since the last turn.
    """

    committed: tuple[int, ...]
    crossings: Sequence[Crossing]


class PilotedLife(TaskLife):
    """A task run that requests one operation at a time from its host."""

    _autopilot = False
    _seen = 0
    _rival: SimulatedConsumer | None = None
    _resume_at: float | None = None

    def _source_turn(self) -> None:
        self._take_turn(super()._source_turn)

    def _before_poll(self) -> None:
        self._take_turn(super()._before_poll)

    def _take_turn(self, otherwise: Any) -> None:
        if self._autopilot:
            otherwise()
            return
        self._time.passed = self._pass
        self._world.clock.advance(0.05)
        if self._rival is not None:
            self._rival.poll(0, 0)
        name, *arguments = self._host.ask(self._seen_now())
        getattr(self, f"do_{name}")(*arguments)

    def _seen_now(self) -> Turn:
        crossings = self._endpoint.identity.crossings
        fresh, self._seen = crossings[self._seen :], len(crossings)
        if self._is_source:
            return Turn((), fresh)
        offsets = self._world.kafka.group(GROUP).offsets
        committed = tuple(
            next((o for p, o in offsets.items() if p == (TOPIC, n)), 0) for n in range(2)
        )
        return Turn(committed, fresh)

    def _pass(self, seconds: float) -> None:
        """Advance time; a paused source resumes automatically, since it has no turns."""
        self._world.clock.advance(seconds)
        if self._resume_at is not None and self._world.clock() >= self._resume_at:
            self._resume_at = None
            self._control.resume()

    def do_go(self) -> None:
        """Nothing but the next poll."""

    def do_produce(self, payloads: list[bytes]) -> None:
        """More records, right now; those of a source are in the endpoint already."""
        self._values = [*self._values, *payloads]
        if self._is_source:
            self._world.fed += len(payloads)
            return
        for _ in payloads:
            self._produce(self._world.fed)
            self._world.fed += 1

    def do_advance(self, seconds: float) -> None:
        """Let time pass: commits fall due."""
        self._world.clock.advance(seconds)

    def do_pause(self) -> None:
        """Hold the task; a source goes on after a while, a sink with ``resume``."""
        if self._is_source:
            self._resume_at = self._world.clock() + _PAUSE_S
        self._control.pause()

    def do_resume(self) -> None:
        """Let the task go on."""
        self._control.resume()

    def do_rebalance(self) -> None:
        """Another member joins the group, or the one that has joined leaves it."""
        if self._rival is None:
            self._rival = SimulatedConsumer(self._world.kafka, GROUP, Recorder())
            self._rival.subscribe([TOPIC], _Nothing())
        else:
            self._rival.close()
            self._rival = None

    def do_lose(self) -> None:
        """The group puts the task out as if it had been silent."""
        self._world.clock.advance(100.0)

    def do_refuse(self) -> None:
        """The group refuses the next commit."""
        self._consumer.refuse_next_commit(Refusal("REBALANCE_IN_PROGRESS"))

    def do_fault(self, kind: str) -> None:
        """The next call to the endpoint goes wrong."""
        self._endpoint.strike(EndpointFault(FaultKind(kind), len(self._endpoint.calls)))

    def do_heal(self) -> None:
        """Nothing goes wrong any more."""
        self._endpoint.strike(None)

    def do_crash(self) -> None:
        """Stop the world."""
        self._crash()

    def do_restart(self) -> None:
        """Stop the task; the next turn belongs to a new one."""
        self._control.resume()
        self._control.stop()

    def do_finish(self) -> None:
        """Heal everything and drain."""
        self.do_heal()
        self._control.resume()
        if self._rival is not None:
            self.do_rebalance()
        self._autopilot = True


class _Nothing:
    """A listener for a group member that only takes partitions away."""

    def assigned(self, partitions: Sequence[TopicPartition]) -> None:
        """They are not read."""

    def revoked(self, partitions: Sequence[TopicPartition]) -> None:
        """Nothing of them was read."""

    def lost(self, partitions: Sequence[TopicPartition]) -> None:
        """The same."""
