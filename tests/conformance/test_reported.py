"""Faults that others reported: each has its report, its good twin, and a score on record."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from tests.docs.pages import DOCS

from plugwright_conformance.controls.reported_trial import Trial, fault_table, found, read_trials
from plugwright_conformance.mutants.reported import (
    BASES,
    REPORTED,
    SECOND_SET,
    UNUSUAL,
    good,
    materialise,
)

JOURNAL = Path(__file__).with_name("reported_first_trial.jsonl")
SECOND = Path(__file__).with_name("reported_second_trial.jsonl")
THIRD = Path(__file__).with_name("reported_third_trial.jsonl")
SECOND_SET_BLIND = Path(__file__).with_name("reported_second_set_blind.jsonl")
SECOND_SET_LAST = Path(__file__).with_name("reported_second_set_last.jsonl")
PAGE = DOCS / "explanation" / "reported-faults.md"
ONE = next(each for each in REPORTED if each.id == "R101")


@pytest.fixture(scope="module")
def trials():
    """The first trial, which nobody had prepared for."""
    return read_trials(JOURNAL)


def test_every_fault_has_its_report():
    """An address in the docstring of the class, and nearly every one another."""
    origins = [each.origin for each in (*REPORTED, *SECOND_SET)]

    assert all(
        re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+/(issues|pull)/\d+", o) for o in origins
    )
    assert len(set(origins)) >= 70


def test_the_second_set_has_other_reports_than_the_first():
    """Nothing of it was there when the checks were improved."""
    first = {each.origin for each in REPORTED}

    assert len(SECOND_SET) == 12
    assert [each.id for each in SECOND_SET if each.origin in first] == []


def test_every_id_is_used_once():
    """Or trials could not be distinguished."""
    ids = [each.id for each in (*REPORTED, *SECOND_SET, *UNUSUAL, *map(good, BASES))]

    assert len(set(ids)) == len(ids)


def test_every_twin_is_tried_itself():
    """So that a check that fails it counts for nothing."""
    assert all(each.twin.base in BASES for each in REPORTED)


@pytest.mark.parametrize("fault", [ONE, *SECOND_SET], ids=lambda fault: fault.id)
def test_location_declares_what_it_holds(tmp_path, fault):
    """The class of the declaration is the manifest's; only drivers use what the suite has."""
    location = materialise(fault, tmp_path)

    declared = tomllib.loads((location / fault.package / "conformance.toml").read_text("utf-8"))
    (manifest,) = location.glob("*.dist-info/entry_points.txt")
    (plugin,) = declared["plugin"]
    assert f"{plugin['class']} = " in manifest.read_text("utf-8")
    assert "plugwright_conformance" not in "".join(
        file.read_text("utf-8") for file in location.rglob("*.py") if file.stem != "endpoints"
    )


@pytest.mark.parametrize(
    ("failed", "of_twin", "expected"),
    [
        ({"CON-DLV-01": "lost 3"}, {}, ("right", ["CON-DLV-01"])),
        ({"CON-DLV-01": "lost 0"}, {}, ("wrong", ["CON-DLV-01"])),
        ({"CON-DLV-01": "lost 3"}, {"CON-DLV-01": "lost 3"}, ("nothing", [])),
        ({}, {}, ("nothing", [])),
    ],
    ids=["right", "wrong", "as-its-twin", "nothing"],
)
def test_finding_points_to_the_fault_or_does_not(failed, of_twin, expected):
    """And one that the good twin has as well is none."""
    trial, twin = Trial(ONE.id, 80, failed, {}), Trial(ONE.twin.id, 80, of_twin, {})

    assert found(ONE, trial, twin) == expected


def test_journal_has_everything_that_was_tried(trials):
    """Faults, twins and unusual connectors."""
    assert trials.keys() == {each.id for r in REPORTED for each in (r, r.twin)} | {
        each.id for each in (*UNUSUAL, *map(good, BASES))
    }
    assert Trial(**{n: getattr(trials[ONE.id], n) for n in Trial.__slots__}) == trials[ONE.id]


def test_page_shows_what_the_journal_has(trials):
    """The first score stays what it was."""
    page = PAGE.read_text("utf-8")
    reasons = [found(each, trials[each.id], trials[each.twin.id])[0] for each in REPORTED]

    assert fault_table(trials, REPORTED) in page
    assert (
        f"| {len(reasons)} | {reasons.count('right')} | {reasons.count('wrong')} | "
        f"{reasons.count('nothing')} |"
    ) in page


def test_page_shows_both_runs_of_the_good_connectors(trials):
    """How many were failed, and how many met an error alone."""
    good_ones = [each.id for each in (*map(good, BASES), *UNUSUAL)]
    again, page = read_trials(SECOND), PAGE.read_text("utf-8")
    runs = [[run[name] for name in good_ones] for run in (trials, again)]
    failed = [sum(bool(each.failed) for each in run) for run in runs]
    errors = [sum(bool(each.unmeasured) and not each.failed for each in run) for run in runs]

    assert again.keys() == set(good_ones)
    assert f"| good connectors | {len(good_ones)} | {len(again)} |" in page
    assert "| with a FAIL | {} | {} |".format(*failed) in page
    assert "| with an ERROR and no FAIL | {} | {} |".format(*errors) in page


def test_page_shows_the_last_run_of_the_faults():
    """Beside the blind one; good twins pass the checks by then."""
    last, page = read_trials(THIRD), PAGE.read_text("utf-8")
    of_twins = {each.twin.id: Trial(each.twin.id, 0, {}, {}) for each in REPORTED}
    reasons = [found(each, last[each.id], of_twins[each.twin.id])[0] for each in REPORTED]
    right, wrong, nothing = (reasons.count(name) for name in ("right", "wrong", "nothing"))

    assert last.keys() == {each.id for each in REPORTED}
    assert f"| third run | {len(reasons)} | {right} | {wrong} | {nothing} |" in page


def test_page_shows_both_runs_of_the_second_set():
    """The blind one stays what it was, whatever was made of it later."""
    page = PAGE.read_text("utf-8")
    blind, last = map(read_trials, (SECOND_SET_BLIND, SECOND_SET_LAST))
    before, after = (
        [found(each, run[each.id], blind[each.twin.id])[0] for each in SECOND_SET]
        for run in (blind, last)
    )

    assert blind.keys() == {name for each in SECOND_SET for name in (each.id, each.twin.id)}
    assert fault_table(blind, SECOND_SET) in page
    for name, reasons in (("blind", before), ("last", after)):
        counts = [reasons.count(each) for each in ("right", "wrong", "nothing")]
        assert "| second set, {} | 12 | {} | {} | {} |".format(name, *counts) in page


def test_good_twins_of_the_second_set_have_no_finding():
    """Or a finding would say nothing."""
    blind = read_trials(SECOND_SET_BLIND)

    twins = [blind[each.twin.id] for each in SECOND_SET]

    assert [twin.id for twin in twins if twin.failed or twin.unmeasured] == []
