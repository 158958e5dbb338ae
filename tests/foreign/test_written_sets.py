"""Reported faults, in connectors that were written without a look at the suite.

The fourth set of ``docs/explanation/reported-faults.md`` and those after it. What the suite makes
of them is a drill.
"""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from tests.docs.pages import DOCS
from tests.foreign.offline import offline_results
from tests.foreign.source_locations import make_connector
from tests.foreign.written_sets import SETS

from plugwright_conformance.controls.reported_trial import fault_table, found
from plugwright_conformance.evidence.outcome import Outcome

PAGE = DOCS / "explanation" / "reported-faults.md"
WHICH = [
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
]
FAULTS = {each.id: each for one in SETS for each in one.faults}
GOOD = {each.id: each for one in SETS for each in one.good}
FOUND = [pair for one in SETS for pair in one.found.items()]
SLOW = {
    ("hourbook-waits-for-age", "CON-DLV-03"),
    ("sheets-few-rows", "CON-PAR-02"),
    ("farfeed", "SRC-OFF-03"),
    ("farfeed-now-and-then", "CON-DLV-13"),
    ("holdqueue-without-offsets", "CON-PAR-05"),
    ("holdqueue", "CON-ERR-05"),
    ("ackwire", "SNK-ERR-01"),
    ("postbell", "CON-DLV-13"),
    ("postbell", "CON-ERR-05"),
    ("postbell", "CON-DLV-03"),
}
LEFT_ALONE = [
    pytest.param(name, check, marks=pytest.mark.drill if (name, check) in SLOW else ())
    for one in SETS
    for name, checks in one.left_alone.items()
    for check in checks
]

of_each_set = pytest.mark.parametrize("one", SETS, ids=lambda one: one.name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*FAULTS, *GOOD])
def test_code_is_whole(tmp_path, name):
    """Every change fits its good connector, and what comes of it is Python."""
    location = make_connector(FAULTS.get(name) or GOOD[name], tmp_path)

    for module in location.glob("*/*.py"):
        compile(module.read_text("utf-8"), module.name, "exec")
    assert {m.name for m in location.glob("*/*.py")} == {"__init__.py", "testing.py"}


def test_no_set_is_left_out():
    """Each is known by its name, and no two connectors have one name."""
    names = {f"{which} set" for which in WHICH}
    assert {one.name for one in SETS} == names
    assert len(SETS) == len(names)
    assert len(FAULTS) == sum(one.count for one in SETS)
    assert len(GOOD) == sum(len(one.good) for one in SETS)


@of_each_set
def test_every_fault_was_reported(one):
    """Somewhere else, each at a place of its own."""
    origins = [each.reported for each in one.faults]

    pattern = r"https://github\.com/[\w.-]+/[\w.-]+/(issues|pull)/\d+"
    assert [o for o in origins if not re.fullmatch(pattern, o)] == []
    assert len({*origins}) == len(origins) == one.count


@of_each_set
def test_journal_has_no_other_connectors(one):
    """All the good connectors were tried, those that faults were put into among them."""
    good = {each.id for each in one.good}

    assert one.blind.keys() <= {each.id for each in one.faults} | good
    assert {each.connector for each in one.faults} <= good <= one.blind.keys()


@of_each_set
def test_page_shows_what_the_journal_has(one):
    """The first score stays what it was."""
    page = PAGE.read_text("utf-8")
    tried = [each for each in one.faults if each.id in one.blind]
    reasons = [found(each, one.blind[each.id], one.blind[each.connector])[0] for each in tried]
    counts = [one.count, *(reasons.count(reason) for reason in ("right", "wrong", "nothing"))]
    shown = " | ".join(map(str, [*counts, one.count - len(tried)]))

    assert fault_table(one.blind, one.faults) in page
    assert f"| {one.name}, blind | {shown} |" in page


@pytest.mark.parametrize(
    "name",
    [f"{which} set" for which in WHICH[2:]],
)
def test_page_tells_what_is_left(name):
    """What was missed, and no changed check finds."""
    (one,) = (each for each in SETS if each.name == name)
    trials = one.blind
    missed = {e.id for e in one.faults if found(e, trials[e.id], trials[e.connector])[0] != "right"}
    left = missed - one.found.keys()

    assert one.found.keys() <= missed
    shown = f"| {name}, last | {one.count} | {one.count - len(left)} | 0 | {len(left)} | 0 |"
    assert shown in PAGE.read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "check"), FOUND)
def test_fault_that_was_missed_is_found(name, check, tmp_path):
    """In words that point to it."""
    (result,) = offline_results(make_connector(FAULTS[name], tmp_path), tmp_path, [check])

    assert result.outcome is Outcome.FAIL
    assert re.search(FAULTS[name].words, f"{result.message} | {result.scenario}")


@pytest.mark.slow
@pytest.mark.parametrize(
    "written",
    [GOOD["wideboard"], FAULTS["wideboard-nulls-become-defaults"]],
    ids=["null", "default"],
)
def test_sink_may_store_null_or_the_default_for_a_null(written, tmp_path):
    """``Struct.get`` returns the default then."""
    declared = {"old": '"string?" }', "new": '"string? = none" }', "file": "conformance.toml"}
    made = replace(written, changes=[*written.changes, declared])

    (result,) = offline_results(make_connector(made, tmp_path), tmp_path, ["SNK-TYP-05"])

    assert result.outcome is Outcome.PASS


@pytest.mark.slow
@pytest.mark.parametrize(("name", "check"), LEFT_ALONE)
def test_good_connector_is_blamed_no_more(name, check, tmp_path):
    """By a check that had blamed it."""
    (result,) = offline_results(make_connector(GOOD[name], tmp_path), tmp_path, [check])

    assert result.outcome.fulfils, result.message


@pytest.mark.drill
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("written", GOOD.values(), ids=GOOD)
def test_good_connector_is_left_alone(written, tmp_path):
    """By every check that needs no live system."""
    wrong = {Outcome.FAIL, Outcome.ERROR}

    results = offline_results(make_connector(written, tmp_path), tmp_path)

    assert {r.id: r.message for r in results if r.outcome in wrong} == {}


@pytest.mark.slow
@pytest.mark.parametrize(
    "check",
    [
        pytest.param("CON-LIF-16", id="in the simulator"),
        pytest.param("SRC-TYP-02", id="step by step"),
    ],
)
def test_other_work_is_for_tasks_whose_connector_asks_for_it(check, tmp_path):
    """Without that, what comes into a new shard is not read."""
    silent = {
        "old": "                self.context.request_task_reconfiguration()\n",
        "new": "                LOG.info('there are other shards')\n",
    }
    made = replace(GOOD["shardtail"], changes=[silent])

    (result,) = offline_results(make_connector(made, tmp_path), tmp_path, [check])

    assert result.outcome is Outcome.FAIL
    assert re.search("lost 1|1 are missing", result.message)
