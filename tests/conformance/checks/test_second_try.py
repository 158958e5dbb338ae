"""A put that asks for another try and gets it is not to fail for good."""

from __future__ import annotations

import pytest

from plugwright_conformance.checks.second_try import require_second_try
from plugwright_conformance.evidence.outcome import CheckFailedError
from plugwright_conformance.simulator import Call, LifeReport
from plugwright_conformance.simulator.watch import Crossing
from plugwright_conformance.simulator.world import World


def life(ending, calls, errors):
    """A life with calls at these times, and with errors out of these methods."""
    made = [Call("os.write", phase, at, False) for phase, at in calls]
    raised = [Crossing(phase, kind, "text", "here:1", True) for phase, kind in errors]
    return LifeReport(ending, World(), calls=made, crossings=raised)


RETRIED = [("put", "RetriableError"), ("put", "ConnectError")]
TWICE = [("put", 1.0), ("put", 2.0), ("put", 3.0)]


def test_the_second_try_is_not_to_fail():
    """The message has both errors."""
    with pytest.raises(CheckFailedError, match="ConnectError: text out of put") as failure:
        require_second_try(life("failed", TWICE, RETRIED), 1, "call 1 failed")

    assert failure.value.scenario.startswith("call 1 failed; put() raised RetriableError")


@pytest.mark.parametrize(
    ("ending", "calls", "errors"),
    [
        pytest.param("stopped", TWICE, RETRIED[:1], id="it goes on"),
        pytest.param("failed", TWICE, RETRIED[1:], id="fails at once"),
        pytest.param("failed", TWICE[:2], RETRIED, id="asks for another try, then meets the fault"),
        pytest.param("failed", [*TWICE[:2], ("put", 2.0)], RETRIED, id="cleans up at once"),
        pytest.param("failed", [], RETRIED, id="no such call"),
        pytest.param(
            "failed", TWICE, [("pre_commit", "ConnectError"), ("put", "ConnectError")], id="flush"
        ),
    ],
)
def test_other_ends_are_permitted(ending, calls, errors):
    """Some other check may object to them."""
    require_second_try(life(ending, calls, errors), 1, "call 1 failed")
