"""Good connectors of others, without faults: checks that had blamed them do so no more."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.docs.pages import DOCS
from tests.foreign.offline import offline_results
from tests.foreign.source_locations import make_connector, read_written

from plugwright_conformance.evidence.outcome import Outcome

SECTIONS = {
    "clean": "## Twelve good connectors without faults",
    "candid": "## Twelve more good connectors without faults",
}
"""The directories of good connectors, with the headings under which the page has them."""

HOMES = {name: Path(__file__).with_name(name) for name in SECTIONS}
GOOD = {each.id: each for home in HOMES.values() for each in read_written(home, "good")}
BLIND = {
    name: [json.loads(line) for line in (home / "blind.jsonl").read_text("utf-8").splitlines()]
    for name, home in HOMES.items()
}
SLOW = {
    ("bulkindex", "CON-ERR-05"),
    ("fsynclog", "CON-RES-05"),
    ("hookquay", "CON-ERR-01"),
    ("hookquay", "CON-ERR-05"),
    ("wiretap", "CON-ERR-05"),
}

BLAMED = [
    pytest.param(row["id"], check, marks=pytest.mark.drill if (row["id"], check) in SLOW else ())
    for rows in BLIND.values()
    for row in rows
    for check in {**row["failed"], **row["unmeasured"]}
]


@pytest.mark.parametrize("name", SECTIONS)
def test_each_was_tried(name):
    """Before anything was changed, and the page names those that raised no alarm."""
    page = (DOCS / "explanation" / "reported-faults.md").read_text("utf-8")
    section = page.partition(SECTIONS[name])[2].partition("\n## ")[0]
    rows = BLIND[name]

    assert {row["id"] for row in rows} == {e.id for e in read_written(HOMES[name], "good")}
    assert len(rows) == 12
    for row in rows:
        assert f"`{row['id']}`" in section
        alarms = {**row["failed"], **row["unmeasured"]}
        assert [check for check in alarms if check not in section] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", GOOD)
def test_code_is_whole(tmp_path, name):
    """It is Python, and has an endpoint driver."""
    location = make_connector(GOOD[name], tmp_path)

    for module in location.glob("*/*.py"):
        compile(module.read_text("utf-8"), module.name, "exec")
    assert (location / name / "testing.py").is_file()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "check"), BLAMED)
def test_good_connector_is_blamed_no_more(name, check, tmp_path):
    """By a check that had blamed it, or could not measure it."""
    (result,) = offline_results(make_connector(GOOD[name], tmp_path), tmp_path, [check])

    assert result.outcome.fulfils, result.message


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "last"),
    [
        pytest.param("stockpoll", "        self._stop.set()\n", id="source"),
        pytest.param("litemerge", "        pass  # no connection outlives a put()\n", id="sink"),
    ],
)
def test_what_a_stopped_task_still_holds_is_found(name, last, tmp_path):
    """Though it would be closed with the task as soon as nothing refers to that."""
    held = {"old": last, "new": f"{last}        self.held = __import__('socket').socket()\n"}
    made = replace(GOOD[name], changes=[held])

    (result,) = offline_results(make_connector(made, tmp_path), tmp_path, ["CON-RES-02"])

    assert result.outcome is Outcome.FAIL
    assert result.observed.startswith("3 more: ")
