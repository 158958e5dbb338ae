"""Checks of needless repeats, and of offsets that are never committed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import Level, Severity
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._faults import FOR_EVER_S, sampled, struck
from plugwright_conformance.checks.harmless_calls import first_calls, is_first
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError
from plugwright_conformance.simulator import (
    GROUP,
    EndpointFault,
    FaultKind,
    Intake,
    SimulatedCheck,
)
from plugwright_conformance.subject.names import TOPIC

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright_conformance.simulator import Call, Experiment, ExperimentFactory, LifeReport


_FEW, _POINTS, _COMMITS = 24, 12, 4
_POINTS_IN_CROWDS = 3
_CROWDS: Mapping[int, Intake] = {
    30: Intake(fetch=30, first=2, across=True, share=5),
    240: Intake(fetch=240, first=8, across=True, share=10),
}
"""Batches that fill buffers of any usual size: few records of one partition, then many of another.

Some of the first partition have come with the batch before. When the write of the second one fails,
those and what the batch had of the first partition wait, and of these the latter come again.
"""
_MORE = 11
_IDLE = 8
_PATIENCE = 600
_BUDGET_S = 120.0


def _uneventful(lives: Sequence[LifeReport]) -> bool:
    """Whether one task did it all, so that nothing had to come again."""
    return len(lives) == 1 and lives[0].ending == "stopped"


def _require_bound(experiment: Experiment, scenario: str, likely: str, bound: int = 0) -> None:
    found = experiment.reconcile()
    if found.duplicated > bound:
        raise CheckFailedError(
            expected=f"at most {bound} values twice" if bound else "every value once",
            observed=str(found),
            scenario=scenario,
            likely=likely,
        )


def _lag(experiment: Experiment) -> int:
    """How many records the group would be given again."""
    kafka = experiment.world.kafka
    return 0 if experiment.factory.is_source else kafka.lag(GROUP, TOPIC)


def _shows_nothing(factory: ExperimentFactory, number: int) -> bool:
    """Whether the endpoint has no uncommitted record when nothing succeeds from this call on."""
    with factory.experiment() as experiment:
        fault = EndpointFault(FaultKind.OUTAGE, number, FOR_EVER_S)
        experiment.live(replace(factory.plan, fault=fault))
        committed = sum(experiment.committed(partition) for partition in range(2))
        return len(experiment.observed()) <= committed


@registered
class RepetitionStaysInBounds(SimulatedCheck):
    """Records are repeated only after failures."""

    id = "CON-DLV-04"
    revision = 4
    severity = Severity.SHOULD
    level = Level.C3
    wave = 2
    title = "Duplicates stay inside the declared bound"
    why = (
        "At-least-once permits repeats after failures; repeats without one are counted twice "
        "every day."
    )
    mend = "Discard records already returned, and continue from the last committed offset."
    budget_s = 180.0

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Idle, start again, and fail calls that had no effect; look for repetitions."""
        factory.plan = replace(factory.plan, idle=_IDLE)
        life = self._calm(factory)
        points, after_puts = first_calls(life.calls)
        if factory.bench.subject.declaration.keeps_own_offsets:
            points = []  # with its connection an endpoint takes back what is not acknowledged
        failures = self._failed(factory, life.calls, sampled(points, _POINTS))
        hidden = [n for n in sampled(after_puts, _COMMITS) if _shows_nothing(factory, n)]
        failures += self._failed(factory, life.calls, hidden)
        if not factory.is_source:
            for count, intake in _CROWDS.items():
                factory.plan = replace(factory.plan, intake=intake)
                with factory.experiment(count) as experiment:
                    calls = experiment.live(factory.plan).calls
                points = sampled(first_calls(calls)[0], _POINTS_IN_CROWDS)
                failures += self._failed(factory, calls, points, count)
        return Evidence(2 + failures, figures={"harmless_failures": failures})

    @staticmethod
    def _failed(
        factory: ExperimentFactory, calls: Sequence[Call], points: Sequence[int], count: int = _FEW
    ) -> int:
        """Fail calls before which nothing was done, each in a life of its own; how many."""
        for number in points:
            with factory.experiment(count) as experiment:
                lives = experiment.drain(struck(factory, FaultKind.TRANSIENT, number))
                if _uneventful(lives) and is_first(calls, lives[0].calls, number):
                    _require_bound(
                        experiment,
                        f"{calls[number].name} failed at call {number} of {count} records, before "
                        "anything was done; no restart",
                        "records of a failed call stay buffered and are delivered again",
                    )
        return len(points)

    @staticmethod
    def _calm(factory: ExperimentFactory) -> LifeReport:
        """Two lives without a fault, between which everything was committed."""
        with factory.experiment() as experiment:
            lives = experiment.drain()
            if not _uneventful(lives):
                return lives[0]
            _require_bound(
                experiment,
                "no fault, and idle polls between the batches and at the end",
                "a batch is not discarded, or an idle source starts over",
            )
            open_still = _lag(experiment)
            experiment.grow(_MORE)
            if _uneventful(experiment.drain()):
                _require_bound(
                    experiment,
                    "stopped, and started again with more to do",
                    "the new task starts before the committed offset",
                    open_still,
                )
        return lives[0]


@registered
class LagDrains(SimulatedCheck):
    """When everything is written, everything is committed."""

    id = "SNK-OFF-08"
    revision = 2
    level = Level.C3
    wave = 2
    title = "Lag drains to zero after finite input"
    why = "Records written and never committed are delivered again after every restart."
    mend = "Return the offset after the last durable record for every partition that has one."
    budget_s = _BUDGET_S

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Feed two of three partitions, wait, and start again if something is still open.

        A sink that goes on from offsets of its own need not commit any.
        """
        plan = replace(factory.plan, idle=_IDLE, patience=_PATIENCE)
        with factory.experiment(idle_partitions=1) as experiment:
            experiment.live(plan)
            if experiment.reconcile().lost:
                raise NotApplicableError("not everything was written, so the rest is uncommitted")
            before, positions = _lag(experiment), self._positions(experiment)
            if before:
                experiment.live(plan)
            found, behind = experiment.reconcile(), self._is_one_behind(experiment)
        if before and (found.duplicated or behind):
            repeated = str(found) if found.duplicated else "each is one behind, and stays so"
            raise CheckFailedError(
                expected=f"a lag of 0: a commit at the end of {TOPIC}-0 and {TOPIC}-1",
                observed=f"{positions}; {repeated}",
                scenario=f"everything was written, and {TOPIC}-2 is idle; uncommitted records are "
                "repeated at the next start",
                likely="offsets are those of the last record itself, or wait for other partitions",
            )
        return Evidence(found.entered, found.digest, {**found.figures(), "lag": before})

    @staticmethod
    def _is_one_behind(experiment: Experiment) -> bool:
        """Whether the last record of each partition stays uncommitted, although it is written."""
        kafka = experiment.world.kafka
        return all(
            kafka.log(TOPIC, number).end == experiment.committed(number) + 1 for number in range(2)
        )

    @staticmethod
    def _positions(experiment: Experiment) -> str:
        ends = [experiment.world.kafka.log(TOPIC, number).end for number in range(2)]
        return ", ".join(
            f"{TOPIC}-{number} committed up to {experiment.committed(number)} of {end}"
            for number, end in enumerate(ends)
        )
