"""Reported faults in connectors that were written without a look at the suite, and these as well.

The third set of ``docs/explanation/reported-faults.md``. What the suite makes of it is a drill.
"""

from __future__ import annotations

import re

import pytest
from tests.docs.pages import DOCS
from tests.foreign.offline import offline_results
from tests.foreign.source_locations import FAULTS, GOOD, make_connector

from plugwright_conformance.evidence.outcome import Outcome

PAGE = DOCS / "explanation" / "reported-faults.md"
FOUND = [each for each in FAULTS if each.check]


@pytest.mark.parametrize("written", [*FAULTS, *GOOD], ids=lambda written: written.id)
def test_code_is_whole(tmp_path, written):
    """Every change fits its good connector, and what comes of it is Python."""
    location = make_connector(written, tmp_path)

    modules = sorted((location / written.connector).glob("*.py"))
    assert [module.stem for module in modules] == ["__init__", "connector", "task", "testing"]
    for module in modules:
        compile(module.read_text("utf-8"), module.name, "exec")


def test_every_fault_was_reported():
    """Somewhere else, each at a place of its own."""
    origins = [each.reported for each in FAULTS]

    pattern = r"https://github\.com/[\w.-]+/[\w.-]+/(issues|pull)/\d+"
    assert [o for o in origins if not re.fullmatch(pattern, o)] == []
    assert len({*origins}) == len(origins) == 30


def test_page_has_the_score_and_every_fault():
    """As the table has it."""
    page = PAGE.read_text("utf-8")
    blind, last = sum(each.blind for each in FAULTS), len(FOUND)

    assert f"| third set, blind | {len(FAULTS)} | {blind} | {len(FAULTS) - blind} |" in page
    assert f"| third set, last | {len(FAULTS)} | {last} | {len(FAULTS) - last} |" in page
    for each in FAULTS:
        where = re.sub(r"/(issues|pull)/", "#", each.reported.removeprefix("https://github.com/"))
        row = f"| {each.id} | [{where}]({each.reported}) | {'yes' if each.blind else 'no'} |"
        assert f"{row} {each.check or 'none'} |" in page


@pytest.mark.drill
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("written", FOUND, ids=lambda written: written.id)
def test_fault_is_found(tmp_path, written):
    """By its check, in words that point to it."""
    (result,) = offline_results(make_connector(written, tmp_path), tmp_path, [written.check])

    assert result.outcome is Outcome.FAIL
    assert re.search(written.words, f"{result.message} | {result.scenario}")


@pytest.mark.drill
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("written", GOOD, ids=lambda written: written.id)
def test_good_connector_is_left_alone(tmp_path, written):
    """By every check that needs no live system."""
    results = offline_results(make_connector(written, tmp_path), tmp_path)
    found = {result.id: result for result in results}

    wrong = {Outcome.FAIL, Outcome.ERROR}
    assert {name: r.message for name, r in found.items() if r.outcome in wrong} == {}
