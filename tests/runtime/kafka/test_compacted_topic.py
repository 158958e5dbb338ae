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


class Refusing:
    """A broker that lets nobody create topics, and shows those that there are."""

    def __init__(self, monkeypatch, *topics):
        self.checked = []
        monkeypatch.setattr(module, "create_topic", self._create)
        monkeypatch.setattr(module, "topic_exists", lambda _, name, **__: name in topics)
        monkeypatch.setattr(module, "Admin", lambda *_, **__: None)
        for check in ("_require_compacted", "_require_single"):
            note = lambda topic, _, check=check: self.checked.append((topic.name, check))  # noqa: E731  # short
            monkeypatch.setattr(CompactedTopic, check, note)

    def _create(self, servers, topic, **_):
        raise ConnectError(f"topic {topic} cannot be created: TOPIC_AUTHORIZATION_FAILED")


def test_a_topic_that_exists_needs_no_right_to_create_it(monkeypatch):
    """It is checked like any other."""
    broker = Refusing(monkeypatch, "t")

    CompactedTopic("t").require("kafka:9092")

    assert broker.checked == [("t", "_require_compacted"), ("t", "_require_single")]


def test_a_topic_that_is_missing_and_may_not_be_created_is_an_error(monkeypatch):
    """The broker's refusal."""
    Refusing(monkeypatch)

    with pytest.raises(ConnectError, match="TOPIC_AUTHORIZATION_FAILED"):
        CompactedTopic("t").require("kafka:9092")
