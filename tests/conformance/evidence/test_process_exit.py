"""How the ends of processes are reported, and with which failures."""

from __future__ import annotations

import signal
from dataclasses import replace
from types import SimpleNamespace

import pytest

from plugwright.spark import Exit, TaskStatus
from plugwright_conformance.evidence.outcome import CheckResult, Level, LiveEvent, Outcome, Severity
from plugwright_conformance.evidence.process_exit import MEND, how_ended, kill_met, with_crashes
from plugwright_conformance.live.connector import LiveConnector

KILLED = Exit(signal.SIGKILL, "put")
EXITED = Exit(3 << 8, "put")
WORDS = "the process of task 0 of orders ended with status 3 in put()"

FAILED = CheckResult(
    id="CON-DLV-01",
    title="",
    group="",
    revision=1,
    severity=Severity.MUST,
    level=Level.C3,
    outcome=Outcome.FAIL,
    observations=1,
    seed="",
    duration_s=0.0,
    message="expected all; observed none",
    replay="",
    observed="none",
    mend="Look.",
)


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (EXITED, "ended with status 3 in put()"),
        (Exit(0, ""), "ended with status 0 between calls of the task"),
        (Exit(signal.SIGSEGV, "start", "stack"), "was ended by SIGSEGV in start()"),
        (
            Exit(9, "conversion and transformation of records"),
            "was ended by SIGKILL in conversion and transformation of records",
        ),
        (Exit(words="executor lost\nmore"), "ended, and it is not known how: executor lost"),
        (Exit(), "ended, and it is not known how"),
    ],
    ids=["exit", "between", "native", "phase", "spark", "unknown"],
)
def test_end_of_a_process_is_reported_as_far_as_it_is_known(end, words):
    """The code or the signal, and the call."""
    assert how_ended(end) == words


@pytest.mark.parametrize(
    ("end", "counters", "words"),
    [
        (KILLED, {"commits": 3}, "in put(), after its commit 3 or a later one"),
        (Exit(9), {"commits": 0}, "between calls of the task, with no commit heard of"),
        (KILLED, {}, "in put(); of its commits nothing is known"),
        (
            EXITED,
            {"commits": 1.0},
            "at a place that is not known, after its commit 1 or a later one",
        ),
        (None, {"commits": 0}, "at a place that is not known, with no commit heard of"),
    ],
    ids=["call", "between", "no-counters", "another-end", "none"],
)
def test_position_of_a_kill_is_reported_as_far_as_it_is_known(end, counters, words):
    """What another end of the process says is not said of this one."""
    before, after = TaskStatus(counters=counters), TaskStatus(last_exit=end)

    assert kill_met(before, after) == words


@pytest.fixture
def noted():
    """What a connector notes of the crashes of one task, of which some were killed."""

    def noted(end, *killed):
        notes = []
        job = SimpleNamespace(statuses=[TaskStatus(last_exit=end)])
        connector = LiveConnector("orders", job, None, lambda *note: notes.append(note))
        connector._killed.update(killed)
        connector.note_crashes()
        return notes

    return noted


def test_process_that_ends_itself_is_noted(noted):
    """In the words that the simulator has for it, also after one that was killed."""
    assert noted(EXITED, 0) == noted(EXITED) == [("crash", WORDS)]


def test_process_that_was_killed_here_is_no_crash(noted):
    """Unless another process killed it."""
    assert noted(KILLED, 0) == noted(None) == []
    assert [kind for kind, _ in noted(KILLED)] == ["crash"]


def test_failure_is_reported_with_the_crashes_that_were_seen():
    """And what to do about these comes first."""
    reported = with_crashes(FAILED, [LiveEvent(1.0, "kill", "x"), LiveEvent(2.0, "crash", WORDS)])

    assert reported.message == f"expected all; observed none; {WORDS}"
    assert reported.observed == f"none; {WORDS}"
    assert reported.mend == f"{MEND} Look."


def test_verdicts_without_crashes_or_failure_stay_as_they_are():
    """A task that came back and lost nothing has passed."""
    passed = replace(FAILED, outcome=Outcome.PASS)

    assert with_crashes(FAILED, [LiveEvent(1.0, "kill", "x")]) == FAILED
    assert with_crashes(passed, [LiveEvent(2.0, "crash", WORDS)]) == passed
