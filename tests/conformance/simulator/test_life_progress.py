"""When a task in the simulation is given up."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from plugwright_conformance.simulator.life_progress import LifeProgress


@pytest.fixture
def time():
    """Seconds that the task has really waited, and virtual ones."""
    return SimpleNamespace(waited_s=0.0, now=1000.0)


@pytest.fixture
def progress(time):
    """Of a task that has just begun."""
    made = LifeProgress(time, lambda: time.now)
    made.look(0, idle=False)
    return made


@pytest.mark.parametrize(
    ("times", "seconds", "gives_up"), [(17, 61, True), (16, 61, False), (17, 60, False)]
)
def test_task_that_is_given_the_same_records_is_given_up(progress, time, times, seconds, gives_up):
    """After more than sixteen times, and more than a minute."""
    for _ in range(times):
        progress.look(0, idle=False)
    time.now += seconds
    assert progress.repeats_itself() is gives_up


def test_idle_polls_repeat_nothing(progress, time):
    """How many of them are too many is another question."""
    for _ in range(100):
        progress.look(0, idle=True)
    time.now += 100
    assert not progress.repeats_itself()


def test_progress_begins_both_counts_anew(progress, time):
    """Repetitions and waits before it are forgotten."""
    for _ in range(17):
        progress.look(0, idle=False)
    time.now, time.waited_s = 1100.0, 1000.0
    assert (progress.repeats_itself(), progress.has_waited_long()) == (True, True)
    progress.look(1, idle=False)
    assert (progress.repeats_itself(), progress.has_waited_long()) == (False, False)
    assert progress.waited_s == 0


def test_same_records_do_not_shorten_a_long_wait(progress, time):
    """A sink that is given them again while an outage lasts gets nowhere."""
    time.waited_s = 21.0
    progress.look(0, idle=False)
    assert progress.has_waited_long()
