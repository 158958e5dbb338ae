"""The hypothesis state machine that chooses operations of a walk; imported on demand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from hypothesis import HealthCheck, Phase, Verbosity, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    precondition,
    rule,
    run_state_machine_as_test,
)

from plugwright_conformance.evidence.outcome import CheckFailedError
from plugwright_conformance.processes.virtual_time import real_s
from plugwright_conformance.simulator._faults import FaultKind
from plugwright_conformance.simulator._walk import Walk, shrunk

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugwright_conformance.simulator._experiment import ExperimentFactory

__all__ = ["random_walk"]

_EXAMPLES, _LEAST_EXAMPLES = 24, 6
_LONG_S = 120.0
"""After which only the least number of worlds is completed."""
_STEPS = 50
_SHRINKING = 150
_FAULTS = (FaultKind.TRANSIENT, FaultKind.RESET, FaultKind.FOREIGN)

_Found = tuple[list[tuple[Any, ...]], CheckFailedError]


def random_walk(factory: ExperimentFactory, number: int) -> dict[str, int]:
    """Walk at random: two dozen worlds of up to 50 operations; how often each was done.

    Where operations take long, as with polls that wait for another thread, there are fewer worlds.

    Args:
        factory: makes the worlds.
        number: the seed; the same one, the same walks.

    Raises:
        CheckFailedError: if an invariant is broken; its scenario is the shortest script found.
    """
    done: dict[str, int] = {}
    failures: list[_Found] = []
    limit = _Limit()
    context = {"factory": factory, "done": done, "failures": failures, "limit": limit}
    machine = seed(number)(type("Machine", (_Machine,), context))
    chosen = settings(
        max_examples=_EXAMPLES,
        stateful_step_count=_STEPS,
        database=None,
        deadline=None,
        phases=[Phase.generate],  # shrinking there knows no limit of time
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
    )
    try:
        run_state_machine_as_test(machine, settings=chosen)
    except CheckFailedError:
        script, failure = min(failures, key=lambda found: len(found[0]))
        raise shrunk(factory, script, failure, _SHRINKING) from None
    return {**done, "worlds": limit.worlds}


class _Limit:
    """Decides how many worlds there are.

    Attributes:
        worlds: how many there have been.
    """

    def __init__(self) -> None:
        self.worlds = 0
        self._begun_s = real_s()

    def next(self) -> bool:
        """Whether there is to be another world; counts it."""
        if self.worlds >= _LEAST_EXAMPLES and real_s() > self._begun_s + _LONG_S:
            return False
        self.worlds += 1
        return True


class _Machine(RuleBasedStateMachine):
    """Every operation is legal at any time."""

    factory: ClassVar[ExperimentFactory]
    done: ClassVar[dict[str, int]]
    failures: ClassVar[list[_Found]]
    limit: ClassVar[_Limit]

    def __init__(self) -> None:
        super().__init__()
        self._walk = Walk(self.factory) if self.limit.next() else None
        self._broken = False

    def _do(self, name: str, *arguments: Any) -> None:
        if self._walk is None:
            return
        walk = self._walk
        self.done[name] = self.done.get(name, 0) + 1
        self._guard(lambda: walk.step(name, *arguments))

    def _guard(self, action: Callable[[], None]) -> None:
        try:
            action()
        except CheckFailedError as failure:
            self._broken = True
            if self._walk is not None:
                self.failures.append((list(self._walk.script), failure))
            raise

    @rule(count=st.integers(1, 6))
    def produce(self, count: int) -> None:
        """More records."""
        self._do("produce", count)

    @rule(name=st.sampled_from(["go", "heal", "crash", "restart", "pause", "resume"]))
    def act(self, name: str) -> None:
        """Perform an operation without arguments."""
        self._do(name)

    @rule(seconds=st.sampled_from([0.2, 1.0, 5.0]))
    def advance(self, seconds: float) -> None:
        """Time passes."""
        self._do("advance", seconds)

    @rule(kind=st.sampled_from([kind.value for kind in _FAULTS]))
    def fault(self, kind: str) -> None:
        """The next call goes wrong."""
        self._do("fault", kind)

    @precondition(lambda self: not self.factory.is_source)
    @rule(name=st.sampled_from(["rebalance", "lose", "refuse"]))
    def disturb(self, name: str) -> None:
        """The group has its own mind."""
        self._do(name)

    def teardown(self) -> None:
        """Heal, drain, compare."""
        if self._walk is None:
            return
        try:
            if not self._broken:
                self._guard(self._walk.finish)
        finally:
            self._walk.close()
