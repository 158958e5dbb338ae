"""What a report says of the end of a life."""

from __future__ import annotations

import pytest

from plugwright_conformance.simulator import LifeReport
from plugwright_conformance.simulator.watch import Crossing

ERROR = Crossing("put", "RetriableError", "refused", "sink.py:7", is_connect=True)
SAID = "RetriableError: refused out of put() from sink.py:7"


@pytest.mark.parametrize(
    ("ending", "more", "words"),
    [
        ("failed", {"error": "DataError: no"}, "; the task ended with DataError: no"),
        (
            "stopped",
            {"crossings": [ERROR] * 3},
            f"; not done after 3 errors, the last a {SAID}",
        ),
        ("stopped", {"crossings": [ERROR], "drained": True}, ""),
        ("crashed", {"crossings": [ERROR]}, ""),
        ("stopped", {}, ""),
    ],
)
def test_last_words(ending, more, words):
    """An error that has passed is not worth a word, nor is one before a crash."""
    assert LifeReport(ending, None, **more).last_words == words
