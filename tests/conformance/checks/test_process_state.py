"""What counts as a change of process-wide state, and what does not."""

from __future__ import annotations

import random

import pytest

from plugwright_conformance.checks.census import changed, restored, shared_state


def _draw(count):
    for _ in range(count):
        random.random()  # noqa: S311  # any number


@pytest.mark.parametrize(
    ("act", "names"),
    [
        pytest.param(lambda: None, [], id="nothing"),
        pytest.param(lambda: _draw(1), [], id="a number"),
        pytest.param(lambda: _draw(5000), [], id="many numbers"),
        pytest.param(lambda: random.gauss(0, 1), [], id="a normal number"),
        pytest.param(lambda: random.seed(7), ["the random state"], id="a seed"),
        pytest.param(lambda: (random.seed(7), _draw(9)), ["the random state"], id="seed and draw"),
    ],
)
def test_random_numbers_may_be_drawn_and_not_seeded(act, names):
    """The library draws some, too, as `imaplib` does for each connection."""
    with restored():
        _draw(300)
        before = shared_state()
        act()
        assert changed(before, shared_state()) == names
