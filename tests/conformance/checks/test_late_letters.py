"""A sink may report bad records whenever it likes, if it waits for the reports."""

from __future__ import annotations

import pytest

from plugwright_conformance.evidence.outcome import Outcome

pytestmark = pytest.mark.slow

WAITS = {
    "result": "super()._await(reports)",
    "wait": "__import__('concurrent.futures').futures.wait(reports)",
    "done": "while not all(r.done() for r in reports): __import__('time').sleep(0.1)",
}


@pytest.mark.parametrize("way", WAITS)
def test_report_in_flush_that_is_awaited_is_no_failure(way, mutate, run):
    """Whatever the task waits with."""
    location = mutate("M117")
    module = location / "plugwright_file_sink" / "file_sink_errors.py"
    text = module.read_text("utf-8")
    assert text.count('"""Do nothing."""') == 1
    module.write_text(text.replace('"""Do nothing."""', WAITS[way]), "utf-8")

    (result,) = run(location, "SNK-ERR-07").results

    assert (result.outcome, result.message) == (Outcome.PASS, "")
    assert result.figures["crashes"] == 12


def test_report_without_a_waiting_caller_is_lost_in_a_crash(mutate, run):
    """Two of four: those of the last batch before the crash."""
    (result,) = run(mutate("M117"), "SNK-ERR-07").results

    assert result.outcome is Outcome.FAIL
    assert result.observed.startswith("2 of the bad records lost; in 24")
    assert "only when somebody waits; a crash after" in result.scenario
    assert (
        result.likely == "a report is made in or after pre_commit(), and its future is not awaited"
    )
