"""What is forgotten of a task's failure."""

from __future__ import annotations

import weakref

from plugwright_conformance.simulator.task_ending import let_go


class Held:
    """Something that a failed call refers to."""


def test_an_error_that_is_its_own_cause_holds_nothing():
    """As of ``raise error from error``."""
    kept = []

    def fail():
        held = Held()
        kept.append(weakref.ref(held))
        raise ValueError(repr(held))

    try:
        fail()
    except ValueError as caught:
        error = caught
    error.__cause__ = error

    let_go(error)

    assert kept[0]() is None
