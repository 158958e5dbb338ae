"""Check that offsets wait for reports that are on their way to the dead-letter queue."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import SINK_ONLY
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._faults import sampled
from plugwright_conformance.checks._poison import BAD, WITH_QUEUE, poisoned
from plugwright_conformance.checks.undeclared_types import undeclared_value
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    Level,
    NotApplicableError,
)
from plugwright_conformance.simulator import POISON, SimulatedCheck

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright_conformance.simulator import Experiment, ExperimentFactory, Plan

_PLACES = {"put.return", "pre-commit.return", "group.commit.return", "close"}
_POINTS = 12


@registered
class ReportsPrecedeOffsets(SimulatedCheck):
    """No offset passes a bad record whose report has not been stored."""

    id = "SNK-ERR-07"
    kinds = SINK_ONLY
    level = Level.C3
    wave = 2
    title = "Reports are in the dead-letter queue before offsets move past their records"
    why = "A crash in between loses the record: it is neither at the endpoint nor in the queue."
    mend = "Report in put(); wait for the future in pre_commit(), and before own offsets move."
    origin = "KIP-610"
    budget_s = 120.0

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Let reports wait in the producer, crash after each step, and let a new task go on."""
        declaration = factory.bench.subject.declaration
        if not declaration.dead_letters:
            raise NotApplicableError("dlq is not declared")
        poison = undeclared_value(factory.bench)
        factory.plan = replace(factory.plan, errors=WITH_QUEUE, poison=poison)
        late = replace(factory.plan, late_letters=True)
        places = self._places(factory, late)
        for name, occurrence in places:
            self._crash(factory, replace(late, stop_in=(name, occurrence)))
        return Evidence(len(places) * len(BAD), figures={"crashes": len(places)})

    @staticmethod
    def _places(factory: ExperimentFactory, late: Plan) -> Sequence[tuple[str, int]]:
        """The steps of a life without a crash, each with the number of its occurrence."""
        with poisoned(factory) as experiment:
            life = experiment.live(late)
            _require_all(experiment, "no crash")
        seen: Counter[str] = Counter()
        places = []
        for name in life.events:
            seen[name] += 1
            if name in _PLACES:
                places.append((name, seen[name]))
        return [places[number] for number in sampled(range(len(places)), _POINTS)]

    @staticmethod
    def _crash(factory: ExperimentFactory, plan: Plan) -> None:
        assert plan.stop_in is not None  # noqa: S101  # made with it
        name, occurrence = plan.stop_in
        with poisoned(factory) as experiment:
            experiment.live(plan)
            experiment.drain()
            _require_all(experiment, f"a crash after {name} number {occurrence}, then a new task")


def _require_all(experiment: Experiment, happened: str) -> None:
    """Every good record is at the endpoint, and every bad one in the queue, maybe twice."""
    scenario = f"reports reach the dead-letter queue only when somebody waits; {happened}"
    found = experiment.reconcile()
    bad = {payload for payload in experiment.payloads if payload.startswith(POISON)}
    missing = bad - {*experiment.dead_letters()}
    if missing or found.lost or found.foreign:
        raise CheckFailedError(
            expected=f"all {len(bad)} bad records in the dead-letter queue, all others stored",
            observed=f"{len(missing)} of the bad records lost; {found}",
            scenario=scenario,
            likely="a report is made in or after pre_commit(), and its future is not awaited",
        )
