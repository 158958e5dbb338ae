"""The producer of source tasks, against a real broker."""

from __future__ import annotations

import pytest

from plugwright.errors import ConnectError
from plugwright.kafka import KafkaRecordProducer, create_topic, producer_settings, read_topic

pytestmark = pytest.mark.kafka


@pytest.fixture
def producer(broker):
    """Opens producers."""
    opened = []

    def make(**overrides):
        changes = {key.replace("_", "."): value for key, value in overrides.items()}
        settings = producer_settings(broker.bootstrap_servers, "p", changes)
        opened.append(KafkaRecordProducer(settings))
        return opened[-1]

    yield make
    for one in opened:
        one.close()


class Fates:
    """What became of each record, in the order of the callbacks."""

    def __init__(self):
        self.known = []

    def record(self, topic, value, **parts):
        """An outgoing record."""

        def delivered(error, message):
            self.known.append((value, None if error else message.offset(), error))

        return (
            topic,
            parts.get("partition"),
            parts.get("key"),
            value,
            parts.get("headers"),
            parts.get("timestamp"),
            delivered,
        )


@pytest.fixture
def topic(broker, fresh):
    """A topic with two partitions."""
    name = fresh("topic")
    create_topic(broker.bootstrap_servers, name, partitions=2)
    return name


def test_a_record_arrives_as_it_was_sent(broker, topic, producer):
    """Partition, key, value, headers in order, timestamp."""
    headers = [("h", b"1"), ("g", None), ("h", b"2")]
    sender, fates = producer(), Fates()
    sender.send(
        [fates.record(topic, b"v", partition=1, key=b"k", headers=headers, timestamp=1_234_567)]
    )
    assert sender.flush(10) == 0
    (message,) = read_topic(broker.bootstrap_servers, topic)
    assert (message.partition(), message.key(), message.value()) == (1, b"k", b"v")
    assert (message.headers(), message.timestamp()) == (headers, (1, 1_234_567))


def test_absent_parts_stay_absent(broker, topic, producer):
    """A tombstone without a key is nothing at all."""
    sender, fates = producer(), Fates()
    sender.send([fates.record(topic, None)])
    sender.flush(10)
    (message,) = read_topic(broker.bootstrap_servers, topic)
    assert (message.key(), message.value(), message.headers()) == (None, None, None)


def test_each_record_is_acknowledged_once_in_the_order_of_its_partition(topic, producer):
    """On the thread that flushes; offsets are those of the topic."""
    sender, fates = producer(), Fates()
    sender.send([fates.record(topic, str(n).encode(), partition=0) for n in range(3000)])
    assert sender.flush(20) == 0
    assert fates.known == [(str(n).encode(), n, None) for n in range(3000)]


def test_no_callback_runs_unless_it_is_served(topic, producer):
    """Loops need no locks."""
    sender, fates = producer(), Fates()
    sender.send([fates.record(topic, b"v")])
    assert fates.known == []
    sender.flush(10)
    assert len(fates.known) == 1


def test_a_full_queue_waits_instead_of_failing(broker, topic, producer):
    """All records arrive."""
    sender, fates = producer(queue_buffering_max_messages="10"), Fates()
    sender.send([fates.record(topic, b"v", partition=0) for _ in range(200)])
    sender.flush(20)
    assert len(fates.known) == 200


def test_a_record_that_is_too_large_is_refused_at_once(topic, producer):
    """By the client."""
    sender, fates = producer(), Fates()
    with pytest.raises(ConnectError) as caught:
        sender.send([fates.record(topic, b"x" * 2_000_000)])
    assert (caught.value.code, caught.value.facts["topic"]) == ("kafka.record-refused", topic)


def test_a_record_that_the_broker_refuses_is_reported_to_its_callback(broker, fresh, producer):
    """A compacted topic takes no record without a key (KIP-87)."""
    name = fresh("compacted")
    create_topic(broker.bootstrap_servers, name, config={"cleanup.policy": "compact"})
    sender, fates = producer(), Fates()
    sender.send([fates.record(name, b"no key")])
    sender.flush(10)
    assert [(value, offset) for value, offset, _ in fates.known] == [(b"no key", None)]
    assert fates.known[0][2] is not None


def test_a_flush_tells_how_many_are_still_outstanding(producer, topic):
    """A broker that is away acknowledges nothing, and closing does not wait for it."""
    sender, fates = producer(bootstrap_servers="127.0.0.1:1"), Fates()
    sender.send([fates.record(topic, b"v", partition=0), fates.record(topic, b"w", partition=0)])
    assert sender.flush(0.2) == 2
