"""Headers and late visibility count as declared: the keys are tested, and so is their absence."""

from __future__ import annotations

import pytest
from tests.conformance.conftest import PLUGIN_PATH

from plugwright_conformance.checks import CHECKS
from plugwright_conformance.evidence.outcome import Outcome
from plugwright_conformance.execution.runner import RunOptions, run_checks
from plugwright_conformance.mutants import BENIGN, materialise
from plugwright_conformance.report.silent_listener import SilentListener
from plugwright_conformance.subject.subject import open_subjects

MIXING = """
_line = RowsSinkTask.line
RowsSinkTask.line = lambda self, r: '"mixed"' if r.headers else _line(self, r)
"""


@pytest.fixture
def outcome(tmp_path, workspace):
    """Outcome and observation of one check of a control that was changed a little."""

    def run(control, check, declared="", code="", *, skip_waits=False):
        made = next(each for each in BENIGN if each.id == control)
        location = materialise(made, PLUGIN_PATH, tmp_path)
        package = location / "plugwright_lines_sink"
        said = (package / "conformance.toml").read_text("utf-8")
        for old in ('headers = "ignored"\n', "visible_after_s = 0.2\n"):
            said = said.replace(old, declared)
        (package / "conformance.toml").write_text(said, "utf-8")
        sink = (package / "sink.py").read_text("utf-8")
        (package / "sink.py").write_text(f"{sink}\n{code}" if code else sink, "utf-8")
        subject = open_subjects(location, workspace)[0]
        options = RunOptions(seed="7f3c", records=1000, selection=(check,), skip_waits=skip_waits)
        (result,) = run_checks(
            subject, CHECKS, options, workspace=workspace, live=None, listener=SilentListener()
        ).results
        return result

    return run


@pytest.mark.slow
def test_headers_that_get_into_values_are_found_without_a_declaration(outcome):
    """The negative probe of the capability."""
    found = outcome("G08", "CON-CAP-02", code=MIXING)

    assert found.outcome is Outcome.FAIL
    assert "headers is not declared" in found.expected
    assert "stored ['mixed']" in found.observed


@pytest.mark.slow
def test_headers_that_get_into_values_are_found_where_they_are_declared_as_ignored(outcome):
    """The check of the capability."""
    found = outcome("G08", "SNK-TYP-08", 'headers = "ignored"\n', MIXING)

    assert (found.outcome, found.scenario) == (
        Outcome.FAIL,
        "put with headers, which are ignored",
    )


@pytest.mark.slow
def test_stored_headers_must_be_shown_by_the_driver(outcome):
    """What cannot be observed is not proved."""
    found = outcome("G08", "SNK-TYP-08", 'headers = "stored"\n')

    assert (found.outcome, found.observed) == (Outcome.FAIL, "a driver without read_headers()")


@pytest.mark.slow
def test_endpoint_that_shows_late_without_saying_so_is_an_error(outcome):
    """Without the key the suite reads at once, and nothing that it reads tells of the connector."""
    found = outcome("G13", "SNK-TYP-01")

    assert found.outcome is Outcome.ERROR
    assert "does not read back its seeded values" in found.message
    assert "declare visible_after_s" in found.message


@pytest.mark.slow
def test_endpoint_that_shows_late_is_waited_for_by_everybodys_own_clock(outcome):
    """Where waits are skipped, the process that reads back has skipped none of them."""
    found = outcome("G13", "SNK-TYP-01", "visible_after_s = 0.2\n", skip_waits=True)

    assert (found.outcome, found.message) == (Outcome.PASS, "")
