"""Orders are carried out in turn, and nothing lives on when there are none."""

from __future__ import annotations

import threading

import pytest

from plugwright.herder._lane import Lane
from plugwright.logs import LogContext, current_context, in_context


@pytest.fixture
def failures():
    """What orders have raised."""
    return []


@pytest.fixture
def lane(failures):
    """One whose failures are kept."""
    return Lane("lane-of-a-test", failures.append)


def threads():
    """The lane's threads."""
    return [each for each in threading.enumerate() if each.name == "lane-of-a-test"]


def test_orders_are_carried_out_one_after_the_other(lane):
    """While the first one waits, the others do, too."""
    done, free = [], threading.Event()
    lane.put(lambda: done.append(free.wait(10)))
    for number in range(3):
        lane.put(lambda number=number: done.append(number))
    assert not done

    free.set()
    lane.close(lambda: done.append("last"))

    assert done == [True, 0, 1, 2, "last"]


def test_a_lane_without_orders_has_no_thread(lane):
    """A thousand connectors that have nothing to do need none."""
    done = threading.Event()
    lane.put(done.set)
    assert done.wait(10)
    for thread in threads():
        thread.join(10)

    assert threads() == []
    assert lane.put(done.clear)
    lane.close(lambda: None)
    assert not done.is_set()


def test_what_orders_log_is_about_the_connector_of_the_lane(failures):
    """Whoever has ordered it, and also what is told of a failure."""
    connector = LogContext("a")

    def remember(*_):
        failures.append(current_context())

    lane = Lane("lane-of-a-test", remember, connector)

    with in_context(LogContext("b")):
        lane.put(remember)
        lane.put(lambda: 1 / 0)
    lane.close(lambda: None)

    assert failures == [connector, connector]


def test_an_order_that_fails_does_not_hold_up_the_next(lane, failures):
    """It is told of."""
    done = threading.Event()
    lane.put(lambda: 1 / 0)
    lane.put(done.set)

    assert done.wait(10)
    assert [type(each) for each in failures] == [ZeroDivisionError]


def test_a_closed_lane_takes_no_orders(lane):
    """The last one was the last; closing it again changes nothing."""
    done = []
    lane.close(lambda: done.append("last"))

    assert not lane.put(lambda: done.append("late"))
    lane.close(lambda: done.append("again"))
    assert done == ["last"]
