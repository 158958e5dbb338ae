"""Results of checks that were not run."""

from __future__ import annotations

from plugwright_conformance.evidence.outcome import CheckEnd, CheckResult, Level, Severity


def result(name, outcome, message, ending=CheckEnd.REGULAR):
    """How a check ended."""
    return CheckResult(
        id=name,
        title="",
        group="",
        revision=1,
        severity=Severity.MUST,
        level=Level.C1,
        outcome=outcome,
        observations=0,
        seed="",
        duration_s=0.0,
        message=message,
        replay="",
        ending=ending,
    )
