"""Reported faults of sinks and sources, in connectors written without a look at the suite.

The fourth set of ``docs/explanation/reported-faults.md``. What the suite makes of it is a drill.
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
HOME = Path(__file__).with_name("mixed")
FAULTS, GOOD = (read_written(HOME, name) for name in ("fault", "good"))
BLIND = read_trials(HOME / "blind.jsonl")
FOUND = {
    "pantry-writes-tombstones": "SNK-TYP-06",
    "pantry-takes-one-topic": "SNK-TYP-19",
    "rowbook-place-after-transformations": "SNK-TYP-20",
    "pantry-leaves-a-failed-start-open": "CON-RES-11",
    "ledgerfeed-leaves-a-failed-start-open": "CON-RES-11",
    "tapefeed-numbers-as-doubles": "SRC-TYP-09",
}
"""Faults that the suite had missed, and the checks that find them now."""


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
    assert len({*origins}) == len(origins) == 33


def test_journal_has_no_other_connectors():
    """The good connectors were all tried, and most of the faults."""
    assert BLIND.keys() <= {each.id for each in (*FAULTS, *GOOD)}
    assert {each.connector for each in FAULTS} <= {each.id for each in GOOD} <= BLIND.keys()


def test_page_shows_what_the_journal_has():
    """The first score stays what it was."""
    page = PAGE.read_text("utf-8")
    tried = [each for each in FAULTS if each.id in BLIND]
    reasons = [found(each, BLIND[each.id], BLIND[each.connector])[0] for each in tried]
    counts = [reasons.count(reason) for reason in ("right", "wrong", "nothing")]

    assert fault_table(BLIND, FAULTS) in page
    assert "| fourth set, blind | 33 | {} | {} | {} | {} |".format(*counts, 33 - len(tried)) in page


@pytest.mark.slow
@pytest.mark.parametrize("name", FOUND)
def test_fault_that_was_missed_is_found(name, tmp_path):
    """In words that point to it."""
    fault = next(each for each in FAULTS if each.id == name)

    (result,) = offline_results(make_connector(fault, tmp_path), tmp_path, [FOUND[name]])

    assert result.outcome is Outcome.FAIL
    assert re.search(fault.words, f"{result.message} | {result.scenario}")


@pytest.mark.drill
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("written", GOOD, ids=lambda written: written.id)
def test_good_connector_is_left_alone(written, tmp_path):
    """By every check that needs no live system."""
    wrong = {Outcome.FAIL, Outcome.ERROR}

    results = offline_results(make_connector(written, tmp_path), tmp_path)

    assert {r.id: r.message for r in results if r.outcome in wrong} == {}
