"""Check of refusals that waiting does not heal."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import Level, Severity
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError
from plugwright_conformance.simulator import SimulatedCheck

if TYPE_CHECKING:
    from plugwright_conformance.simulator import Experiment, ExperimentFactory, LifeReport

_PATIENCE = 400
"""Idle polls for which an error is awaited, so that a task may try again some times."""
_IDLE = 20
"""Idle polls before the refusal: few, for those of some connectors take real time."""
_BEFORE = (0, 10)
"""How many values there are before a source is refused."""


@registered
class RefusalFailsTheTask(SimulatedCheck):
    """A refusal that waiting does not heal fails the task."""

    id = "CON-ERR-06"
    revision = 2
    severity = Severity.SHOULD
    level = Level.C4
    wave = 2
    title = "A refusal that waiting cannot heal fails the task"
    why = "A task that retries without a permission or a table stays RUNNING; no one notices."
    mend = "Raise ConnectError for refusals; retry what may pass, such as timeouts and overload."
    origin = "jdbc#1205; airbyte#29741; connect-fs#84"
    budget_s = 120.0

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Have the endpoint refuse for good, before the first record and later; await an error."""
        factory.plan = replace(factory.plan, patience=_PATIENCE, idle=_IDLE)
        with factory.bench.endpoint() as endpoint:
            if endpoint.driver.hook("deny") is None:
                raise NotApplicableError("the endpoint driver does not implement deny()")
        places = _BEFORE if factory.is_source else _BEFORE[:1]
        for before in places:
            with factory.experiment() as experiment:
                life = self._denied(experiment, before)
            if life.ending != "failed" and not _fails_commits(life):
                raise CheckFailedError(
                    expected="an error that fails the task",
                    observed=f"no error, through {_PATIENCE} idle polls",
                    scenario=f"the endpoint driver denied the service for good, after {before} "
                    "values",
                    likely="every error is retried, or passed over",
                )
        return Evidence(len(places))

    @staticmethod
    def _denied(experiment: Experiment, before: int) -> LifeReport:
        if experiment.factory.is_source:
            experiment.denied_after = before
        else:
            experiment.endpoint.driver.hook("deny")
        return experiment.live(experiment.factory.plan)


def _fails_commits(life: LifeReport) -> bool:
    """Whether commits have failed, which the worker logs and tries again."""
    return any(crossing.phase == "pre_commit" for crossing in life.crossings)
