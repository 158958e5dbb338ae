"""A random walk: operations on one simulation, with invariants after each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright_conformance.evidence.outcome import CheckFailedError
from plugwright_conformance.processes.isolated_process import IsolatedProcess
from plugwright_conformance.simulator._life import GROUP, REPORTED
from plugwright_conformance.simulator._piloted import PilotedLife, Turn
from plugwright_conformance.subject.names import TOPIC

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from plugwright_conformance.simulator._experiment import Experiment, ExperimentFactory
    from plugwright_conformance.simulator._life import LifeReport

_HANG_S = 10.0
_ASK = "ask"


class Walk:
    """One simulation under a sequence of operations.

    Attributes:
        script: the operations so far.
        lost: how many values were missing at the end; none for a plugin that is right.
    """

    def __init__(self, factory: ExperimentFactory) -> None:
        self._factory = factory
        self._opened: AbstractContextManager[Experiment] = factory.experiment(0)
        self._experiment = self._opened.__enter__()
        self._cell: IsolatedProcess | None = None
        self._turn = Turn((0, 0), ())
        if not factory.has_task(self._experiment):  # while the endpoint is empty
            self._operation("produce", (1,))
            self._experiment.world.fed = 1
        self.script: list[tuple[Any, ...]] = []

    def step(self, name: str, *arguments: Any) -> None:
        """Do one thing, and see that what must hold still holds.

        Raises:
            CheckFailedError: if it does not.
        """
        self.script.append((name, *arguments))
        if self._cell is None:
            self._begin_life()
        if self._cell is not None:
            self._cell.answer(self._operation(name, arguments))
            self._listen()
        self._check()

    def finish(self) -> None:
        """Heal everything, drain, and see that nothing is missing.

        Raises:
            CheckFailedError: if something is.
        """
        if self._cell is None:
            self._begin_life()
        if self._cell is not None:
            self._cell.answer(("finish",))
            self._listen()
        lives = self._experiment.drain()
        self._factory.require_complete(
            self._experiment, lives, self._words("; then healed and drained")
        )
        lag = self._experiment.world.kafka.lag(GROUP, TOPIC)
        if not self._factory.is_source and lag and any(self._turn.committed):
            raise CheckFailedError(
                expected="a lag of 0 in the end",
                observed=f"{lag}",
                scenario=self._words("; then healed and drained"),
            )

    def close(self) -> None:
        """Throw the world away."""
        if self._cell is not None:
            self._cell.close()
        self._opened.__exit__(None, None, None)

    def _operation(self, name: str, arguments: Sequence[Any]) -> tuple[Any, ...]:
        if name != "produce":
            return (name, *arguments)
        values = self._experiment.enter(arguments[0])
        if self._factory.is_source:
            self._experiment.endpoint.driver.seed(values)
        return ("produce", [value.encode() for value in values])

    def _begin_life(self) -> None:
        factory, experiment = self._factory, self._experiment
        self._cell = IsolatedProcess(
            lambda host: factory.live(experiment, factory.plan, host, PilotedLife),
            (Turn, *REPORTED),
        )
        factory.count_life()
        self._listen()

    def _listen(self) -> None:
        """Receive the next message of the task's process: a turn, or its result."""
        assert self._cell is not None  # noqa: S101  # callers have begun a life
        heard = self._cell.hear(_HANG_S)
        if heard is None:
            raise CheckFailedError("calls that return", "a task that hangs", self._words())
        kind, content = heard
        if kind == _ASK:
            self._turn = content
            return
        report: LifeReport = content
        self._experiment.take(report)
        self._cell.close()
        self._cell = None
        if report.ending == "hung":
            raise CheckFailedError("calls that return", "a task that hangs", self._words())
        self._object_to(report.foreign)

    def _check(self) -> None:
        self._object_to([c for c in self._turn.crossings if not c.is_connect])
        if self._factory.is_source:
            return
        values = self._experiment.ledger.values
        present = set(self._experiment.observed())
        for partition, committed in enumerate(self._turn.committed):
            below = values[partition::2][:committed]
            if missing := [value for value in below if value not in present]:
                raise CheckFailedError(
                    expected=f"every record below commit {committed} for ({TOPIC}, {partition}) "
                    "at the endpoint",
                    observed=f"{len(missing)} lost, first id {missing[0][:8]}",
                    scenario=self._words(),
                    likely="something is called done that is not, after this very sequence",
                )

    def _object_to(self, foreign: Sequence[Any]) -> None:
        if foreign:
            raise CheckFailedError(
                expected="Connect errors only", observed=str(foreign[0]), scenario=self._words()
            )

    def _words(self, more: str = "") -> str:
        steps = [" ".join(map(str, step)) for step in self.script]
        return f"{', '.join(steps) or 'nothing'}{more}"


def shrunk(
    factory: ExperimentFactory,
    script: Sequence[tuple[Any, ...]],
    failure: CheckFailedError,
    tries: int,
) -> CheckFailedError:
    """The same failure after fewer operations, as far as it is found in so many tries."""
    best, size = list(script), max(len(script) // 2, 1)
    while tries and size:
        begin = 0
        while begin < len(best) and tries:
            tries -= 1
            candidate = best[:begin] + best[begin + size :]
            found = _replayed(factory, candidate)
            if found is None:
                begin += size
            else:
                best, failure = candidate, found
        size //= 2
    return failure


def _replayed(
    factory: ExperimentFactory, script: Sequence[tuple[Any, ...]]
) -> CheckFailedError | None:
    walk = Walk(factory)
    try:
        for name, *arguments in script:
            walk.step(name, *arguments)
        walk.finish()
    except CheckFailedError as failure:
        return failure
    finally:
        walk.close()
    return None
