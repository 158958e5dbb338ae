"""Check of tasks that run in separate processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import SOURCE_ONLY, Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import seeds
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    Level,
    NotApplicableError,
    Severity,
)
from plugwright_conformance.processes.isolated import run_isolated

if TYPE_CHECKING:
    from plugwright_conformance.catalogue.bench import Bench

_COUNT = 30
_TASKS = 3
_SCENARIO = "each task in a process of its own, as on executors, with a hash seed of its own"


@registered
class TasksAgreeInProcessesOfTheirOwn(Check):
    """Tasks in separate processes divide the work completely and without overlap."""

    id = "CON-PAR-08"
    severity = Severity.SHOULD
    kinds = SOURCE_ONLY
    level = Level.C3
    wave = 2
    title = "Tasks in separate processes read everything, and nothing twice"
    why = "Each process has its own hash seed and module variables, so tasks may disagree."
    mend = "Divide the work in task_configs(), and write the result into the task configurations."
    gate = "PART"
    origin = "petastorm#247; bytewax#227"

    def run(self, bench: Bench) -> Evidence:
        """Let every task read its share until nothing more arrives."""
        with bench.endpoint() as endpoint:
            endpoint.driver.seed(seeds(bench, _COUNT))
            with bench.started_connector(bench.config(endpoint)) as connector:
                task_class = connector.task_class()
                configs = connector.task_configs(_TASKS)
            if len(configs) < 2:  # noqa: PLR2004  # two that could disagree
                raise NotApplicableError("there is work for one task only")
            found = [
                value
                for number, config in enumerate(configs)
                for value in run_isolated(
                    bench.subject,
                    "read-through",
                    _SCENARIO,
                    hash_seed=number,
                    module=task_class.__module__,
                    qualname=task_class.__qualname__,
                    config=dict(config),
                    count=_COUNT,
                )["values"]
            ]
        missing, repeated = _COUNT - len(set(found)), len(found) - len(set(found))
        if missing > 0 or repeated:
            raise CheckFailedError(
                expected=f"{_COUNT} values, each from one task",
                observed=f"{missing} missing, {repeated} more than once",
                scenario=f"{_SCENARIO}; {len(configs)} tasks",
                likely="tasks divide the work by hash(), or by state shared within one process",
            )
        return Evidence(len(found), figures={"tasks": len(configs)})
