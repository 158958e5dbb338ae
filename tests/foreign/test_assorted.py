"""Reported faults of changes, wells, watermarks, leases, documents and hours.

The fifth set of ``docs/explanation/reported-faults.md``, in connectors written without a look at
the suite. What the suite makes of it is a drill.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.docs.pages import DOCS
from tests.foreign.offline import offline_results
from tests.foreign.source_locations import make_connector, read_written

from plugwright_conformance.controls.reported_trial import fault_table, found, read_trials
from plugwright_conformance.evidence.outcome import Outcome

PAGE = DOCS / "explanation" / "reported-faults.md"
HOME = Path(__file__).with_name("assorted")
FAULTS, GOOD = (read_written(HOME, name) for name in ("fault", "good"))
BLIND = read_trials(HOME / "blind.jsonl")
FOUND = {
    "docshelf-first-of-a-millisecond": "SNK-TYP-18",
    "docshelf-sends-all-of-a-key": "SNK-TYP-18",
    "hourbook-commit-needs-records": "CON-ERR-01",
    "hourbook-leaves-out-tombstones": "SNK-TYP-06",
    "rowtrail-tombstone-shares-its-offset": "SRC-OFF-03",
}
"""Some of the faults, and the checks that find them."""
LEFT_ALONE = (
    ("hourbook-waits-for-age", "CON-DLV-03"),
    ("leasebox", "SRC-OFF-04"),
    ("leasebox-without-offsets", "SRC-OFF-04"),
    ("watermill", "CON-SEC-09"),
    ("rowtrail-sends-tombstones", "SRC-TYP-02"),
    ("rowtrail-sends-tombstones", "SRC-OFF-03"),
)
"""Good connectors, and checks that had blamed them."""


@pytest.mark.parametrize("written", [*FAULTS, *GOOD], ids=lambda written: written.id)
def test_code_is_whole(tmp_path, written):
    """Every change fits its good connector, and what comes of it is Python."""
    location = make_connector(written, tmp_path)

    for module in location.glob("*/*.py"):
        compile(module.read_text("utf-8"), module.name, "exec")
    assert {m.name for m in location.glob("*/*.py")} == {"__init__.py", "testing.py"}


def test_every_fault_was_reported():
    """Somewhere else, each at a place of its own."""
    origins = [each.reported for each in FAULTS]

    pattern = r"https://github\.com/[\w.-]+/[\w.-]+/(issues|pull)/\d+"
    assert [o for o in origins if not re.fullmatch(pattern, o)] == []
    assert len({*origins}) == len(origins) == 40


def test_journal_has_no_other_connectors():
    """The good connectors that faults were put into were all tried."""
    assert BLIND.keys() <= {each.id for each in (*FAULTS, *GOOD)}
    assert {each.connector for each in FAULTS} <= BLIND.keys() & {each.id for each in GOOD}


def test_page_shows_what_the_journal_has():
    """The first score stays what it was."""
    page = PAGE.read_text("utf-8")
    tried = [each for each in FAULTS if each.id in BLIND]
    reasons = [found(each, BLIND[each.id], BLIND[each.connector])[0] for each in tried]
    counts = [reasons.count(reason) for reason in ("right", "wrong", "nothing")]

    assert fault_table(BLIND, FAULTS) in page
    assert "| fifth set, blind | 40 | {} | {} | {} | {} |".format(*counts, 40 - len(tried)) in page


@pytest.mark.slow
@pytest.mark.parametrize("name", FOUND)
def test_fault_is_found(name, tmp_path):
    """In words that point to it."""
    fault = next(each for each in FAULTS if each.id == name)

    (result,) = offline_results(make_connector(fault, tmp_path), tmp_path, [FOUND[name]])

    assert result.outcome is Outcome.FAIL
    assert re.search(fault.words, f"{result.message} | {result.scenario}")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "check"), LEFT_ALONE)
def test_good_connector_is_blamed_no_more(name, check, tmp_path):
    """For receipts, for an address that a start refuses, and for tombstones."""
    good = next(each for each in GOOD if each.id == name)

    (result,) = offline_results(make_connector(good, tmp_path), tmp_path, [check])

    assert result.outcome.fulfils, result.message


@pytest.mark.drill
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("written", GOOD, ids=lambda written: written.id)
def test_good_connector_is_left_alone(written, tmp_path):
    """By every check that needs no live system."""
    wrong = {Outcome.FAIL, Outcome.ERROR}

    results = offline_results(make_connector(written, tmp_path), tmp_path)

    assert {r.id: r.message for r in results if r.outcome in wrong} == {}
