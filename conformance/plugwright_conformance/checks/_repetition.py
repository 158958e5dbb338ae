"""Checks of needless repeats, and of offsets that are never committed."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import Level, Severity
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._faults import sampled, struck
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError
from plugwright_conformance.simulator import GROUP, FaultKind, SimulatedCheck
from plugwright_conformance.subject.names import TOPIC

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright_conformance.simulator import Call, Experiment, ExperimentFactory, LifeReport


_POINTS = 12
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


def _without_effect(calls: Sequence[Call]) -> list[int]:
    """Calls before which nothing was done that may have to be done again.

    Those of a poll change nothing. Before the first one of a put nothing of its batch was written,
    before the first one of a commit nothing at all if no put since the last commit made any. Of a
    task with threads of its own nobody knows what they have done by then.
    """
    if any(call.own_thread for call in calls):
        return []
    found, written = [], False
    for (phase, _), group in groupby(enumerate(calls), lambda each: (each[1].phase, each[1].at)):
        first, _ = next(group)
        if phase in {"poll", "put"} or (phase == "pre_commit" and not written):
            found.append(first)
        written = phase == "put" or (written and phase != "pre_commit")
    return found


@registered
class RepetitionStaysInBounds(SimulatedCheck):
    """Records are repeated only after failures."""

    id = "CON-DLV-04"
    severity = Severity.SHOULD
    level = Level.C3
    wave = 2
    title = "Duplicates stay inside the declared bound"
    why = (
        "At-least-once permits repeats after failures; repeats without one are counted twice "
        "every day."
    )
    mend = "Discard records already returned, and continue from the last committed offset."
    budget_s = _BUDGET_S

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Idle, start again, and fail calls that had no effect; look for repetitions."""
        factory.plan = replace(factory.plan, idle=_IDLE)
        life = self._calm(factory)
        points = sampled(_without_effect(life.calls), _POINTS)
        for number in points:
            name = life.calls[number].name
            with factory.experiment() as experiment:
                if _uneventful(experiment.drain(struck(factory, FaultKind.TRANSIENT, number))):
                    _require_bound(
                        experiment,
                        f"{name} failed at call {number}, before anything was done; no restart",
                        "records of a failed call stay buffered and are delivered again",
                    )
        return Evidence(2 + len(points), figures={"harmless_failures": len(points)})

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
            found = experiment.reconcile()
        if before and found.duplicated:
            raise CheckFailedError(
                expected=f"a lag of 0: a commit at the end of {TOPIC}-0 and {TOPIC}-1",
                observed=f"{positions}; {found}",
                scenario=f"everything was written, and {TOPIC}-2 is idle; uncommitted records are "
                "repeated at the next start",
                likely="offsets are those of the last record itself, or wait for other partitions",
            )
        return Evidence(found.entered, found.digest, {**found.figures(), "lag": before})

    @staticmethod
    def _positions(experiment: Experiment) -> str:
        ends = [experiment.world.kafka.log(TOPIC, number).end for number in range(2)]
        return ", ".join(
            f"{TOPIC}-{number} committed up to {experiment.committed(number)} of {end}"
            for number, end in enumerate(ends)
        )
