"""Topics that connectors ask for, against a real broker."""

from __future__ import annotations

import pytest
from confluent_kafka.admin import AdminClient, ConfigResource, ResourceType

from plugwright.errors import ConnectError, RetriableError
from plugwright.kafka import KafkaTopicAdmin, topic_exists
from plugwright.worker import TopicGroup

pytestmark = pytest.mark.kafka


@pytest.fixture
def admin(broker):
    """Of the live broker."""
    return KafkaTopicAdmin(broker.bootstrap_servers, {})


def test_asking_for_a_topic_does_not_make_it(admin, fresh):
    """Although the broker makes topics for producers."""
    name = fresh("missing")
    assert [admin.exists(name), admin.exists(name)] == [False, False]


def test_a_topic_is_made_as_its_group_has_it(broker, admin, fresh):
    """Partitions and settings."""
    name = fresh("made")
    admin.create(name, TopicGroup("g", (), (), 3, 1, {"cleanup.policy": "compact"}))
    client = AdminClient({"bootstrap.servers": broker.bootstrap_servers})
    resource = ConfigResource(ResourceType.TOPIC, name)
    settings = client.describe_configs([resource])[resource].result()
    assert len(client.list_topics(name, 10).topics[name].partitions) == 3
    assert settings["cleanup.policy"].value == "compact"
    assert topic_exists(broker.bootstrap_servers, name)


def test_minus_one_is_the_brokers_default_and_a_second_making_does_no_harm(admin, fresh):
    """Another task may have been first."""
    name = fresh("made")
    admin.create(name, TopicGroup("default", (".*",)))
    admin.create(name, TopicGroup("default", (".*",)))
    assert admin.exists(name)


def test_what_the_broker_refuses_fails_with_advice(admin, fresh):
    """More replicas than brokers."""
    with pytest.raises(ConnectError, match="Task failed to create new topic") as caught:
        admin.create(fresh("refused"), TopicGroup("g", (), (), 1, 99))
    assert "restart the task" in caught.value.hint
    assert not isinstance(caught.value, RetriableError)


def test_a_broker_that_is_away_may_come_back(monkeypatch):
    """The question is worth repeating."""
    from plugwright.kafka import topics as implementation  # noqa: PLC0415  # its patience

    monkeypatch.setattr(implementation, "_ADMIN_TIMEOUT_S", 1.0)
    admin = KafkaTopicAdmin("127.0.0.1:1", {})
    with pytest.raises(RetriableError):
        admin.exists("t")
    with pytest.raises(RetriableError):
        admin.create("t", TopicGroup("g", ()))
