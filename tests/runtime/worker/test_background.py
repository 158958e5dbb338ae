"""A poll that blocks keeps nothing waiting: acknowledgements, commits, pause, stop."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from tests.runtime.worker.rigs import ScriptedSource, SourceRig, line
from tests.runtime.worker.stepping import SteppingBackground

from plugwright.errors import RetriableError
from plugwright.worker import BackgroundThread, ErrorSettings, LoopLock, TaskControl


class Deaf(ScriptedSource):
    """Notes what it receives."""

    def commit_record(self, record, metadata):
        """Note it."""
        self.calls.append(("record", record.value))


@pytest.fixture
def rig():
    """A source loop with a background that the test moves."""
    made = SourceRig(Deaf)
    made.background = SteppingBackground()
    return made


def _while_polling(rig, *acts):
    """A step: a poll in which things happen, with the background's step after each."""

    def step():
        for act in acts:
            act()
            rig.background.step()

    return step


def test_the_background_has_the_lock_during_a_poll_only(rig):
    """Not while the loop sends, commits, or stops the task."""
    free = []
    look = lambda *_: free.append(rig.background.step())  # noqa: E731  # a probe
    rig.producer.send = look
    rig.offsets.store = look
    rig.run([line("a", 1)], look)
    assert free == [False, True]


def test_acknowledgements_reach_the_task_while_it_polls(rig):
    """A source may wait for them in its poll."""
    seen = []
    rig.run(
        [line("a", 1)],
        _while_polling(rig, rig.acknowledge(), lambda: seen.extend(rig.calls[-1:])),
    )
    assert seen == [("record", "a1")]


def test_offsets_are_stored_while_a_poll_blocks(rig):
    """At their time."""
    seen = []
    rig.run(
        [line("a", 1)],
        _while_polling(
            rig, rig.acknowledge(), rig.interval, lambda: seen.extend(rig.offsets.writes)
        ),
    )
    assert seen == [[({"file": "a"}, {"line": 1})]]


def test_nothing_is_stored_that_is_not_acknowledged_whoever_stores_it(rig):
    """The lock orders commits and sends."""
    rig.run(_while_polling(rig, rig.interval), [line("a", 1)], _while_polling(rig, rig.interval))
    assert rig.offsets.writes == []


def test_a_pause_shows_at_once_and_holds_back_what_the_poll_brings(rig):
    """Its records are sent after the resume."""
    seen = []

    def during():
        rig.control.pause()
        rig.background.step()
        seen.append(list(rig.status.states))
        return [line("a", 1)]

    rig.control.waits.extend([lambda: seen.append(len(rig.producer.in_flight)), rig.control.resume])
    rig.run(during)
    assert seen == [["RUNNING", "PAUSED"], 0]
    assert len(rig.producer.in_flight) == 1
    assert rig.status.states == ["RUNNING", "PAUSED", "RUNNING", "STOPPED"]


def test_a_pause_and_a_resume_may_both_pass_during_one_poll(rig):
    """The states show it, and the poll's records are sent."""

    def during():
        _while_polling(rig, rig.control.pause, rig.control.resume)()
        return [line("a", 1)]

    rig.run(during)
    assert rig.status.states == ["RUNNING", "PAUSED", "RUNNING", "STOPPED"]
    assert len(rig.producer.in_flight) == 1


def test_a_stop_waits_half_a_second_for_the_poll(rig):
    """Most polls return by themselves."""
    seen = []
    look = lambda: seen.append("stop" in rig.calls)  # noqa: E731  # a probe
    rig.run(_while_polling(rig, rig.control.stop, lambda: rig.clock.advance(0.4), look))
    assert seen == [False]
    assert rig.calls[-2:] == ["commit", "stop"]
    assert rig.calls.count("stop") == 1


def test_a_stop_stores_offsets_and_stops_the_task_under_its_poll(rig):
    """In this order; the task may wake its poll up in stop."""
    seen = []

    def during():
        rig.acknowledge()()
        _while_polling(rig, rig.control.stop, lambda: rig.clock.advance(0.6))()
        seen.append((rig.calls[-2:], dict(rig.offsets.stored)))
        return [line("a", 2)]

    rig.run([line("a", 1)], during)
    assert seen == [(["commit", "stop"], {(("file", "a"),): {"line": 1}})]
    assert rig.calls.count("stop") == 1


def test_after_such_a_stop_the_task_is_called_no_more(rig):
    """What its poll still brings is read again by its successor."""

    def during():
        _while_polling(rig, rig.control.stop, lambda: rig.clock.advance(0.6), rig.interval)()
        return [line("a", 1)]

    rig.run(during)
    assert (rig.calls[-1], len(rig.producer.in_flight)) == ("stop", 0)
    assert rig.status.states == ["RUNNING", "STOPPED"]


def test_a_poll_that_fails_because_it_was_stopped_is_no_failure(rig):
    """Its connection was closed under it."""

    def during():
        _while_polling(rig, rig.control.stop, lambda: rig.clock.advance(0.6))()
        raise OSError("socket closed")

    rig.run(during)
    assert rig.status.states == ["RUNNING", "STOPPED"]


def test_a_refusal_found_during_a_poll_fails_the_task_after_it(rig):
    """Before anything else is sent."""

    class Plain(ScriptedSource):
        pass

    rig._task_class = Plain
    rig.run([line("a", 1)], _while_polling(rig, rig.refuse()), [line("a", 2)])
    assert rig.status.error.code == "kafka.record-refused"
    assert len(rig.producer.in_flight) == 0


def test_the_background_is_gone_before_the_task_is_stopped(rig):
    """No step of it can follow."""
    seen = []
    rig._task_class = type(
        "Asking", (Deaf,), {"stop": lambda self: seen.append(rig.background.ended)}
    )
    rig.run()
    assert seen == [True]


def test_a_pause_does_not_come_between_a_batch_and_its_retries(rig):
    """It shows when the batch is through; acknowledgements are served meanwhile."""
    away = [RetriableError("away")] * 2

    def transform(record):
        if record.value == "a2" and away:
            raise away.pop()
        return record

    def waiting():
        rig.acknowledge()()
        rig.control.pause()
        rig.background.step()
        seen.append((rig.status.states[-1], rig.calls[-1]))

    seen = []
    rig.settings = replace(rig.settings, errors=ErrorSettings(retry_timeout_s=60))
    rig.transform = transform
    rig.control.waits.extend([waiting, rig.control.resume])
    rig.run([line("a", 1)], [line("a", 2)])
    assert seen == [("RUNNING", ("record", "a1"))]


@pytest.mark.slow
def test_a_thread_attends_while_the_lock_is_free():
    """And never while it is taken."""
    lock, attended = LoopLock(), threading.Event()
    background = BackgroundThread(TaskControl())
    lock.take()
    background.begin(lock, lambda: bool(attended.set()))
    assert not attended.wait(0.4)
    lock.leave()
    assert attended.wait(60)
    background.end()
    assert not background._thread.is_alive()


def test_acknowledgements_that_are_awaited_keep_the_background_awake(rig):
    """Otherwise it sleeps."""
    seen = []
    look = lambda: seen.append(rig.background.take())  # noqa: E731  # a probe
    polling = lambda *acts: lambda: [act() for act in acts] and None  # noqa: E731  # a step
    rig.run(polling(look), [line("a", 1)], polling(look, rig.acknowledge(), look, look))
    assert seen == [False, True, False, False]
