"""An internal topic that was made a moment ago may not show its partitions yet."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from confluent_kafka import KafkaError, KafkaException

from plugwright.errors import ConnectError
from plugwright.kafka import CompactedTopic
from plugwright.kafka import compacted_topic as module


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


class Growing:
    """A cluster that has too few brokers for a topic at first."""

    def __init__(self, monkeypatch, tries, code=KafkaError.INVALID_REPLICATION_FACTOR):
        self.tries, self.code, self.asked = tries, code, 0
        monkeypatch.setattr(module, "create_topic", self._create)
        monkeypatch.setattr(module, "topic_exists", lambda *_, **__: False)
        monkeypatch.setattr(module, "_ENOUGH_BROKERS_PAUSE_S", 0.001)

    def _create(self, servers, topic, **_):
        self.asked += 1
        if self.asked > self.tries:
            return True
        cause = KafkaException(KafkaError(self.code))
        raise ConnectError("too few", code="kafka.topic-not-created") from cause


def test_a_topic_waits_for_enough_brokers(monkeypatch):
    """As ``TopicAdmin.createTopicsWithRetry``, which tries again after too large a factor."""
    cluster = Growing(monkeypatch, tries=3)

    CompactedTopic("t", replication_factor=3).require("b:9092")

    assert cluster.asked == 4


def test_a_topic_waits_as_long_as_in_kafka_connect():
    """``default.api.timeout.ms`` and ``retry.backoff.ms`` of an admin client by default."""
    assert (module._ENOUGH_BROKERS_S, module._ENOUGH_BROKERS_PAUSE_S) == (60.0, 0.1)


def test_too_few_brokers_are_an_error_in_the_end(monkeypatch):
    """With the code of a topic that cannot be created."""
    cluster = Growing(monkeypatch, tries=1_000_000)
    monkeypatch.setattr(module, "_ENOUGH_BROKERS_S", 0.05)

    with pytest.raises(ConnectError) as caught:
        CompactedTopic("t", replication_factor=3).require("b:9092")

    assert caught.value.code == "kafka.topic-not-created"
    assert cluster.asked > 1


def test_other_refusals_are_not_repeated(monkeypatch):
    """Nor does Kafka Connect, but for a broker that does not answer."""
    cluster = Growing(monkeypatch, tries=1_000_000, code=KafkaError.INVALID_CONFIG)

    with pytest.raises(ConnectError):
        CompactedTopic("t").require("b:9092")

    assert cluster.asked == 1


class Refusing:
    """A broker that lets no client create topics, and shows those that there are."""

    def __init__(self, monkeypatch, *topics):
        self.checked = []
        monkeypatch.setattr(module, "create_topic", self._create)
        monkeypatch.setattr(module, "topic_exists", lambda _, name, **__: name in topics)
        monkeypatch.setattr(module, "Admin", lambda *_, **__: nullcontext())
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
