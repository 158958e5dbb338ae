"""Check that the status of a failed task shows the cause."""

from __future__ import annotations

import traceback
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

from plugwright.errors import RetriableError
from plugwright_conformance.catalogue.check import Check, Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import PATIENCE_S, config_with_work, fresh_task
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    NotApplicableError,
    NotRunError,
)
from plugwright_conformance.simulator import SteppedSink
from plugwright_conformance.subject.contexts import sink_records
from plugwright_conformance.subject.names import HOME

if TYPE_CHECKING:
    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.simulator import SteppedSource


_ATTEMPTS = 12
"""Polls that a source may try again in, before it is one that waits the outage out."""


@registered
class FailureShowsItsCause(Check):
    """The status of a failed task shows the cause."""

    id = "CON-OBS-04"
    revision = 4
    level = Level.C2
    title = "A failed task shows its root cause"
    why = "Operators cannot diagnose an error without its cause."
    mend = "Chain exceptions with from, and include the endpoint's message."
    origin = "G-Err; CAT trace-message check"
    budget_s = 180.0  # a sink may start a program for each of the commits that fail
    skips_waits = True

    def run(self, bench: Bench) -> Evidence:
        """Make the endpoint unavailable; the trace must contain its error text."""
        with bench.endpoint() as endpoint:
            worker = fresh_task(bench, config_with_work(bench, endpoint))
            words = endpoint.driver.hook("refuse")
            if words is None:
                raise NotRunError("the endpoint driver does not implement refuse()")
            if not words:
                raise NotApplicableError("the endpoint cannot refuse")
            failure, shown = _failure_of(worker)
        trace = "".join(traceback.format_exception(failure)) if failure else ""
        lost = [word for word in words if word not in trace]
        if not shown and (failure is None or (lost and isinstance(failure, RetriableError))):
            self._require_patience(worker)
        if lost:
            raise CheckFailedError(
                expected=f"the endpoint's error text: {', '.join(lost)}",
                observed=trace.strip().splitlines()[-1],
                scenario="the endpoint is unavailable",
                likely="the cause is lost when the error is wrapped",
            )
        return Evidence(len(words))

    @staticmethod
    def _require_patience(worker: SteppedSource | SteppedSink) -> NoReturn:
        """A sink that reports no refusal waits it out, and commits nothing meanwhile."""
        if isinstance(worker, SteppedSink) and worker.committed(HOME):
            raise CheckFailedError(
                expected="an error for the status",
                observed="no error, and the offset of a put record is committed",
                scenario="the endpoint is unavailable",
            )
        raise NotApplicableError("the task waits until the outage ends, so no status shows it")


def _failure_of(worker: SteppedSource | SteppedSink) -> tuple[Exception | None, bool]:
    """The error of a running task, and whether the task failed."""
    failure, shown = None, False
    try:
        worker.step()
        if isinstance(worker, SteppedSink):
            worker.put(sink_records(["one"], HOME))
            worker.commit()
        else:
            worker.take(1, PATIENCE_S, turns=_ATTEMPTS)
    except Exception as error:  # noqa: BLE001  # its text is what is looked at
        failure, shown = error, worker.ended
    with suppress(Exception):  # what it says at the end comes too late
        worker.end()
    return failure, shown
