"""What is to be done after a while is done once, unless it is called off."""

from __future__ import annotations

import threading

from tests.runtime.herder.fakes import HandClock

from plugwright.herder.delayed_call import DelayedCall, start_timer


def test_work_is_done_once_when_its_time_has_come():
    """Not before."""
    clock, done = HandClock(), []
    delayed_call = DelayedCall(clock.start_timer)
    delayed_call.schedule(3, lambda: done.append(1))
    clock.advance(2.9)
    assert (done, delayed_call.pending) == ([], True)
    clock.advance(0.2)
    clock.advance(10)
    assert (done, delayed_call.pending) == ([1], False)


def test_a_new_call_replaces_the_pending_one():
    """However soon that would have been."""
    clock, done = HandClock(), []
    delayed_call = DelayedCall(clock.start_timer)
    delayed_call.schedule(1, lambda: done.append("old"))
    delayed_call.schedule(5, lambda: done.append("new"))
    assert clock.waits == [5]
    clock.advance(5)
    assert done == ["new"]


def test_nothing_is_done_once_it_was_called_off():
    """Not even by a timer that could not be stopped any more."""
    started, done = [], []

    def start(_, work):
        started.append(work)
        return lambda: None

    delayed_call = DelayedCall(start)
    delayed_call.schedule(1, lambda: done.append(1))
    delayed_call.cancel()
    started[0]()
    assert (done, delayed_call.pending) == ([], False)


def test_a_timer_of_the_process_goes_off():
    """On a thread that keeps no process alive; one that was called off does not."""
    reported = threading.Event()
    start_timer(0, reported.set)
    assert reported.wait(60)
    start_timer(1e12, reported.clear)()
    assert reported.is_set()
