"""The process in which checks may do to the interpreter what they like."""

from __future__ import annotations

import gc

import pytest

from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.evidence.outcome import CheckResult, Level, Outcome, Severity
from plugwright_conformance.execution.check_process import CheckProcess


class Collecting(Check):
    """A check that has garbage collected, as those of resources do."""

    id = "CON-RES-99"
    level = Level.C1
    group = title = why = mend = "collect"

    def run(self, bench):
        """Not called: the process receives what runs."""
        raise NotImplementedError


def _result(observed):
    return CheckResult(
        Collecting.id, "", "", 1, Severity.MUST, Level.C1, Outcome.PASS, 1, "", 0.0, observed, ""
    )


class Client:
    """Stands for one of a C library that must not be freed in a fork."""

    def __init__(self, freed):
        self.itself = self
        self.freed = freed

    def __del__(self):
        self.freed.append("freed")


@pytest.fixture
def _uncollected():
    """Garbage stays until it is collected on request."""
    gc.disable()
    yield
    gc.enable()
    gc.collect()


@pytest.mark.usefixtures("_uncollected")
def test_garbage_from_before_the_fork_is_left_alone():
    """Clients of Kafka have no threads over there, and freeing one ends the process."""
    freed = []
    Client(freed)

    def collect(_, __):
        gc.collect()
        return _result(" ".join(freed) or "none freed")

    with CheckProcess(collect, lambda _: None).entered() as process:
        result = process.result(Collecting, 10)

    assert result.message == "none freed"
