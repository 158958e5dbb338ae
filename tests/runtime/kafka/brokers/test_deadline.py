"""Calls that may take too long."""

from __future__ import annotations

import threading

import pytest

from plugwright.kafka.brokers.deadline import within


def test_a_call_in_time_gives_its_result():
    """Also one that is false."""
    assert within(5.0, lambda: None) is None


def test_an_error_comes_through():
    """As if there were no thread."""
    with pytest.raises(ZeroDivisionError):
        within(5.0, lambda: 1 / 0)


def test_a_late_call_is_given_up():
    """The caller goes on while the call still hangs."""
    release = threading.Event()

    with pytest.raises(TimeoutError, match=r"no result within 0\.01 s"):
        within(0.01, release.wait)

    release.set()
