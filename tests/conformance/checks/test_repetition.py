"""Where a failure leaves nothing that may come twice."""

from __future__ import annotations

import pytest

from plugwright_conformance.checks.harmless_calls import first_calls, is_first
from plugwright_conformance.simulator import Call


def calls(text):
    """Calls as ``put@1 put@1 pre_commit@2``; a star marks a thread of the task's own."""
    made = [word.rstrip("*").split("@") for word in text.split()]
    own = [word.endswith("*") for word in text.split()]
    return [Call("os.write", p, float(at), o) for (p, at), o in zip(made, own, strict=True)]


@pytest.mark.parametrize(
    ("made", "harmless", "after_puts"),
    [
        ("start@0 put@1 put@1 put@2", [1, 3], []),
        ("put@1 pre_commit@2 pre_commit@2 pre_commit@3", [0, 3], [1]),
        ("pre_commit@1 put@2 pre_commit@3", [0, 1], [2]),
        ("poll@1 poll@1 poll@2", [0, 2], []),
        ("put@1* put@2", [], []),
    ],
    ids=["first-of-a-put", "commit-after-puts", "commit-before-puts", "polls", "own-thread"],
)
def test_only_calls_before_which_nothing_was_done_are_harmless(made, harmless, after_puts):
    """In any other place a good task may have to do something twice."""
    assert first_calls(calls(made)) == (harmless, after_puts)


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ("start@0 put@1 put@9", True),
        ("start@0 put@1 put@1 put@2", True),
        ("start@0 pre_commit@1 put@2", False),
    ],
    ids=["the same so far", "more afterwards", "another before it"],
)
def test_a_failure_of_another_call_than_the_one_that_was_meant_says_nothing(other, expected):
    """The answers of a service come in any number of parts, and each part is a call."""
    assert is_first(calls("start@0 put@1 put@2"), calls(other), 2) is expected
