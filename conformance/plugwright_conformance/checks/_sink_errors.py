"""Checks of sinks whose endpoint fails."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from plugwright.worker import ErrorSettings
from plugwright_conformance.catalogue.check import Level, Severity
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._faults import (
    FOR_EVER_S,
    complete_after_each,
    healthy_calls,
    require_waited_out,
    sampled,
    struck,
)
from plugwright_conformance.checks._outages import retried_after_outage
from plugwright_conformance.checks.second_try import require_second_try
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    NotApplicableError,
    NotRunError,
)
from plugwright_conformance.simulator import (
    DEAD_LETTERS,
    EndpointFault,
    FaultKind,
    SimulatedCheck,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from plugwright_conformance.simulator import Experiment, ExperimentFactory

_POINTS = 24
_LAST = 4
_BUDGET_S = 120.0  # a life with threads of the task's own may wait three real seconds for them
_OUTAGE_S = 10.0
_AT_WORK = ("put", "pre_commit")
_MAY_PASS = ("socket.", "sqlite3.")
_SYNCS = ("fsync", "fdatasync")


def _require_durable(experiment: Experiment, scenario: str, likely: str) -> None:
    """Every record below the committed offsets is on the other side; none of them comes again."""
    if missing := experiment.not_durable():
        raise CheckFailedError(
            expected="every record below the committed offsets at the endpoint",
            observed=f"{len(missing)} of them missing, first {missing[0]}",
            scenario=scenario,
            likely=likely,
        )


def _require_nothing_promised(experiment: Experiment, name: str) -> None:
    """No record is committed that the task could not make durable."""
    if promised := [n for n in range(2) if experiment.committed(n)]:
        raise CheckFailedError(
            expected="no offset committed, because nothing could be made durable",
            observed=f"offsets of {len(promised)} partitions, first partition {promised[0]}",
            scenario=f"every {name} failing from the first on",
            likely="the error of a failed sync is swallowed",
        )


@registered
class FailedPutHoldsFlush(SimulatedCheck):
    """A failed write is not committed by the next flush."""

    id = "SNK-OFF-03"
    revision = 2
    level = Level.C3
    title = "After a failed put(), flush() does not advance"
    why = "If the offset passes records that were not written, Kafka never delivers them again."
    mend = "Let put(), or at the latest pre_commit(), raise until every write has succeeded."
    budget_s = _BUDGET_S

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """From each write on let all fail; compare what is committed with what is there.

        What could not be made durable is there all the same, so if the very first call that should
        do this fails, and all others after it, nothing may be committed.
        """
        calls = healthy_calls(factory, *_AT_WORK)
        syncs = sorted(n for n, call in calls.items() if call.name.endswith(_SYNCS))[:1]
        points = sorted({*sampled(sorted(calls), _POINTS - len(syncs)), *syncs})
        for number in points:
            name = calls[number].name
            fault = EndpointFault(FaultKind.OUTAGE, number, FOR_EVER_S, name)
            with factory.experiment() as experiment:
                experiment.live(replace(factory.plan, fault=fault))
                _require_durable(
                    experiment,
                    f"every {name} to the endpoint failing from call {number} on",
                    "the failure is not recorded, so flush() does not raise",
                )
                if number in syncs:
                    _require_nothing_promised(experiment, name)
        return Evidence(len(points), figures={"outages": len(points)})


@registered
class ConfirmedPrefixOnly(SimulatedCheck):
    """One unconfirmed write holds back the offsets after it."""

    id = "SNK-OFF-05"
    revision = 2
    level = Level.C3
    title = "Only a contiguous confirmed prefix is committed"
    why = "Committing the highest confirmed offset skips lower ones that are still in flight."
    mend = "Track offsets in flight, and return the lowest unconfirmed one."
    budget_s = _BUDGET_S

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Let each single write fail while all others succeed; compare with what is there.

        The process ends when everything is committed, since a stop might still write the rest.
        """
        calls = healthy_calls(factory)
        numbers = [n for n, call in calls.items() if "start" not in call.phase]
        last = numbers[-_LAST:]  # no later call makes good what these have failed to do
        points = [*sampled(numbers[:-_LAST], _POINTS - _LAST), *last]
        for number in points:
            with factory.experiment() as experiment:
                plan = struck(factory, FaultKind.TRANSIENT, number)
                experiment.drain(replace(plan, ends_by_crash=True))
                _require_durable(
                    experiment,
                    f"call {number} to the endpoint failed, those after it succeeded, and the "
                    "process was killed after the last commit",
                    "the highest confirmed offset is returned, not the end of the confirmed "
                    "prefix, or an error is ignored and the records stay in a buffer",
                )
        if not any(call.own_thread for call in calls.values()):
            raise NotApplicableError("the task writes on no thread of its own, and loses no write")
        return Evidence(len(points), figures={"failed_writes": len(points)})


@registered
class RetriedBatchIsComplete(SimulatedCheck):
    """A batch that failed temporarily is written completely in the end."""

    id = "SNK-ERR-01"
    revision = 3
    level = Level.C3
    title = "A retry of the same batch after RetriableError loses nothing"
    why = "Catching a temporary error and returning normally is the most frequent silent loss."
    mend = "Raise RetriableError from put(); the runtime delivers the same batch again."
    budget_s = 3 * _BUDGET_S

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Fail each call of put() once, before it was made, and after it took effect.

        Where no call can be seen, the endpoint driver makes the outage.
        """
        try:
            points = sampled(sorted(healthy_calls(factory, *_AT_WORK)), _POINTS)
        except NotRunError:
            return retried_after_outage(factory)
        kinds = (FaultKind.TRANSIENT, FaultKind.RESET)
        likely = "the error is caught, and put() returns as if all records were written"
        found, cells, repeated = complete_after_each(
            factory, kinds, points, likely, require_second_try
        )
        figures = {**found.figures(), "cells": cells, "cells_with_repetition": repeated}
        return Evidence(cells, found.digest, figures)


@registered
class OutageIsNoPoison(SimulatedCheck):
    """Records are not rejected because the endpoint is unavailable."""

    id = "SNK-ERR-10"
    level = Level.C3
    title = "An outage is never turned into DLQ records"
    why = "An outage would move good records to the dead-letter queue."
    mend = "Report a record only if the record itself is bad; otherwise raise RetriableError."

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Make the endpoint unreachable for ten seconds, with tolerance and a dead-letter queue."""
        points = sampled(sorted(self._struck(factory)), 6)
        errors = ErrorSettings(tolerate_all=True, dead_letter_topic=DEAD_LETTERS)
        for number in points:
            scenario = f"the endpoint unreachable for {_OUTAGE_S:g} s, errors.tolerance=all"
            plan = replace(struck(factory, FaultKind.OUTAGE, number, _OUTAGE_S), errors=errors)
            with factory.experiment() as experiment:
                lives = experiment.drain(plan)
                if dead := experiment.dead_letters():
                    raise CheckFailedError(
                        expected="an empty dead-letter queue",
                        observed=f"{len(dead)} good records in it",
                        scenario=scenario,
                        likely="every failed write is reported as a bad record",
                    )
                found = factory.require_complete(experiment, lives, scenario)
        return Evidence(len(points), found.digest, {**found.figures(), "outages": len(points)})

    @staticmethod
    def _struck(factory: ExperimentFactory) -> Iterable[int]:
        """The calls within put(), or of a task that writes later those within pre_commit()."""
        calls = healthy_calls(factory, *_AT_WORK)
        early = [number for number, call in calls.items() if call.phase == "put"]
        return early or calls


@registered
class PassingErrorIsWaitedOut(SimulatedCheck):
    """A lock or a lost connection does not fail a task that has not written anything yet."""

    id = "SNK-ERR-12"
    severity = Severity.SHOULD
    level = Level.C4
    wave = 2
    title = "A passing error before the first write does not fail the task"
    why = "A lock of a second or a restarted service stops the task until somebody restarts it."
    mend = "Roll back and raise RetriableError, or try again; the worker delivers the batch again."
    origin = "jdbc#515"
    budget_s = _BUDGET_S

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Let the first call of the first put() fail once, if it is one that may fail in life.

        Those are calls of connections and of databases. Errors of files do not pass by themselves.
        """
        calls = healthy_calls(factory, *_AT_WORK)
        first = min(calls)
        name = calls[first].name
        if not name.startswith(_MAY_PASS):
            raise NotApplicableError(f"a sink that begins with {name} has no passing errors")
        with factory.experiment() as experiment:
            life = experiment.live(struck(factory, FaultKind.TRANSIENT, first))
        require_waited_out(life, f"a passing error of {name}, once, before anything was written")
        return Evidence(1)
