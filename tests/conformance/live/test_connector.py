"""What is killed is the process of a task at work, and no other."""

from __future__ import annotations

import os
import signal
import time
from types import SimpleNamespace

import pytest

from plugwright.spark import NO_SLOT, TaskStatus
from plugwright_conformance.evidence.outcome import CheckFailedError, NotRunError
from plugwright_conformance.live import connector as live
from plugwright_conformance.live.connector import LiveConnector
from plugwright_conformance.processes import suspension


class Job:
    """A job of one task whose process changes with each look at it."""

    def __init__(self, pids):
        self._pids = list(pids)
        self._last = 0

    @property
    def statuses(self):
        """The task, with the next process number; 0 between two batches."""
        self._last = self._pids.pop(0) if self._pids else self._last
        return [TaskStatus(state="RUNNING", pid=self._last, attempt=0)]

    def wait_for(self, condition, timeout_s):
        """One look; by the next one the task may have moved on."""
        return condition(self.statuses)


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """What is not there at the first look does not come."""
    monkeypatch.setattr(live, "_STATE_S", 0)


@pytest.fixture
def killed(monkeypatch):
    """Kills the task of a stream; the signals that were sent on the way."""
    monkeypatch.setattr(live, "_SETTLED_S", 0)
    monkeypatch.setattr(suspension, "_stands_still", lambda _: True)
    sent = []
    monkeypatch.setattr(os, "kill", lambda pid, number: sent.append((pid, number)))

    def killed(*pids):
        LiveConnector("name", Job(pids), None, lambda *_: None, "stream").kill_task()
        return sent

    return killed


def test_process_of_a_stream_is_killed_in_a_batch(killed):
    """One whose batch was over meanwhile goes on, and the next one is taken."""
    signals = killed(7, 7, 0, 8, 8, 8, 9)

    assert signals == [
        (7, signal.SIGSTOP),
        (7, signal.SIGCONT),
        (8, signal.SIGSTOP),
        (8, signal.SIGKILL),
    ]


@pytest.mark.slow
def test_place_of_a_kill_is_noted_at_the_moment_of_the_kill(monkeypatch):
    """Though it is known only when the next process tells of it."""
    notes = []
    monkeypatch.setattr(live, "_SETTLED_S", 0)
    monkeypatch.setattr(os, "kill", lambda *_: None)

    job = Job([7, 7, 7, 8])
    kill = LiveConnector("name", job, None, lambda *note: notes.append(note), "stream").kill_task()

    assert kill.met == "at a place that is not known; of its commits nothing is known"
    (what, words, at_s), back = notes
    assert (what, words) == ("kill", f"kill -9 of task 0 of name {kill.met}")
    assert at_s <= time.monotonic() - kill.back_after_s
    assert back == ("back", "task 0 of name runs again")


@pytest.fixture
def phases(monkeypatch):
    """Sets the calls that a task is in at each look; what was suspended, resumed and killed."""
    done = []
    monkeypatch.setattr(suspension, "_PAUSE_S", 0)
    monkeypatch.setattr(suspension, "suspend", list)
    monkeypatch.setattr(suspension, "resume", lambda pids: done.append(("resume", *pids)))
    monkeypatch.setattr(os, "kill", lambda pid, number: done.append((number, pid)))

    def phases(*calls):
        looks = iter(calls)
        monkeypatch.setattr("plugwright.spark.current_phase", lambda _: next(looks, ""))
        LiveConnector("name", Restarted(), None, lambda *_: None).kill_task(within=["put"])
        return done

    return phases


class Restarted:
    """A job whose task runs again, in another process, once it is waited for."""

    def __init__(self):
        self.statuses = [TaskStatus(state="RUNNING", pid=7, attempt=0)]

    def wait_for(self, condition, timeout_s):
        """The next attempt."""
        self.statuses = [TaskStatus(state="RUNNING", pid=8, attempt=1)]
        return condition(self.statuses)


def test_kill_meets_a_task_in_the_call_that_was_asked_for(phases):
    """In any other call, or where it is not known, the task goes on."""
    assert phases("", None, "pre_commit", "put") == [
        ("resume", 7),
        ("resume", 7),
        ("resume", 7),
        (signal.SIGKILL, 7),
    ]


def test_kill_meets_a_task_that_is_never_in_that_call(phases):
    """Some tasks have nothing to do in it."""
    assert phases()[-1] == (signal.SIGKILL, 7)


def test_between_two_batches_there_is_no_process_to_kill(killed):
    """Process number 0 would be everybody."""
    with pytest.raises(CheckFailedError, match="expected tasks at work on a batch"):
        killed(0)


def test_process_that_ends_at_the_last_moment_is_none_either(killed):
    """It was there for who waited, and is gone for who looks."""
    assert killed(7, 0, 8, 8, 8, 9) == [(8, signal.SIGSTOP), (8, signal.SIGKILL)]


@pytest.mark.parametrize("last", [0, 8], ids=["none", "the-same"])
def test_process_that_does_not_come_back_is_reported(killed, last):
    """The one that was killed is no other."""
    with pytest.raises(CheckFailedError, match="RUNNING again after kill -9"):
        killed(8, 8, 8, last)


@pytest.mark.parametrize("engine", ["resident", "stream"])
def test_process_elsewhere_is_not_measured_and_no_process_here_is_signalled(monkeypatch, engine):
    """Its number may be another process's here."""
    monkeypatch.setattr(live, "_SETTLED_S", 0)
    monkeypatch.setattr(suspension, "_PAUSE_S", 0)
    monkeypatch.setattr(os, "kill", lambda *_: pytest.fail("signalled"))
    task = TaskStatus(state="RUNNING", pid=7, daemon="far:6")
    job = SimpleNamespace(statuses=[task], wait_for=lambda condition, _: condition([task]))
    connector = LiveConnector("name", job, None, lambda *_: None, engine, lambda _: False)

    for within in ((), ("put",)):
        with pytest.raises(NotRunError, match="not measured: the process of task 0 is on far, and"):
            connector.kill_task(within=within)


def test_process_that_has_just_ended_is_not_taken_for_one_elsewhere(monkeypatch):
    """Its successor is killed."""
    monkeypatch.setattr(live, "_SETTLED_S", 0)
    sent = []
    monkeypatch.setattr(os, "kill", lambda *signal: sent.append(signal))
    job = Job([7, 8, 8, 8, 9])
    connector = LiveConnector("name", job, None, lambda *_: None, _is_here=lambda t: t.pid != 7)

    with pytest.raises(CheckFailedError, match="RUNNING again"):  # its attempts are not counted
        connector.kill_task()

    assert sent == [(8, signal.SIGKILL)]


def test_lack_of_slots_is_not_the_plugins_fault():
    """The cluster is too small."""
    task = TaskStatus(trace=f"{NO_SLOT}: it has 2, and 4 tasks need one")
    job = SimpleNamespace(statuses=[task], wait_for=lambda condition, _: condition([task]))

    with pytest.raises(NotRunError, match=r"^not measured: spark\.no-slot: it has 2"):
        LiveConnector("name", job, None, lambda *_: None).await_running()


def test_process_number_zero_is_never_killed(monkeypatch):
    """It would be every process of the group; a task may end as soon as it runs again."""
    sent = []
    monkeypatch.setattr(os, "kill", lambda *signal: sent.append(signal))
    job = Job([0, 8, 0, 9, 9, 9])

    with pytest.raises(CheckFailedError, match="RUNNING again"):  # its attempts are not counted
        LiveConnector("name", job, None, lambda *_: None).kill_task()

    assert sent == [(9, signal.SIGKILL)]
