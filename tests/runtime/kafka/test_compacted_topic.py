"""An internal topic that was made a moment ago may not show its partitions yet."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from plugwright.errors import ConnectError
from plugwright.kafka import CompactedTopic
from plugwright.kafka import _compacted_topic as module


class FakeAdmin:
    """Shows the partitions after some questions."""

    def __init__(self, *answers):
        self._answers = list(answers)

    def list_topics(self, name, timeout):
        """The next answer, the last one for ever."""
        partitions = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        described = SimpleNamespace(partitions=dict.fromkeys(partitions), error="no leader")
        return SimpleNamespace(topics={name: described})


@pytest.fixture(autouse=True)
def _hasty(monkeypatch):
    monkeypatch.setattr(module, "_POLL_S", 0.001)


def test_the_partitions_of_a_fresh_topic_are_waited_for():
    """Who read no partition would hear of nothing, for ever."""
    assert CompactedTopic("t").partitions(FakeAdmin([], [], [1, 0])) == [0, 1]


def test_a_topic_that_never_shows_any_is_an_error(monkeypatch):
    """It names the topic, and what the broker says."""
    monkeypatch.setattr(module, "_REQUEST_S", 0.02)
    with pytest.raises(ConnectError, match="topic t shows no partitions: no leader"):
        CompactedTopic("t").partitions(FakeAdmin([]))
