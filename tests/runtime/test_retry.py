"""A call that fails for a moment is repeated, and only then."""

from __future__ import annotations

import pytest

from plugwright.retry import retried


class Flaky:
    """Fails with each of some errors, then answers."""

    def __init__(self, *errors):
        self.errors = list(errors)
        self.calls = 0

    def __call__(self):
        """One attempt."""
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)
        return "answer"


def _is_value_error(error):
    return isinstance(error, ValueError)


def test_a_call_that_succeeds_is_made_once():
    """Even where there is no time at all."""
    call = Flaky()
    assert retried(call, _is_value_error, within_s=0, pause_s=60) == "answer"
    assert call.calls == 1


def test_a_passing_error_is_retried():
    """With one step between two attempts."""
    call, steps = Flaky(ValueError(1), ValueError(2)), []
    found = retried(
        call, _is_value_error, within_s=60, pause_s=0, between=lambda: steps.append(call.calls)
    )
    assert (found, call.calls, steps) == ("answer", 3, [1, 2])


def test_another_error_is_raised_at_once():
    """As it is."""
    call = Flaky(ValueError(1), KeyError("x"), ValueError(2))
    with pytest.raises(KeyError, match="x"):
        retried(call, _is_value_error, within_s=60, pause_s=0)
    assert call.calls == 2


def test_the_last_error_is_raised_when_the_time_is_over():
    """Which is before the first retry here."""
    call = Flaky(ValueError("first"), ValueError("second"))
    with pytest.raises(ValueError, match="first"):
        retried(call, _is_value_error, within_s=-1, pause_s=0)
    assert call.calls == 1


def test_what_is_done_between_may_end_it():
    """Such as a login that Kafka has refused meanwhile."""

    def refuse():
        raise PermissionError

    call = Flaky(ValueError(1), ValueError(2))
    with pytest.raises(PermissionError):
        retried(call, _is_value_error, within_s=60, pause_s=0, between=refuse)
    assert call.calls == 1
