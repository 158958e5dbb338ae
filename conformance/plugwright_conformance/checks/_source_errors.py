"""Checks of sources whose endpoint fails."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._faults import (
    complete_after_each,
    healthy_calls,
    sampled,
    struck,
)
from plugwright_conformance.checks._outages import source_over_outage
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, Level, NotRunError
from plugwright_conformance.simulator import FaultKind, SimulatedCheck

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plugwright_conformance.simulator import Call, ExperimentFactory

_OUTAGE_S = 5.0
_ONE_ATTEMPT_S = 0.01
_MOST_ATTEMPTS = 90
"""A task that does not wait makes a hundred: the worker's own turns take 50 ms there."""
_MOST_OF_OWN_THREADS = 500
"""Threads of the task's own wait in real time, maybe for some milliseconds in a test."""
_POINTS = 24


@registered
class OutageIsWaitedOut(SimulatedCheck):
    """An outage of the endpoint causes neither a failure nor a busy loop."""

    id = "SRC-ERR-01"
    revision = 3
    level = Level.C3
    title = "A temporary error yields an empty poll with back-off"
    why = (
        "A source that fails needs an operator; one that retries without delay prolongs the outage."
    )
    mend = "On a temporary error wait briefly, then return nothing or raise RetriableError."

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Make every call to the endpoint fail for five seconds; count exceptions and attempts."""
        healthy = healthy_calls(factory, "poll")
        first = min(healthy)
        scenario = f"the endpoint unreachable for {_OUTAGE_S:g} s from the first poll() on"
        with factory.experiment() as experiment:
            life = experiment.live(struck(factory, FaultKind.OUTAGE, first, _OUTAGE_S))
        if life.ending != "stopped":
            raise CheckFailedError(
                expected="empty polls, or RetriableError",
                observed=life.error or f"a task that {life.ending}",
                scenario=scenario,
                likely="a temporary error is treated as fatal",
            )
        attempts = _attempts(life.calls[first:], healthy.values())
        own_thread = all(call.own_thread for call in healthy.values())
        most = _MOST_OF_OWN_THREADS if own_thread else _MOST_ATTEMPTS
        if attempts >= most:
            raise CheckFailedError(
                expected=f"fewer than {most} attempts in {_OUTAGE_S:g} s",
                observed=f"{attempts} attempts",
                scenario=scenario,
                likely="poll() retries without a delay",
            )
        return Evidence(attempts, figures={"attempts": attempts, "outage_s": _OUTAGE_S})


def _attempts(calls: Sequence[Call], healthy: Iterable[Call]) -> int:
    """How often a task tried to reach its endpoint during an outage.

    It may make several calls for each attempt, as for each of its files: as many as it makes at
    one time when all is well. Calls that fail follow each other within milliseconds.
    """
    begin = calls[0].at
    made = [call.at for call in calls if call.at < begin + _OUTAGE_S]
    usual = max(Counter(call.at for call in healthy).values())
    waits = sum(after - before > _ONE_ATTEMPT_S for before, after in pairwise(made))
    return max(1 + waits, len(made) // usual)


@registered
class RecoveryNeedsNoRestart(SimulatedCheck):
    """The source recovers together with the endpoint."""

    id = "SRC-ERR-02"
    level = Level.C3
    title = "Recovers without a restart and without loss"
    why = "A task that stays silent after an outage looks healthy and delivers nothing."
    mend = "After an error reconnect, and resume after the last record returned."

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """End an outage that began at the first call, in the middle, at the end; reconcile.

        Where no call can be seen, the endpoint driver makes the outage.
        """
        try:
            points = sampled(sorted(healthy_calls(factory, "poll")), 8)
        except NotRunError:
            return source_over_outage(factory)
        for number in points:
            scenario = f"the endpoint unreachable for {_OUTAGE_S:g} s from call {number} on"
            with factory.experiment() as experiment:
                life = experiment.live(struck(factory, FaultKind.OUTAGE, number, _OUTAGE_S))
                found = factory.require_complete(
                    experiment,
                    [life],
                    f"{scenario}, then back; the task was not restarted",
                    likely="the connection is not reopened, or records already read are dropped",
                )
        figures = {**found.figures(), "outages": len(points)}
        return Evidence(len(points) * found.entered, found.digest, figures)


@registered
class FailedPollKeepsPosition(SimulatedCheck):
    """Records of a failed poll are read again."""

    id = "SRC-ERR-04"
    level = Level.C3
    title = "A failed poll does not advance the position"
    why = "Records between the old and the new position are skipped silently."
    mend = "Advance the position when records are returned, and reset it after an error."
    budget_s = 120.0

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Fail each call of poll() once, before it was made, and after it has read."""
        points = sampled(sorted(healthy_calls(factory, "poll")), _POINTS)
        kinds = (FaultKind.TRANSIENT, FaultKind.RESET, FaultKind.PARTIAL)
        likely = "the position advances before the records are returned"
        found, cells, _ = complete_after_each(factory, kinds, points, likely)
        return Evidence(cells, found.digest, {**found.figures(), "cells": cells})
