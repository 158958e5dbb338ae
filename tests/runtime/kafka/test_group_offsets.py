"""Offsets of a sink's consumer group, on a live broker."""

from __future__ import annotations

import pytest
from confluent_kafka import Consumer

from plugwright.errors import ConnectError
from plugwright.kafka import (
    GroupOffsets,
    KafkaRecordConsumer,
    TopicWriter,
    consumer_settings,
    create_topic,
    once_empty,
)
from plugwright.record import TopicPartition

pytestmark = pytest.mark.kafka


class Listener:
    """Lets partitions come and go."""

    def assigned(self, partitions):
        """New partitions."""

    def revoked(self, partitions):
        """Partitions that leave."""

    lost = revoked


@pytest.fixture
def topic(broker, fresh):
    """A topic of three partitions."""
    name = fresh("topic")
    create_topic(broker.bootstrap_servers, name, partitions=3)
    return name


@pytest.fixture
def group(broker, fresh):
    """The offsets of a new group."""
    return GroupOffsets(broker.bootstrap_servers, fresh("group"))


def test_a_group_that_does_not_exist_has_no_offsets(group):
    """And can be reset."""
    assert group.read() == {}
    group.reset()


def test_offsets_are_set_and_forgotten(group, topic):
    """Each by itself, all at once, and read back in order."""
    first, second, third = (TopicPartition(topic, n) for n in range(3))
    group.alter({third: 30, first: 10, second: 20})
    assert list(group.read().items()) == [(first, 10), (second, 20), (third, 30)]
    group.alter({second: None, third: 31})
    assert group.read() == {first: 10, third: 31}
    group.reset()
    assert group.read() == {}


def test_a_partition_that_does_not_exist_is_refused(group, topic):
    """With its name."""
    with pytest.raises(ConnectError, match=f"{topic}-7"):
        group.alter({TopicPartition(topic, 7): 1})


@pytest.mark.parametrize("wrong", [("none", 0), ("", 0), (None, -1), (None, 7)])
@pytest.mark.parametrize("offset", [None, 1])
def test_what_does_not_exist_is_refused_and_the_rest_is_changed(group, topic, fresh, wrong, offset):
    """As Kafka does it: set or forgotten, partition by partition."""
    first, second, third = (TopicPartition(topic, n) for n in range(3))
    group.alter({first: 10, second: 20, third: 30})
    name, partition = wrong
    place = TopicPartition(topic if name is None else name and fresh(name), partition)
    with pytest.raises(ConnectError, match=f"{place.topic}-{place.partition}"):
        group.alter({place: offset, first: 11, second: None})
    assert group.read() == {first: 11, third: 30}


def test_a_member_that_was_stopped_is_waited_for(broker, topic, group):
    """A static member stays until its session is over, although it has been closed."""
    TopicWriter(broker.bootstrap_servers).write(topic, [b"a"])
    settings = {"session.timeout.ms": "6000"}
    member = KafkaRecordConsumer(
        consumer_settings(broker.bootstrap_servers, "stopped", group._group, settings)
    )
    member.subscribe([topic], Listener())
    for _ in range(100):
        if member.poll(1, 0.1):
            break
    member.close()
    with pytest.raises(ConnectError):
        group.alter({TopicPartition(topic, 0): 7})
    once_empty(lambda: group.alter({TopicPartition(topic, 0): 7}), 15)
    assert group.read() == {TopicPartition(topic, 0): 7}


def test_a_group_in_use_is_left_alone(broker, topic, group):
    """Its members would overwrite what is set."""
    settings = {"bootstrap.servers": broker.bootstrap_servers, "group.id": group._group}
    member = Consumer(settings)
    member.subscribe([topic])
    for _ in range(100):
        member.poll(0.1)
        if member.assignment():
            break
    with pytest.raises(ConnectError) as raised:
        group.alter({TopicPartition(topic, 0): 1})
    member.close()
    assert raised.value.code == "kafka.group-in-use"
