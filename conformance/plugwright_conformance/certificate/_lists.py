"""What follows from the rows of a certificate: its lists, its result, its level."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.outcome import CheckResult, Level, Outcome, Severity
from plugwright_conformance.results import PluginUnderTest, RunResults

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright_conformance.certificate._statement import CheckRow

__all__ = ["level_of", "lists_of", "result_of"]

_ALONE = {
    "not_applicable": Outcome.NOT_APPLICABLE,
    "not_run": Outcome.NOT_RUN,
    "waived": Outcome.WAIVED,
    "error": Outcome.ERROR,
}


def lists_of(rows: Sequence[CheckRow]) -> dict[str, tuple[str, ...]]:
    """The ids by how they ended; a check that is no must only warns."""
    failed = [row for row in rows if row.outcome == Outcome.FAIL.value]
    lists = {
        "passed": _ids(rows, Outcome.PASS),
        "warned": tuple(row.id for row in failed if row.severity != Severity.MUST.value),
        "failed": tuple(row.id for row in failed if row.severity == Severity.MUST.value),
    }
    return lists | {name: _ids(rows, outcome) for name, outcome in _ALONE.items()}


def result_of(rows: Sequence[CheckRow]) -> str:
    """``FAILED``, ``WARNED`` or ``PASSED``, as in-toto's test-result predicate has them."""
    lists = lists_of(rows)
    if lists["failed"] or lists["error"]:
        return "FAILED"
    return "WARNED" if lists["warned"] or lists["not_run"] or lists["waived"] else "PASSED"


def level_of(rows: Sequence[CheckRow], kind: str, catalogue: Mapping[str, int]) -> Level | None:
    """The level that the rows amount to, by the same rule as in a run.

    Args:
        rows: every check of the suite for this kind of plugin.
        kind: ``source`` or ``sink``.
        catalogue: how many must-checks each level asks for.
    """
    results = [_result(row) for row in rows]
    plugin = PluginUnderTest("", "", "", kind, "", "")
    registry = [row.id for row in rows]
    run = RunResults(plugin, {}, "", "", 0.0, "", results, registry, catalogue=catalogue)
    return run.level()


def _ids(rows: Sequence[CheckRow], outcome: Outcome) -> tuple[str, ...]:
    return tuple(row.id for row in rows if row.outcome == outcome.value)


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
    )
