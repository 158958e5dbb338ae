"""Orders are carried out in turn, and nothing lives on when there are none."""

from __future__ import annotations

import threading

import pytest

from plugwright.herder.serial_executor import SerialExecutor
from plugwright.logs import LogContext, current_context, in_context


@pytest.fixture
def failures():
    """What orders have raised."""
    return []


@pytest.fixture
def executor(failures):
    """One whose failures are kept."""
    return SerialExecutor("executor-of-a-test", failures.append)


def threads():
    """The executor's threads."""
    return [each for each in threading.enumerate() if each.name == "executor-of-a-test"]


def test_orders_are_carried_out_one_after_the_other(executor):
    """While the first one waits, the others do, too."""
    done, free = [], threading.Event()
    executor.put(lambda: done.append(free.wait(10)))
    for number in range(3):
        executor.put(lambda number=number: done.append(number))
    assert not done

    free.set()
    executor.close(lambda: done.append("last"))

    assert done == [True, 0, 1, 2, "last"]


def test_an_executor_without_orders_has_no_thread(executor):
    """A thousand connectors that have nothing to do need none."""
    done = threading.Event()
    executor.put(done.set)
    assert done.wait(10)
    for thread in threads():
        thread.join(10)

    assert threads() == []
    assert executor.put(done.clear)
    executor.close(lambda: None)
    assert not done.is_set()


def test_what_orders_log_is_about_the_connector_of_the_executor(failures):
    """Whichever caller ordered it, and also what is logged of a failure."""
    connector = LogContext("a")

    def remember(*_):
        failures.append(current_context())

    executor = SerialExecutor("executor-of-a-test", remember, connector)

    with in_context(LogContext("b")):
        executor.put(remember)
        executor.put(lambda: 1 / 0)
    executor.close(lambda: None)

    assert failures == [connector, connector]


def test_an_order_that_fails_does_not_hold_up_the_next(executor, failures):
    """It is reported."""
    done = threading.Event()
    executor.put(lambda: 1 / 0)
    executor.put(done.set)

    assert done.wait(10)
    assert [type(each) for each in failures] == [ZeroDivisionError]


def test_a_closed_executor_takes_no_orders(executor):
    """The last one was the last; closing it again changes nothing."""
    done = []
    executor.close(lambda: done.append("last"))

    assert not executor.put(lambda: done.append("late"))
    executor.close(lambda: done.append("again"))
    assert done == ["last"]


def test_an_order_that_waits_already_is_not_put_again(executor):
    """But one that has begun is: what it has seen by then may be outdated."""
    done, begun, free = [], threading.Event(), threading.Event()

    def work():
        begun.set()
        free.wait(10)
        done.append("worked")

    executor.put_once(work)
    assert begun.wait(10)
    for _ in range(3):
        assert executor.put_once(work)
    free.set()
    executor.close(lambda: None)

    assert done == ["worked", "worked"]
    assert not executor.put_once(work)
