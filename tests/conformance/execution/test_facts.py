"""What the checks of a run share is found out once."""

from __future__ import annotations

import pytest

from plugwright_conformance.evidence.outcome import CheckFailedError
from plugwright_conformance.execution.facts import KnownFacts


@pytest.fixture
def looked():
    """How often it was read."""
    return []


def test_a_fact_is_looked_at_once(looked):
    """Also one that is nothing."""
    facts = KnownFacts()

    found = [facts.once("name", lambda: looked.append(1)) for _ in range(2)]

    assert (found, looked) == ([None, None], [1])


def test_a_failure_is_one_for_every_check(looked):
    """It is not found out again, at the cost of minutes, for the second check."""
    facts = KnownFacts()

    def look():
        looked.append(1)
        raise CheckFailedError("all", "less")

    for _ in range(2):
        with pytest.raises(CheckFailedError, match="less"):
            facts.once("name", look)
    assert looked == [1]


def test_another_error_is_no_fact(looked):
    """The machine may be less busy the next time."""
    facts = KnownFacts()

    def look():
        looked.append(1)
        if len(looked) == 1:
            raise TimeoutError
        return "found"

    with pytest.raises(TimeoutError):
        facts.once("name", look)
    assert facts.once("name", look) == "found"
