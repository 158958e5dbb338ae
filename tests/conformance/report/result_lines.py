"""Results of checks that a test writes down."""

from __future__ import annotations

from plugwright_conformance.evidence.outcome import CheckResult, Outcome, Severity
from plugwright_conformance.report.results import PluginUnderTest, RunResults

__all__ = ["PLUGIN", "line", "results"]

PLUGIN = PluginUnderTest("lines", "1.0", "lines.LinesSinkConnector", "sink", "lines", "0" * 64)


def line(check_id, level, outcome=Outcome.PASS, severity=Severity.MUST, **more):
    """One check's result."""
    found = "", "Tests", 1, severity, level, outcome, 1, "0", 0.0, "", ""
    return CheckResult(check_id, *found, **more)


def results(*lines, registry=None, catalogue=None):
    """A run over exactly these checks."""
    ids = [result.id for result in lines]
    return RunResults(
        PLUGIN, {}, "0", "", 0.0, "", lines, registry or ids, catalogue=catalogue or {}
    )
