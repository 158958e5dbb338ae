"""What is to be done after a while is done once, unless it is called off."""

from __future__ import annotations

import threading

from tests.runtime.herder.fakes import HandClock

from plugwright.herder._appointment import Appointment, start_timer


def test_work_is_done_once_when_its_time_has_come():
    """Not before."""
    clock, done = HandClock(), []
    appointment = Appointment(clock.start_timer)
    appointment.make(3, lambda: done.append(1))
    clock.advance(2.9)
    assert (done, appointment.pending) == ([], True)
    clock.advance(0.2)
    clock.advance(10)
    assert (done, appointment.pending) == ([1], False)


def test_a_new_appointment_takes_the_place_of_the_old_one():
    """However soon that would have been."""
    clock, done = HandClock(), []
    appointment = Appointment(clock.start_timer)
    appointment.make(1, lambda: done.append("old"))
    appointment.make(5, lambda: done.append("new"))
    assert clock.waits == [5]
    clock.advance(5)
    assert done == ["new"]


def test_nothing_is_done_once_it_was_called_off():
    """Not even by a timer that could not be stopped any more."""
    started, done = [], []

    def start(_, work):
        started.append(work)
        return lambda: None

    appointment = Appointment(start)
    appointment.make(1, lambda: done.append(1))
    appointment.call_off()
    started[0]()
    assert (done, appointment.pending) == ([], False)


def test_a_timer_of_the_process_goes_off():
    """On a thread that keeps no process alive; one that was called off does not."""
    told = threading.Event()
    start_timer(0, told.set)
    assert told.wait(60)
    start_timer(1e12, told.clear)()
    assert told.is_set()
