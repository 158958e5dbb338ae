"""The score that is published is of a known form, adds up, and shows all that survived."""

from __future__ import annotations

import json
from importlib import resources

import pytest

from plugwright_conformance.checks import CHECKS
from plugwright_conformance.mutation import Equivalents
from plugwright_conformance.mutation.operators import OPERATORS

DOCUMENT = json.loads(
    resources.files("plugwright_conformance").joinpath("machine_mutants.json").read_text("utf-8")
)
RUNS = DOCUMENT["runs"]
EACH_RUN = pytest.mark.parametrize("run", RUNS, ids=[run["location"] for run in RUNS])
FIGURES = {"equivalent", "killed", "made", "survived", "tried"}


def test_form_is_the_one_that_the_command_writes():
    """With every key, in the first version."""
    assert set(DOCUMENT) == {"checks", "format", "runs"}
    assert DOCUMENT["format"] == "plugwright-machine-mutants/1"
    assert RUNS


def test_checks_are_listed_with_their_revisions():
    """Ids of checks that the suite has, most of them at least."""
    reported = {name for name, _, _ in (each.partition(" rev ") for each in DOCUMENT["checks"])}

    assert len(reported) > 80
    assert reported <= {check.id for check in CHECKS}


@EACH_RUN
def test_figures_add_up(run):
    """By connector, by operator, and by the ways to end."""
    score = run["score"]
    by_operator = run["operators"].values()

    assert set(score) == FIGURES
    assert score["tried"] == score["killed"] + score["equivalent"] + score["survived"]
    assert score["tried"] <= score["made"]
    assert sum(each["tried"] for each in by_operator) == score["tried"]
    assert sum(each["killed"] for each in by_operator) == score["killed"]
    assert sum(run["killed_by"].values()) == score["killed"]
    assert sum(run["how"].values()) == score["tried"]


def test_every_excuse_is_of_a_mutant_that_is_published():
    """A reason that excuses nothing is of no use."""
    excused = sum(run["score"]["equivalent"] for run in RUNS)

    assert excused == len(Equivalents.shipped().reasons)


@EACH_RUN
def test_survivors_are_shown(run):
    """Each as a diff, and equivalent ones with the reason of the table."""
    known = {operator.name for operator in OPERATORS}
    reasons = set(Equivalents.shipped().reasons.values())

    assert len(run["survivors"]) == run["score"]["survived"]
    assert len(run["equivalent"]) == run["score"]["equivalent"]
    assert {each["operator"] for each in [*run["survivors"], *run["equivalent"]]} <= known
    assert all(each["diff"].startswith("--- a/") for each in run["survivors"])
    assert {each["reason"] for each in run["equivalent"]} <= reasons
    assert run["stale"] == []
