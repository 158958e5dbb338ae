"""Values derived from a certificate's rows: lists, result and level."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.evidence.outcome import CheckResult, Level, Outcome, Severity
from plugwright_conformance.report.results import RunResults
from plugwright_conformance.subject.plugin_under_test import PluginUnderTest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright_conformance.certificate.statement import CertificatePredicate, CheckRow

_ALONE = {
    "not_applicable": Outcome.NOT_APPLICABLE,
    "not_run": Outcome.NOT_RUN,
    "waived": Outcome.WAIVED,
    "error": Outcome.ERROR,
}


def lists_of(rows: Sequence[CheckRow]) -> dict[str, tuple[str, ...]]:
    """The labels by result; the failure of a should-check is only a warning."""
    failed = [row for row in rows if row.outcome == Outcome.FAIL.value]
    lists = {
        "passed": _ids(rows, Outcome.PASS),
        "warned": tuple(row.label for row in failed if row.severity != Severity.MUST.value),
        "failed": tuple(row.label for row in failed if row.severity == Severity.MUST.value),
    }
    return lists | {name: _ids(rows, outcome) for name, outcome in _ALONE.items()}


def result_of(rows: Sequence[CheckRow]) -> str:
    """``FAILED``, ``WARNED`` or ``PASSED``, as in in-toto's test-result predicate."""
    lists = lists_of(rows)
    if lists["failed"] or lists["error"]:
        return "FAILED"
    return "WARNED" if lists["warned"] or lists["not_run"] or lists["waived"] else "PASSED"


def level_of(predicate: CertificatePredicate) -> Level | None:
    """The level that the rows of a certificate award, by the same rule as in a run."""
    return _run_of(predicate).level()


def badges_of(predicate: CertificatePredicate) -> tuple[str, ...]:
    """The badges that the rows of a certificate award."""
    return tuple(_run_of(predicate).badges())


def _run_of(predicate: CertificatePredicate) -> RunResults:
    tested = predicate.plugin
    plugin = PluginUnderTest("", "", "", tested.type, "", "", tested.capabilities)
    results = [_result(row) for row in predicate.results]
    registry = [row.label for row in predicate.results]
    suite = predicate.suite
    return RunResults(
        plugin,
        {},
        "",
        "",
        0.0,
        "",
        results,
        registry,
        catalogue=suite.catalogue,
        profile=suite.profile or "",
    )


def _ids(rows: Sequence[CheckRow], outcome: Outcome) -> tuple[str, ...]:
    return tuple(row.label for row in rows if row.outcome == outcome.value)


def _result(row: CheckRow) -> CheckResult:
    return CheckResult(
        id=row.id,
        title="",
        group="",
        revision=row.revision,
        severity=Severity(row.severity),
        level=Level[row.level],
        outcome=Outcome(row.outcome),
        observations=row.observations,
        seed=row.seed,
        duration_s=0.0,
        message="",
        replay="",
        engine=row.engine,
    )
