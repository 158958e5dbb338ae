"""Check of what temporary errors and failed starts leave behind."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._faults import healthy_calls, sampled, struck
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    Level,
    NotApplicableError,
    NotRunError,
)
from plugwright_conformance.processes.temporary import kept_in
from plugwright_conformance.simulator import FaultKind, SimulatedCheck

if TYPE_CHECKING:
    from plugwright_conformance.simulator import Experiment, ExperimentFactory, LifeReport

_POINTS, _STARTS = 14, 4
_TIDYING = ("unlink", "remove", "rmdir", "truncate", "ftruncate")
"""Calls that take something away: when they fail, what stays is no neglect."""


@registered
class HealedErrorsLeaveNothing(SimulatedCheck):
    """A temporary error leaves nothing behind, whether the task goes on or cannot start."""

    id = "CON-RES-11"
    revision = 3
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
        usual = self._lived(factory, None).left
        names = {n: call.name.rpartition(".")[2] for n, call in calls.items()}
        points = sampled([n for n, name in names.items() if name not in _TIDYING], _POINTS)
        begun = sampled([n for n, call in calls.items() if call.phase == "start"], _STARTS)
        lives = {n: self._lived(factory, n) for n in sorted({*points, *begun})}
        healed = 0
        for number, life in lives.items():
            if not (_went_on(life) or (number in begun and life.ending == "failed")):
                continue
            healed += 1
            for what, count in life.left.items():
                if count > usual.get(what, 0):
                    raise CheckFailedError(
                        expected=f"{usual.get(what, 0)} of {what} left, as without errors",
                        observed=f"{count} left behind",
                        scenario=f"{calls[number].name} failed once at call {number}, in "
                        f"{calls[number].phase}(); the task was stopped at the end",
                        likely="a failed attempt does not close or remove what it created",
                    )
        if not healed and all(life.ending == "failed" for life in lives.values()):
            raise NotApplicableError("every error ends the task, so none is temporary")
        if not healed:
            raise NotRunError("no task went on in time after an error")
        return Evidence(healed, figures={"errors": len(points), "healed": healed})

    def _lived(self, factory: ExperimentFactory, number: int | None) -> LifeReport:
        """A task run, with its leftovers by kind; files are counted if the task went on.

        Args:
            factory: of the check.
            number: of the call that fails; none for a life without errors.
        """
        plan = factory.plan
        if number is not None:
            plan = struck(factory, FaultKind.TRANSIENT, number)
        scratch = factory.bench.directory()
        with kept_in(scratch), factory.experiment() as experiment:
            life = experiment.live(plan)
            if not _went_on(life):
                return life
            files = {
                "temporary files": sum(path.is_file() for path in scratch.rglob("*")),
                "dead files at the endpoint": len(self._dead(experiment)),
            }
            return replace(life, left={**life.left, **files})

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


def _went_on(life: LifeReport) -> bool:
    """Whether the task outlived the error, if there was one."""
    return life.ending == "stopped" and life.drained
