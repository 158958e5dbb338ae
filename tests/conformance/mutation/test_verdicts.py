"""What counts as a kill, in which order checks come, and what is remembered."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.conformance.mutation.results import result

from plugwright_conformance.evidence.outcome import CheckEnd, Outcome
from plugwright_conformance.mutation import CodeMutant, Fate, How
from plugwright_conformance.mutation.fate_journal import FateJournal
from plugwright_conformance.mutation.order import KillOrder
from plugwright_conformance.mutation.trial import Baseline

MUTANT = CodeMutant("a/task.py", "number", 1, "a = 1\n", "a = 2\n")


@pytest.mark.parametrize(
    ("outcome", "ending", "how"),
    [
        (Outcome.FAIL, CheckEnd.REGULAR, "failed"),
        (Outcome.FAIL, CheckEnd.HUNG, "hung"),
        (Outcome.NOT_RUN, CheckEnd.REGULAR, "could not be run"),
        (Outcome.ERROR, CheckEnd.HUNG, "hung"),
        (Outcome.ERROR, CheckEnd.ENDED, "ended its process"),
        (Outcome.ERROR, CheckEnd.REGULAR, "error"),
    ],
)
def test_kills_are_reported_apart(outcome, ending, how):
    """By how the check ended, whatever its message says."""
    words = "its process was not done within its budget"
    fate = Fate.of(result("CON-LIF-01", outcome, words, ending))

    assert (fate.how.value, fate.by, fate.killed) == (how, "CON-LIF-01", True)
    assert Fate.parse(fate.render()) == fate


def test_a_survivor_is_not_killed():
    """By nobody."""
    assert not Fate(How.SURVIVED).killed


def test_cheap_checks_come_first_as_long_as_nothing_is_known():
    """And equal ones by their names."""
    order = KillOrder(Baseline({("T", "C"): 0.1, ("T", "A"): 5.0, ("T", "B"): 0.1}))

    assert order.order(MUTANT) == ["B", "C", "A"]


def test_checks_that_killed_come_first():
    """Most of all those that killed by the same operator."""
    order = KillOrder(Baseline({("T", "A"): 0.1, ("T", "B"): 0.1, ("T", "C"): 0.1}))
    other = replace(MUTANT, operator="negate", module="a/other.py")
    for _ in range(2):
        order.learn(other, Fate(How.FAILED, "C"))
    order.learn(MUTANT, Fate(How.FAILED, "B"))
    order.learn(MUTANT, Fate(How.SURVIVED))

    assert order.order(MUTANT) == ["B", "C", "A"]
    assert order.order(other) == ["C", "B", "A"]


def test_journal_gives_back_what_was_entered(tmp_path):
    """To a run of the same suite, connector and seed only."""
    file = tmp_path / "fates.jsonl"
    FateJournal(file, "run").enter("one", Fate(How.HUNG, "CON-LIF-01", "words"))

    assert FateJournal(file, "run").find("one") == Fate(How.HUNG, "CON-LIF-01", "words")
    assert FateJournal(file, "other").find("one") is None
    assert file.read_text() == (
        '{"fate": {"by": "CON-LIF-01", "how": "hung", "words": "words"}, '
        '"mutant": "one", "run": "run"}\n'
    )


def test_journal_that_was_cut_off_goes_on_in_a_new_line(tmp_path):
    """The half of a line is lost, and no more."""
    file = tmp_path / "fates.jsonl"
    file.write_text('{"fate": {"by"')

    FateJournal(file, "run").enter("two", Fate(How.SURVIVED))

    assert FateJournal(file, "run").find("two") == Fate(How.SURVIVED)
