"""Check of batches that are planned and never executed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import SOURCE_ONLY, Check, Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import drained, seeds
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence

if TYPE_CHECKING:
    from plugwright_conformance.catalogue.bench import Bench

_COUNT, _PLANS, _TASKS = 24, 3, 2


@registered
class PlanningTakesNothing(Check):
    """What was only planned is still there for the next plan."""

    id = "CON-SPK-06"
    level = Level.C4
    wave = 2
    kinds = SOURCE_ONLY
    title = "The endpoint is acknowledged for records that are durable, not for planned ones"
    why = (
        "A driver may die after it has planned a batch, or plan it again, before a record is read."
    )
    mend = "Leave the endpoint as it is in start() and task_configs(); acknowledge in commit()."
    origin = "SPK"

    def run(self, bench: Bench) -> Evidence:
        """Plan several times, and let only the tasks of the last plan read; compare."""
        values = seeds(bench, _COUNT)
        with bench.endpoint() as endpoint:
            endpoint.driver.seed(values)
            config = bench.config(endpoint)
            for _ in range(_PLANS):
                with bench.started_connector(config) as connector:
                    task_class = connector.task_class()
                    configs = [dict(task) for task in connector.task_configs(_TASKS)]
            found = drained(task_class, configs, _COUNT)
        missing = _COUNT - sum(map(len, found))
        if missing > 0:
            raise CheckFailedError(
                expected=f"all {_COUNT} values",
                observed=f"{missing} of them missing",
                scenario=f"tasks were planned {_PLANS} times; those of the last plan read",
                likely="start() or task_configs() acknowledges what is there",
            )
        return Evidence(_COUNT, figures={"plans": _PLANS, "tasks": len(configs)})
