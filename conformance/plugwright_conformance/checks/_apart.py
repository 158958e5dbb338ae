"""The check of tasks that live in processes of their own (catalogue 3.5.15)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import SOURCE_ONLY, Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._hand_driven import seeds
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
    """Tasks that never meet read everything, and nothing twice."""

    id = "CON-PAR-08"
    severity = Severity.SHOULD
    kinds = SOURCE_ONLY
    level = Level.C3
    wave = 2
    title = "Tasks in processes of their own read everything between them, and nothing twice"
    why = "What tasks decide by hash() or by a variable of the module, each process decides anew."
    mend = "Decide in task_configs() who reads what, and write it into the configuration."
    gate = "PART"
    origin = "petastorm#247; bytewax#227"

    def run(self, bench: Bench) -> Evidence:
        """Have every task read what is its own until nothing more comes."""
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
                likely="tasks divide the work by hash(), or by what they share in one process",
            )
        return Evidence(len(found), figures={"tasks": len(configs)})
