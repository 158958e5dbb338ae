"""Checks of pauses, failed plugin threads and endless outages."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import SINK_ONLY, Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._faults import FOR_EVER_S, healthy_calls, sampled, struck
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    NotApplicableError,
    NotRunError,
)
from plugwright_conformance.simulator import EndpointFault, FaultKind, SimulatedCheck, Walk

if TYPE_CHECKING:
    from plugwright_conformance.simulator import Call, ExperimentFactory, LifeReport

_PAUSES, _EACH = 3, 9
_POINTS = 6
_LONG = 400
"""Idle polls for which an endless outage is watched."""


@registered
class PausesLoseNothing(SimulatedCheck):
    """A pause loses no records."""

    id = "CON-LIF-12"
    level = Level.C4
    wave = 2
    title = "Pause and resume lose nothing"
    why = "If an operator pauses a connector for an hour, records already fetched must not be lost."
    mend = "Keep fetched records and continue with them, however long poll() was not called."
    origin = "DUCK; file-pulse#29"

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Pause again and again in the middle of the stream, with new records meanwhile."""
        walk = Walk(factory)
        try:
            for _ in range(_PAUSES):
                for step in (
                    ("produce", _EACH),
                    ("go",),
                    ("pause",),
                    ("produce", _EACH),
                    ("advance", 5.0),
                    ("resume",),
                    ("go",),
                ):
                    walk.step(*step)
            walk.finish()
        finally:
            walk.close()
        return Evidence(2 * _PAUSES * _EACH, figures={"pauses": _PAUSES})


@registered
class DeadThreadsAreNoticed(SimulatedCheck):
    """An error that ends a plugin's thread fails the task."""

    id = "CON-ERR-04"
    level = Level.C4
    wave = 2
    title = "Failures in the plugin's threads reach the runtime"
    why = "The writer thread has died, but put() keeps accepting and the status stays RUNNING."
    mend = "Keep the thread's exception, and raise it from the next poll(), put() or pre_commit()."
    origin = "G-Err; connect-fs#84"
    budget_s = 180.0

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Let a call on a thread of the task fail permanently; the task must raise an error."""
        calls = healthy_calls(factory)
        points = sampled([n for n, call in calls.items() if call.own_thread], _POINTS)
        if not points:
            raise NotApplicableError("the task calls its endpoint on no thread of its own")
        retrying = 0
        for number in points:
            with factory.experiment() as experiment:
                life = experiment.live(struck(factory, FaultKind.EXPIRED, number))
            retrying += self._must_be_heard_of(life, number, calls[number])
        if retrying == len(points):
            raise NotRunError("its thread kept retrying during the whole observation")
        return Evidence(len(points) - retrying, figures={"failed_calls": len(points)})

    @staticmethod
    def _must_be_heard_of(life: LifeReport, number: int, call: Call) -> bool:
        """Whether the life shows nothing yet, because the thread goes on trying."""
        if life.ending in {"failed", "hung"} or life.crossings or life.drained:
            return False
        if len(life.calls) > number + 1:
            return True
        raise CheckFailedError(
            expected="an error from poll(), put() or pre_commit()",
            observed="no error, and nothing more was moved",
            scenario=f"{call.name} on a thread of the task's own failed: the login has expired",
            likely="the thread has ended, and the task does not check it",
        )


@registered
class ExhaustedRetriesAcknowledgeNothing(SimulatedCheck):
    """A task that gives up raises an error."""

    id = "SNK-ERR-03"
    kinds = SINK_ONLY
    level = Level.C3
    wave = 2
    title = "Exhausted retries end in failure, without a commit"
    why = "After the last retry the batch is dropped and its offset committed, unnoticed."
    mend = "When retries are exhausted, raise ConnectError; never return as if the write succeeded."
    origin = "G-Err; bigquery#68"
    budget_s = 180.0

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Let every call of one kind fail until the task gives up; then let them succeed."""
        calls = healthy_calls(factory, "put", "pre_commit")
        points = sampled(sorted(calls), _POINTS)
        attempts = 0
        for number in points:
            fault = EndpointFault(FaultKind.OUTAGE, number, FOR_EVER_S, calls[number].name)
            with factory.experiment() as experiment:
                life = experiment.live(replace(factory.plan, fault=fault, patience=_LONG))
                attempts += len(life.calls) - number
                if missing := experiment.not_durable():
                    raise CheckFailedError(
                        expected="every record below the committed offset at the endpoint",
                        observed=f"{len(missing)} not there, first {missing[0]}",
                        scenario=f"every {fault.only} failing from call {number} on, through "
                        f"{_LONG} idle polls",
                        likely="after the last retry put() returns as if all records were written",
                    )
                lives = experiment.drain()
                factory.require_complete(
                    experiment,
                    lives,
                    f"every {fault.only} failing from call {number} on, then none",
                )
        return Evidence(len(points), figures={"outages": len(points), "attempts": attempts})
