"""The crash budget: what is counted, how long a restart waits, what people read."""

from __future__ import annotations

import signal

import pytest

from plugwright.errors import render
from plugwright.spark import ClassReference, CrashBudget, Exit, TaskSpec
from plugwright.spark.crashes import CrashHistory, crash_error

CONVERTER = ClassReference("plugwright.converters", "StringConverter")
SPEC = TaskSpec(
    connector="orders",
    task=0,
    kind="sink",
    task_class=ClassReference("shop", "Outer.Task"),
    version="1.0",
    location="/plugins/shop",
    config={},
    bootstrap_servers="k:1",
    key_converter=CONVERTER,
    value_converter=CONVERTER,
    header_converter=CONVERTER,
)
EXIT_3 = 3 << 8  # as waitpid gives it


class Clock:
    """Seconds that the test sets."""

    now = 0.0

    def __call__(self):
        """What it shows."""
        return self.now


@pytest.fixture
def clock():
    """Stands at 0."""
    return Clock()


@pytest.fixture
def history(clock):
    """Two restarts in 100 s, the second after 4 s."""
    return CrashHistory(CrashBudget(restarts=2, window_s=100, backoff_s=4), clock)


@pytest.mark.parametrize(
    ("crashes", "delay_s"),
    [(0, 0), (1, 0), (2, 1), (3, 2), (4, 4), (7, 32), (8, 60), (5000, 60)],
    ids=str,
)
def test_restarts_wait_longer_and_longer(crashes, delay_s):
    """At once, then 1 s, doubled each time, up to a minute."""
    assert CrashBudget().delay_s(crashes) == delay_s


def test_the_end_of_a_process_counts_once(history):
    """The line is cut, Spark's next attempt calls, and Spark's own figures say it too."""
    assert [history.died(1), history.died(1), history.died(0), history.died(2)] == [
        True,
        False,
        False,
        True,
    ]
    assert history.crashes == 2


def test_a_budget_is_spent_by_one_crash_more_than_restarts(history):
    """Not before."""
    history.died(2)
    assert not history.is_spent
    history.died(3)
    assert history.is_spent


def test_the_wait_is_over_in_time(history, clock):
    """It runs from the crash."""
    history.died(2)
    clock.now = 1.5
    assert history.wait_s == 2.5
    clock.now = 9.0
    assert history.wait_s == 0.0


def test_a_task_that_was_well_for_the_window_begins_anew(history, clock):
    """With a whole budget, and without a wait."""
    history.died(2)
    clock.now = 100.0
    history.died(3)
    assert (history.crashes, history.wait_s) == (1, 0.0)


def test_attempts_count_from_the_start_in_a_new_job(history):
    """Its breakdown is one crash, and none if the crash was known."""
    history.died(1)
    history.broke()
    assert history.crashes == 1
    history.is_explained = True
    history.broke()
    assert history.crashes == 2
    assert history.died(1)


def test_an_exit_belongs_to_the_daemon_that_forked_it(history):
    """Process ids mean nothing on another machine."""
    history.began("here:1", "77")
    assert history.end_of_process("here:1", {"77": (9, "put")}) == Exit(9, "put")
    assert history.end_of_process("there:1", {"77": (9, "put")}) == Exit()
    assert history.end_of_process("here:1", {}) == Exit()


@pytest.mark.parametrize(
    ("end", "reported"),
    [
        (Exit(signal.SIGKILL, "put"), "was killed by SIGKILL in put"),
        (Exit(EXIT_3, "start"), "exited with code 3 in start"),
        (Exit(EXIT_3), "exited with code 3 between calls of the task"),
        (Exit(signal.SIGSEGV, "put", "a stack"), "was killed by SIGSEGV in put\na stack"),
        (Exit(words="no python"), "ended unexpectedly: no python"),
        (Exit(), "ended unexpectedly"),
    ],
    ids=str,
)
def test_an_end_is_described_in_words(end, reported):
    """What is known of it, and no more."""
    assert str(end) == reported


def test_a_crash_with_a_restart_to_come(history):
    """Who, how, and when it goes on."""
    history.died(2)
    assert render(crash_error(SPEC, history, Exit(signal.SIGKILL, "put"))) == (
        "task.crashed: the process of task orders-0, shop.Outer.Task 1.0 from /plugins/shop, was "
        "killed by SIGKILL in put\n"
        "Restart 2 of 2 within 100 s comes in 4 s.\n"
        "  → check whether the machine or its container ran out of memory"
    )


def test_a_crash_too_many(history):
    """Which setting says so, and what to do."""
    history.died(3)
    error = crash_error(SPEC, history, Exit(EXIT_3, "put"))
    assert render(error) == (
        "task.crashed: the process of task orders-0, shop.Outer.Task 1.0 from /plugins/shop, "
        "exited with code 3 in put\n"
        "It is not restarted: that was crash 3 within 100 s, and task.crash.restarts.max "
        "allows 2 restarts.\n"
        "  → look for the cause in the log, and in Spark's; then restart the task"
    )
    assert (error.facts["location"], error.facts["phase"]) == ("/plugins/shop", "put")
