"""What is said and done about a task that hangs, without Spark."""

from __future__ import annotations

import logging
import threading
from dataclasses import replace

import pytest
from tests.runtime.spark.hosts import task_spec

from plugwright.spark.watchdog import Watchdog

ORIGIN = "plugin shop.Outer.Task, version 1.0, location /plugins/shop, phase {}"


class Ended(BaseException):
    """In the place of the end of the process."""


@pytest.fixture
def watched():
    """A watchdog over a task that this thread runs, with a clock that stands still."""
    spec = replace(task_spec(), startup_timeout_s=30.0, call_warning_s=60.0)
    failures, busy = [], []
    watchdog = Watchdog(spec, failures.append, busy.append, _end, lambda: watchdog.now)
    watchdog.now, watchdog.failures, watchdog.busy = 0.0, failures, busy
    return watchdog


def _end():
    raise Ended


@pytest.mark.parametrize(
    "phase",
    [
        "constructor",
        "configuration of its converters",
        "configuration of its transformations",
        "initialize",
        "start",
    ],
)
def test_a_call_at_startup_has_a_limit(watched, phase):
    """The task has failed then, with all that a person needs; its process ends."""
    watched.enter(phase)
    watched.now = 30.1

    with pytest.raises(Ended):
        watched.look()

    (error,) = watched.failures
    assert error.code == "plugin.task-timeout"
    assert str(error) == f"shop.Outer.Task 1.0 failed in {phase}: it did not return within 30 s"
    assert error.hint == (
        "fix what it waits for, or raise task.startup.timeout.ms; then restart the task"
    )
    origin, where = error.__notes__
    assert origin == ORIGIN.format(phase)
    assert where.startswith("current stack:\n  File ")


@pytest.mark.parametrize("phase", ["start", "put"], ids=["in time", "no start"])
def test_no_other_call_is_limited(watched, phase):
    """Neither a start that returns in time, nor a call of a running task."""
    watched.enter(phase)
    watched.now = 29.9 if phase == "start" else 3600.0

    watched.look()

    assert watched.failures == []


def test_without_a_limit_a_start_takes_as_long_as_it_likes(watched):
    """As task.startup.timeout.ms=0 says."""
    watched._spec = replace(watched._spec, startup_timeout_s=0.0)
    watched.enter("start")
    watched.now = 1e9

    watched.look()

    assert watched.failures == []


def warnings(caplog):
    """What was warned of, first lines."""
    return [
        r.getMessage().partition(";")[0] for r in caplog.records if r.levelno == logging.WARNING
    ]


def test_a_long_call_is_logged_once(watched, caplog):
    """With its plugin, version, location and phase; the next one is logged anew."""
    for begin in (0.0, 100.0):
        watched.now = begin
        watched.enter("put")
        for seconds in (59.0, 60.0, 61.0):
            watched.now = begin + seconds
            watched.look()
        watched.enter("")

    line = f"task orders-0 has been in put for 60 s: {ORIGIN.format('put')}"
    assert warnings(caplog) == [line, line]


def test_a_poll_that_waits_for_data_is_logged_once_a_task(watched, caplog):
    """It may block for as long as there is nothing to read."""
    for begin in (0.0, 100.0):
        watched.now = begin
        watched.enter("poll")
        watched.now = begin + 60.0
        watched.look()

    assert len(warnings(caplog)) == 1


@pytest.mark.parametrize("phase", ["commit", "none: the runtime is at work"])
def test_a_task_that_is_to_stop_says_what_keeps_it(watched, phase):
    """Once, from whichever thread is in the plugin; before that it says nothing."""
    if phase == "commit":
        thread = threading.Thread(target=watched.enter, args=(phase,))
        thread.start()
        thread.join()
    watched.now = 1.0
    watched.look()
    watched.stopping()
    watched.look()
    early = list(watched.busy)
    watched.now = 1.3
    watched.look()
    watched.look()

    assert early == []
    assert [each.partition("\n")[0] for each in watched.busy] == [ORIGIN.format(phase)]


def test_a_call_that_is_over_is_neither_limited_nor_logged(watched, caplog):
    """Only what is under way counts."""
    watched.enter("start")
    watched.enter("")
    watched.now = 1000.0

    watched.look()

    assert (watched.failures, warnings(caplog)) == ([], [])


def test_a_watchdog_ends_with_its_task(watched):
    """Its thread, and the timer that would end the process."""
    with watched:
        (thread,) = (t for t in threading.enumerate() if t.name == "task-watchdog")
    thread.join(60)
    assert not thread.is_alive()
