"""Gaps of a run: expiring waivers, checks not run, checks not implemented."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.profile import WHOLE_CATALOGUE
from plugwright_conformance.evidence.outcome import Level, Outcome, Severity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright_conformance.evidence.outcome import CheckResult
    from plugwright_conformance.report.results import RunResults
    from plugwright_conformance.subject.waivers import Waiver


def days_left(waiver: Waiver, results: RunResults) -> int | None:
    """Whole days from the day of the run until a waiver ends; ``None`` if a date is invalid."""
    try:
        begun = dt.datetime.fromisoformat(results.started).date()
        return (dt.date.fromisoformat(waiver.expires) - begun).days
    except ValueError:
        return None


def not_run(results: RunResults) -> Sequence[CheckResult]:
    """Checks that were not run because the environment lacks something."""
    return [result for result in results.results if result.outcome is Outcome.NOT_RUN]


def missing(results: RunResults) -> Sequence[str]:
    """Checks of the suite that the run omitted."""
    executed = {result.label for result in results.results}
    return [check for check in results.registry if check not in executed]


def unbuilt_note(results: RunResults) -> str:
    """How many must-checks of the whole catalogue this run had; empty for unknown kinds."""
    whole = WHOLE_CATALOGUE.get(results.plugin.type)
    if whole is None:
        return ""
    had = len({r.id for r in results.results if r.severity is Severity.MUST})
    return (
        f"The catalogue has {whole[Level.C5.name]} must-checks for a {results.plugin.type}; "
        f"this run had {had} of them."
    )
