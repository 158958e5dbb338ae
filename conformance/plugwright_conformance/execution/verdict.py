"""Runs one check and turns its result or exception into an outcome."""

from __future__ import annotations

import os
import traceback
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.capabilities import GATES
from plugwright_conformance.evidence.outcome import (
    CheckEnd,
    CheckFailedError,
    CheckResult,
    Level,
    NotApplicableError,
    NotRunError,
    Outcome,
)
from plugwright_conformance.execution.facts import UnloadableError
from plugwright_conformance.execution.seeds import check_seed
from plugwright_conformance.processes.time_budget import OverBudgetError, time_budget
from plugwright_conformance.processes.virtual_time import real_s
from plugwright_conformance.subject.endpoint import EndpointError

if TYPE_CHECKING:
    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.catalogue.check import Check
    from plugwright_conformance.evidence.outcome import Evidence
    from plugwright_conformance.execution.options import RunOptions
    from plugwright_conformance.subject.subject import Subject

__all__ = ["blank", "verdict"]


def verdict(check: type[Check], bench: Bench, options: RunOptions) -> CheckResult:
    """Run a check with a time limit; always returns a result."""
    begun = real_s()
    empty = blank(check, bench.subject, options)
    try:
        with time_budget(min(check.budget_s, options.most_s)):
            _require_open_gate(check, bench)
            result = _judged(empty, check().run(bench))
    except CheckFailedError as failure:
        driver = failure.__cause__
        result = (
            _went_wrong(empty, driver, bench.subject, check)
            if isinstance(driver, EndpointError)  # which is not the plugin's failure
            else _failed(empty, failure, check)
        )
    except NotApplicableError as reason:
        result = replace(
            empty, outcome=Outcome.NOT_APPLICABLE, message=str(reason), cells=reason.cells
        )
    except NotRunError as reason:
        result = replace(empty, outcome=Outcome.NOT_RUN, message=str(reason))
    except UnloadableError as reason:
        result = replace(empty, message=str(reason), ending=reason.ending)
    except (OverBudgetError, Exception, SystemExit) as error:  # noqa: BLE001  # a verdict, always
        result = _went_wrong(empty, error, bench.subject, check)
    return replace(result, duration_s=round(real_s() - begun, 3))


def _require_open_gate(check: type[Check], bench: Bench) -> None:
    if check.gate and not GATES[check.gate](bench):
        raise NotApplicableError(f"the plugin does not declare the capability ({check.gate})")


def _judged(empty: CheckResult, evidence: Evidence) -> CheckResult:
    """A pass, if there is at least one observation (conformance rule 2)."""
    if evidence.observations < 1:
        return replace(empty, message="the check made no observation")
    return replace(
        empty,
        outcome=Outcome.PASS,
        observations=evidence.observations,
        digest=evidence.digest,
        figures=evidence.figures,
        cells=evidence.cells,
    )


def blank(check: type[Check], subject: Subject, options: RunOptions) -> CheckResult:
    """An ERROR result without a message."""
    again = replace(options, selection=(check.label(),), level=Level.C5)
    return CheckResult(
        id=check.id,
        title=check.title,
        group=check.group,
        revision=check.revision,
        severity=check.severity,
        level=check.level,
        outcome=Outcome.ERROR,
        observations=0,
        seed=check_seed(options.seed, check.id),
        duration_s=0.0,
        message="",
        replay=again.command(subject),
        engine=check.engine,
    )


def _hangs(error: OverBudgetError, root: str) -> bool:
    """Whether a call of the plugin has not returned although its child processes are idle."""
    if error.busy:
        return False
    frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
    calls = (f for f in frames if os.path.realpath(f.f_code.co_filename).startswith(root))
    return id(next(calls, None)) in error.lasting


def _failed(empty: CheckResult, failure: CheckFailedError, check: type[Check]) -> CheckResult:
    return replace(
        empty,
        outcome=Outcome.FAIL,
        observations=failure.evidence.observations,
        digest=failure.evidence.digest,
        figures=failure.evidence.figures,
        cells=failure.evidence.cells,
        message=str(failure),
        expected=failure.expected,
        observed=failure.observed,
        scenario=failure.scenario,
        likely=failure.likely,
        mend=failure.mend or check.mend,
    )


def _went_wrong(
    empty: CheckResult, error: BaseException, subject: Subject, check: type[Check]
) -> CheckResult:
    """The plugin's failure if its code raised the error, else an error of the run itself.

    Waiting for busy child processes, or being slow, is not the plugin's failure either.
    """
    hung = isinstance(error, OverBudgetError)
    empty = replace(empty, ending=getattr(error, "ending", CheckEnd.REGULAR))
    observed = f"{type(error).__name__}: {error}" if str(error) and not hung else str(error)
    observed = observed or type(error).__name__
    frames = traceback.extract_tb(error.__traceback__)[: -1 if hung else None]
    root = os.path.join(subject.root.resolve(), "")  # noqa: PTH118  # with its separator
    inside = [f for f in frames if os.path.realpath(f.filename).startswith(root)]
    if not inside or (isinstance(error, OverBudgetError) and not _hangs(error, root)):
        last = frames[-1] if frames else None
        where = f" ({Path(last.filename).name}:{last.lineno})" if last else ""
        unmeasured = "not measured: " if hung else ""
        return replace(empty, outcome=Outcome.ERROR, message=f"{unmeasured}{observed}{where}")
    place = f"{Path(inside[-1].filename).name}:{inside[-1].lineno} in {inside[-1].name}()"
    failure = CheckFailedError(
        expected=f"calls that return within {check.budget_s:g} s"
        if hung
        else "calls that return, or Connect errors as specified by the API",
        observed=f"{observed}: still in {place}" if hung else f"{observed} from {place}",
        scenario="during the set-up of the check",
        mend=f"Let {inside[-1].name}() return: wait with a timeout, and end when stop() is called."
        if hung
        else "",
    )
    return _failed(empty, failure, check)
