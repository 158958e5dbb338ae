"""Checks of sources whose endpoint fails (catalogue 3.5.14)."""

from __future__ import annotations

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
    from plugwright_conformance.simulator import Laboratory

_OUTAGE_S = 5.0
_MOST_ATTEMPTS = 50
_POINTS = 24


@registered
class OutageIsWaitedOut(SimulatedCheck):
    """An endpoint that is away for a while is no reason to fail, nor to hammer at it."""

    id = "SRC-ERR-01"
    level = Level.C3
    title = "A recoverable error yields an empty poll with back-off"
    why = "A source that fails needs an operator at night; one that hammers keeps the outage going."
    mend = "On a passing error wait a little, then return nothing or raise RetriableError."

    def experiment(self, laboratory: Laboratory) -> Evidence:
        """Make every call to the endpoint fail for five seconds; count exceptions and attempts."""
        first = min(healthy_calls(laboratory, "poll"))
        scenario = f"the endpoint out of reach for {_OUTAGE_S:g} s from the first poll() on"
        with laboratory.experiment() as experiment:
            life = experiment.live(struck(laboratory, FaultKind.OUTAGE, first, _OUTAGE_S))
        if life.ending != "stopped":
            raise CheckFailedError(
                expected="empty polls, or RetriableError",
                observed=life.error or f"a task that {life.ending}",
                scenario=scenario,
                likely="an error that passes by itself is treated as the end",
            )
        begin = life.calls[first].at
        attempts = sum(call.at < begin + _OUTAGE_S for call in life.calls[first:])
        if attempts >= _MOST_ATTEMPTS:
            raise CheckFailedError(
                expected=f"fewer than {_MOST_ATTEMPTS} attempts in {_OUTAGE_S:g} s",
                observed=f"{attempts} attempts",
                scenario=scenario,
                likely="poll() tries again without a pause",
            )
        return Evidence(attempts, figures={"attempts": attempts, "outage_s": _OUTAGE_S})


@registered
class RecoveryNeedsNoRestart(SimulatedCheck):
    """When the endpoint is back, so is the source."""

    id = "SRC-ERR-02"
    level = Level.C3
    title = "Recovers without a restart and without loss"
    why = "A task that stays silent after an outage looks healthy and delivers nothing."
    mend = "After an error connect afresh, and go on at the last record that was returned."

    def experiment(self, laboratory: Laboratory) -> Evidence:
        """End an outage that began at the first call, in the middle, at the end; reconcile.

        Where no call can be seen, the endpoint driver makes the outage.
        """
        try:
            points = sampled(sorted(healthy_calls(laboratory, "poll")), 8)
        except NotRunError:
            return source_over_outage(laboratory)
        for number in points:
            scenario = f"the endpoint out of reach for {_OUTAGE_S:g} s from call {number} on"
            with laboratory.experiment() as experiment:
                life = experiment.live(struck(laboratory, FaultKind.OUTAGE, number, _OUTAGE_S))
                found = laboratory.require_complete(
                    experiment,
                    [life],
                    f"{scenario}, then back; the task was not restarted",
                    likely="the connection is not opened again, or what was read is forgotten",
                )
        figures = {**found.figures(), "outages": len(points)}
        return Evidence(len(points) * found.entered, found.digest, figures)


@registered
class FailedPollKeepsPosition(SimulatedCheck):
    """What a failed poll has read and not returned is read again."""

    id = "SRC-ERR-04"
    level = Level.C3
    title = "A failed poll does not advance position"
    why = "Records between the old and the new position are skipped, and nothing tells."
    mend = "Move the position when the records are returned, and go back to it after an error."

    def experiment(self, laboratory: Laboratory) -> Evidence:
        """Fail each call of poll() once, before it was made, and after it has read."""
        points = sampled(sorted(healthy_calls(laboratory, "poll")), _POINTS)
        kinds = (FaultKind.TRANSIENT, FaultKind.RESET, FaultKind.PARTIAL)
        likely = "the position moves before the records are returned"
        found, cells, _ = complete_after_each(laboratory, kinds, points, likely)
        return Evidence(cells, found.digest, {**found.figures(), "cells": cells})
