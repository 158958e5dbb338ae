"""Sinks that were written without knowing the checks, with faults that real sinks had."""

from __future__ import annotations

import re

import pytest
from tests.docs.pages import DOCS
from tests.foreign.offline import offline_results
from tests.foreign.sink_locations import FAULTS, SINKS, make_sink, score_table

from plugwright_conformance.evidence.outcome import Outcome

PAGE = DOCS / "explanation" / "reported-faults.md"
FOUND = {
    "deletes-last": ("SNK-TYP-18", "b2 of key b, its last value"),
    "tombstones-ignored": ("SNK-TYP-18", "which has a tombstone"),
    "conflict-ignored": ("SNK-TYP-18", "a3 of key a, its last value"),
    "topics-mixed": ("SNK-TYP-19", "as one by one"),
    "edge-lost": ("SNK-TYP-15", "lost "),
    "names-collide": ("SNK-TYP-13", "two topics"),
    "revoked-kept": ("SNK-REB-04", "moves back"),
    "logs-kept": ("SNK-REB-04", "moves back"),
    "local-time": ("CON-SPK-11", "TZ="),
    "directory-changed": ("CON-RES-09", "the working directory"),
    "offsets-stale": ("SNK-REB-04", "moves back"),
    "transformed-id": ("SNK-TYP-20", "were routed to one topic"),
    "offset-low": ("SNK-OFF-08", "committed up to 11 of 12"),
    "parts-left": ("CON-DLV-04", "before anything was done"),
    "no-fsync": ("SNK-OFF-12", "of a file with unsynced data"),
    "temporary-left": ("CON-RES-11", "dead files at the endpoint"),
    "reported-and-written": ("SNK-ERR-04", "foreign 4"),
    "retries-drop": ("SNK-ERR-03", "not there"),
}
"""The check that finds a fault that the suite had missed, and words that it must say."""
SEED = "00ab"
NEW = (
    *tuple(dict.fromkeys(check for check, _ in FOUND.values())),
    "CON-DLV-11",
    "SNK-REB-01",
    "CON-CFG-09",
)
SLOW = {"webbulk"}


def test_every_fault_has_a_report_and_a_name_of_its_own():
    """Each address is one of an issue or a pull request."""
    assert all(
        re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+/(issues|pull)/\d+", f.origin)
        for f in FAULTS
    )
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)
    assert {fault.sink for fault in FAULTS} == SINKS.keys()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_fault_still_fits_its_sink(fault, tmp_path):
    """The location is made, and its module is Python."""
    make_sink(fault.sink, tmp_path / fault.name, fault.changes)

    (module,) = (tmp_path / fault.name).glob("*/__init__.py")
    compile(module.read_text("utf-8"), str(module), "exec")


def test_page_shows_the_scores():
    """Both columns are those of the table of faults."""
    page = PAGE.read_text("utf-8")

    assert score_table() in page


@pytest.mark.slow
@pytest.mark.parametrize("name", FOUND)
def test_fault_that_was_missed_is_found(name, tmp_path):
    """In words that point to it."""
    check, words = FOUND[name]
    fault = next(each for each in FAULTS if each.name == name)
    make_sink(fault.sink, tmp_path / "location", fault.changes)

    (result,) = offline_results(tmp_path / "location", tmp_path, [check], seed=SEED)

    assert result.outcome is Outcome.FAIL
    assert words in f"{result.expected} | {result.observed} | {result.scenario}"


@pytest.mark.slow
@pytest.mark.parametrize(
    "sink",
    [pytest.param(sink, marks=pytest.mark.drill if sink in SLOW else ()) for sink in SINKS],
)
def test_good_sink_passes_the_same_checks(sink, tmp_path):
    """Or a finding would say nothing."""
    make_sink(sink, tmp_path / "location")

    found = offline_results(tmp_path / "location", tmp_path, NEW, seed=SEED)

    assert [
        (r.id, r.message) for r in found if r.outcome not in {Outcome.PASS, Outcome.NOT_APPLICABLE}
    ] == []
    assert sum(r.outcome is Outcome.PASS for r in found) >= 7
