"""Check of a system clock that is set back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, Level
from plugwright_conformance.simulator import SimulatedCheck

if TYPE_CHECKING:
    from plugwright_conformance.simulator import ExperimentFactory

_BACK_S = 86_400.0
_IDLE = 3
"""Idle polls before there is more, so that a task has looked in vain when the clock is set back."""


@registered
class ClockMayBeSetBack(SimulatedCheck):
    """Intervals do not depend on the system clock."""

    id = "CON-LIF-16"
    level = Level.C4
    wave = 2
    title = "A clock that is set back delays and loses nothing"
    why = "Clocks get corrected; until the old time is reached again, nothing is read or flushed."
    mend = "Measure delays and intervals with time.monotonic(), never with time.time()."
    origin = "apache/storm#4907"
    budget_s = 120.0

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Live once as always, and once with a clock that is set back by a day in between."""
        plan = replace(factory.plan, idle=_IDLE)
        with factory.experiment() as experiment:
            usual = experiment.live(plan)
            factory.require_complete(experiment, [usual], "no fault")
        with factory.experiment() as experiment:
            life = experiment.live(replace(plan, set_back_s=_BACK_S))
            found = experiment.reconcile()
            if found.lost or (usual.drained and not life.drained):
                raise CheckFailedError(
                    expected="all records delivered, as with an unchanged clock",
                    observed=f"{found}; the task {life.ending}{life.error and f': {life.error}'}",
                    scenario=f"the clock was set back by {_BACK_S:g} s in the middle of the data",
                    likely="an interval is measured with time.time()",
                )
            factory.require_complete(experiment, [life], "the clock was set back")
        return Evidence(found.entered, found.digest, found.figures())
