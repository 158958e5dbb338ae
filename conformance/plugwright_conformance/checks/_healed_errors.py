"""Check of what temporary errors and failed starts leave behind."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._faults import healthy_calls, sampled, struck
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, Level, NotRunError
from plugwright_conformance.processes.temporary import kept_in
from plugwright_conformance.simulator import FaultKind, SimulatedCheck

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright_conformance.simulator import Experiment, ExperimentFactory

_POINTS, _STARTS = 14, 4
_TIDYING = ("unlink", "remove", "rmdir", "truncate", "ftruncate")
"""Calls that take something away: when they fail, what stays is no neglect."""


@registered
class HealedErrorsLeaveNothing(SimulatedCheck):
    """A temporary error leaves nothing behind, whether the task goes on or cannot start."""

    id = "CON-RES-11"
    revision = 2
    level = Level.C3
    wave = 2
    title = "Temporary errors leave no thread, handle, process or partial file behind"
    why = "Every short outage leaks a connection or a partial file, until none are left."
    mend = "Close in a finally block what the attempt opened, and remove partial files."
    origin = "debezium-connector-jdbc#44; clickhouse-sink#1258; bigquery#412"
    budget_s = 180.0

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Let single calls fail once; compare what is left with a life without errors."""
        calls = healthy_calls(factory)
        factory.plan = replace(factory.plan, census=True)
        usual = self._left(factory, None)
        names = {n: call.name.rpartition(".")[2] for n, call in calls.items()}
        points = sampled([n for n, name in names.items() if name not in _TIDYING], _POINTS)
        begun = sampled([n for n, call in calls.items() if call.phase == "start"], _STARTS)
        healed = 0
        for number in sorted({*points, *begun}):
            found = self._left(factory, number, starting=number in begun)
            healed += found is not None
            for what, count in (found or {}).items():
                if count > (usual or {}).get(what, 0):
                    raise CheckFailedError(
                        expected=f"{(usual or {}).get(what, 0)} of {what} left, as without errors",
                        observed=f"{count} left behind",
                        scenario=f"{calls[number].name} failed once at call {number}, in "
                        f"{calls[number].phase}(); the task was stopped at the end",
                        likely="a failed attempt does not close or remove what it created",
                    )
        if not healed:
            raise NotRunError("no error was temporary: each one ended the task")
        return Evidence(healed, figures={"errors": len(points), "healed": healed})

    def _left(
        self, factory: ExperimentFactory, number: int | None, *, starting: bool = False
    ) -> Mapping[str, int] | None:
        """Leftovers of a task run by kind; ``None`` if it ended before the error passed.

        Args:
            factory: of the check.
            number: of the call that fails; none for a life without errors.
            starting: whether the call is one of start(), which the error may end.
        """
        plan = factory.plan
        if number is not None:
            plan = struck(factory, FaultKind.TRANSIENT, number)
        scratch = factory.bench.directory()
        with kept_in(scratch), factory.experiment() as experiment:
            life = experiment.live(plan)
            if life.ending != "stopped" or not life.drained:
                return life.left if starting and life.ending == "failed" else None
            files = {
                "temporary files": sum(path.is_file() for path in scratch.rglob("*")),
                "dead files at the endpoint": len(self._dead(experiment)),
            }
            return {**life.left, **files}

    @staticmethod
    def _dead(experiment: Experiment) -> list[str]:
        """Files at the endpoint without which everything is there all the same."""
        if experiment.factory.is_source:
            return []
        there, away = (
            sorted(map(str, experiment.observed())),
            experiment.factory.bench.directory(),
        )
        dead = []
        for name in experiment.endpoint.files():
            path, aside = experiment.endpoint.directory / name, away / "aside"
            path.rename(aside)
            with suppress(Exception):  # the driver may need the file
                if sorted(map(str, experiment.observed())) == there:
                    dead.append(name)
            aside.rename(path)
        return dead
