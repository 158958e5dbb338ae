"""How long a worker that stops waits for a Kafka that does not answer."""

from __future__ import annotations

import logging

import pytest

from plugwright.kafka import KafkaTimeouts


class Clock:
    """A clock that is moved by hand."""

    now = 100.0

    def __call__(self):
        """The time."""
        return self.now


@pytest.fixture
def clock():
    """A fresh one."""
    return Clock()


def test_a_worker_that_goes_on_waits_as_long_as_it_says(clock):
    """Thirty seconds are thirty seconds."""
    wait = KafkaTimeouts(clock).wait(30)

    clock.now += 29

    assert (wait.left(), wait.slice(0.5)) == (1, 0.5)


def test_a_wait_that_is_over_has_no_slice_left(clock):
    """Its next call returns at once."""
    wait = KafkaTimeouts(clock).wait(30)

    clock.now += 31

    assert (wait.left(), wait.slice(0.5)) == (-1, 0)


def test_a_wait_that_began_long_before_ends_soon_after_the_worker_stops(clock):
    """Whatever it was to last."""
    timeouts = KafkaTimeouts(clock)
    wait = timeouts.wait(1000)
    clock.now += 500

    timeouts.shorten()

    assert wait.left() == 5


def test_a_wait_that_begins_afterwards_is_as_short(clock):
    """As long as Kafka answers the ones before it."""
    timeouts = KafkaTimeouts(clock)
    timeouts.shorten()
    clock.now += 60

    assert timeouts.wait(30).left() == 5
    assert timeouts.wait(2).left() == 2


def test_after_one_wait_in_vain_no_call_waits(clock, caplog):
    """The log says so once."""
    timeouts = KafkaTimeouts(clock)
    timeouts.shorten()
    first, second = timeouts.wait(30), timeouts.wait(30)
    clock.now += 5

    with caplog.at_level(logging.WARNING):
        assert [first.left(), second.left(), timeouts.wait(30).left()] == [0, 0, 0]

    assert caplog.text.count("Kafka did not answer for 5 s during shutdown") == 1


def test_a_wait_of_its_own_short_time_does_not_speak_for_the_others(clock, caplog):
    """It was over before anything was wrong with Kafka."""
    timeouts = KafkaTimeouts(clock)
    timeouts.shorten()
    short = timeouts.wait(1)
    clock.now += 1

    assert short.left() == 0
    assert timeouts.wait(30).left() == 5
    assert not caplog.records
