"""The last run of the sets of reported faults, each fault before the check that is to find it.

``last_run.jsonl`` has a line for each fault: its set, its id, the check that found it, and what it
said. Both are empty if none did.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from tests.docs.pages import DOCS
from tests.foreign import sink_locations
from tests.foreign.offline import offline_results
from tests.foreign.source_locations import make_connector, read_written

from plugwright.errors import DiscoveryError
from plugwright_conformance.checks import CHECKS
from plugwright_conformance.controls.reported_trial import FAULTS
from plugwright_conformance.evidence.outcome import Outcome
from plugwright_conformance.mutants.reported import materialise

HERE = Path(__file__).parent
PAGE = DOCS / "explanation" / "reported-faults.md"
ROWS = [json.loads(line) for line in (HERE / "last_run.jsonl").read_text("utf-8").splitlines()]
FOUND = [row for row in ROWS if row["check"]]
PERMITTED = {"silo-commits-one-flush-late", "silo-drops-what-stays"}
"""What is no fault by the API."""
WRITTEN = {name: read_written(HERE / name, "fault") for name in ("sources", "mixed", "assorted")}
IDS = {
    "first": [each.id for each in FAULTS["first"]],
    "second": [each.id for each in FAULTS["second"]],
    "sinks": [f"{each.sink}:{each.name}" for each in sink_locations.FAULTS],
    **{name: [each.id for each in faults] for name, faults in WRITTEN.items()},
}
"""The faults of each set."""
WORDS = {
    **{each.id: each.points_to for faults in FAULTS.values() for each in faults},
    **{each.id: each.points_to for faults in WRITTEN.values() for each in faults},
}
"""Patterns of which a finding has one; the faults of the sinks have none."""
SETS = {
    "first": "first set",
    "second": "second set",
    "sinks": "sinks",
    "sources": "third set",
    "mixed": "fourth set",
    "assorted": "fifth set",
}
"""The sets as the page calls them."""


@pytest.mark.parametrize("name", IDS)
def test_every_fault_was_tried(name):
    """Once."""
    assert Counter(row["id"] for row in ROWS if row["set"] == name) == Counter(IDS[name])


def test_findings_are_of_the_suite():
    """The checks exist, but for packages that no check gets to see."""
    known = {check.id for check in CHECKS} | {"discovery"}

    assert {row["check"] for row in FOUND} <= known


def test_words_point_to_the_faults():
    """Or they would be findings for another reason."""
    strange = [
        row["id"]
        for row in FOUND
        if row["id"] in WORDS and not any(re.search(p, row["said"]) for p in WORDS[row["id"]])
    ]

    assert strange == []
    assert all(row["said"] for row in FOUND)


def test_what_the_api_permits_is_not_found():
    """A check that found it would blame good connectors."""
    assert {row["id"] for row in ROWS} - {row["id"] for row in FOUND} >= PERMITTED


@pytest.mark.parametrize("name", SETS)
def test_page_has_the_score(name):
    """Of each set, and most of the faults are found."""
    found = sum(row["set"] == name for row in FOUND)
    permitted = len(PERMITTED & {*IDS[name]})
    rest = len(IDS[name]) - found - permitted

    row = f"| {SETS[name]} | {len(IDS[name])} | {found} | {permitted} | {rest} |"
    assert row in PAGE.read_text("utf-8")
    assert found >= 0.9 * len(IDS[name])


def _location(row, directory):
    """The faulty connector of a row, as a plugin location."""
    if row["set"] in FAULTS:
        (made,) = (each for each in FAULTS[row["set"]] if each.id == row["id"])
        return materialise(made, directory)
    if row["set"] in WRITTEN:
        (made,) = (each for each in WRITTEN[row["set"]] if each.id == row["id"])
        return make_connector(made, directory)
    name = row["id"].partition(":")[2]
    (fault,) = (each for each in sink_locations.FAULTS if each.name == name)
    sink_locations.make_sink(fault.sink, directory / name, fault.changes)
    return directory / name


@pytest.mark.drill
@pytest.mark.timeout(900)
@pytest.mark.parametrize("row", FOUND, ids=[row["id"] for row in FOUND])
def test_fault_is_found_again(row, tmp_path):
    """By the same check, in words that point to it."""
    try:
        (result,) = offline_results(_location(row, tmp_path), tmp_path, [row["check"]])
    except DiscoveryError as error:
        assert row["check"] == "discovery"
        said = str(error)
    else:
        assert result.outcome is Outcome.FAIL
        said = f"{result.message} | {result.scenario}"

    assert any(re.search(pattern, said) for pattern in WORDS.get(row["id"], [""]))
