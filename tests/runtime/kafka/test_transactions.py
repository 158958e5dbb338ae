"""Exactly-once producers against a real broker: visibility, offsets, fencing (KIP-618)."""

from __future__ import annotations

import time

import pytest
from confluent_kafka import Consumer, TopicPartition
from tests.e2e.workers import until

from plugwright.errors import ConnectError, DataError
from plugwright.kafka import (
    KafkaOffsetStore,
    KafkaTransactionalProducer,
    TopicShape,
    create_topic,
    fence_producers,
    read_topic,
    transactional_settings,
)

pytestmark = pytest.mark.kafka

A = {"filename": "a.txt"}


class World:
    """A topic, an offsets topic, and producers with one transactional id."""

    def __init__(self, broker, fresh):
        self.servers = broker.bootstrap_servers
        self.topic, self.offsets_topic = fresh("data"), fresh("offsets")
        self.id = fresh("group-orders-0")
        self.fates = []
        self.opened = []
        create_topic(self.servers, self.topic)

    def producer(self, **overrides):
        """Open one; it fences the one before."""
        settings = transactional_settings(
            self.servers, "p", self.id, {k.replace("_", "."): v for k, v in overrides.items()}
        )
        self.opened.append(KafkaTransactionalProducer(settings, self.store, timeout_s=20))
        return self.opened[-1]

    def store(self):
        """Read the offsets."""
        return KafkaOffsetStore(self.servers, self.offsets_topic, "orders", shape=TopicShape(1))

    def record(self, value):
        """An outgoing record."""
        delivered = lambda error, _: self.fates.append((value, error and error.name()))  # noqa: E731  # short
        return (self.topic, None, None, value, None, None, delivered)

    def settle(self):
        """Wait for the markers of ended transactions, which follow the answer to a commit."""
        assert until(lambda: all(map(self._is_settled, (self.topic, self.offsets_topic))))

    def _is_settled(self, topic):
        ends = set()
        for level in ("read_committed", "read_uncommitted"):
            settings = {"bootstrap.servers": self.servers, "group.id": "ends"}
            consumer = Consumer({**settings, "isolation.level": level})
            ends.add(consumer.get_watermark_offsets(TopicPartition(topic, 0), 10)[1])
            consumer.close()
        return len(ends) == 1

    def visible(self):
        """What a committed reader sees."""
        return [message.value() for message in read_topic(self.servers, self.topic)]

    def offset(self):
        """The stored offset, as the next task reads it."""
        store = self.store()
        store.close()
        return store.offset(A)


@pytest.fixture
def world(broker, fresh):
    """Closed at the end."""
    made = World(broker, fresh)
    yield made
    for producer in made.opened:
        producer.close()


def test_records_and_offsets_become_visible_together(world):
    """Not before the commit."""
    producer = world.producer()
    producer.begin()
    producer.send([world.record(b"1"), world.record(b"2")])
    producer.flush(10)
    assert (world.visible(), world.offset()) == ([], None)
    producer.commit([(A, {"position": 2})])
    world.settle()
    assert (world.visible(), world.offset()) == ([b"1", b"2"], {"position": 2})
    assert world.fates == [(b"1", None), (b"2", None)]


def test_the_task_reads_its_own_commits(world):
    """Its context needs no new start."""
    producer = world.producer()
    producer.begin()
    producer.commit([(A, {"position": 5})])
    assert producer.offsets.offset(A) == {"position": 5}


def test_an_abort_leaves_nothing(world):
    """And the producer goes on."""
    producer = world.producer()
    producer.begin()
    producer.send([world.record(b"void")])
    producer.abort()
    producer.begin()
    producer.send([world.record(b"good")])
    producer.commit([(A, {"position": 1})])
    world.settle()
    assert (world.visible(), world.offset()) == ([b"good"], {"position": 1})


def test_transactions_after_aborted_ones_are_accepted(world):
    """Whatever was on its way: the producer's sequence numbers have no gap."""
    producer = world.producer(linger_ms="5")
    for number in range(30):
        producer.begin()
        for _ in range(number % 5 + 1):
            producer.send([world.record(b"void")])
            time.sleep(number % 3 / 250)
        producer.abort()
        producer.begin()
        producer.send([world.record(b"%d" % number)])
        producer.commit([(A, {"position": number})])
    world.settle()
    assert world.visible() == [b"%d" % number for number in range(30)]


def test_a_successor_fences_a_zombie_and_voids_what_it_left_open(world):
    """init_transactions; the successor reads committed offsets only."""
    zombie = world.producer()
    zombie.begin()
    zombie.send([world.record(b"zombie")])
    zombie.flush(10)
    heir = world.producer()
    assert heir.offsets.offset(A) is None
    with pytest.raises(ConnectError) as caught:
        zombie.commit([(A, {"position": 9})])
    assert caught.value.code == "transaction.fenced"
    heir.begin()
    heir.send([world.record(b"heir")])
    heir.commit([(A, {"position": 1})])
    world.settle()
    assert (world.visible(), world.offset()) == ([b"heir"], {"position": 1})


def test_fencing_from_outside_does_the_same(world):
    """What the driver does before a new generation starts."""
    zombie = world.producer()
    zombie.begin()
    zombie.send([world.record(b"zombie")])
    fence_producers(world.servers, [world.id, f"{world.id}-other"], {})
    with pytest.raises(ConnectError, match="could not commit a transaction") as caught:
        zombie.commit([])
    assert caught.value.code == "transaction.fenced"
    assert world.visible() == []


def test_an_open_transaction_of_another_task_holds_nothing_up(world):
    """Offsets are read up to the last stable offset, as in Kafka Connect."""
    producer = world.producer()
    producer.begin()
    producer.send([(world.offsets_topic, None, b'["other",{}]', b"{}", None, None, print)])
    producer.flush(10)
    assert world.offset() is None


def test_a_bad_offset_is_found_before_anything_is_committed(world):
    """The transaction can still be aborted."""
    producer = world.producer()
    producer.begin()
    producer.send([world.record(b"1")])
    with pytest.raises(DataError):
        producer.commit([(A, {"position": [1]})])
    producer.abort()
    assert world.visible() == []


def test_a_connector_may_have_an_offsets_topic_of_its_own(world, fresh):
    """Its own topic wins over the worker's, which gets a copy."""
    own = fresh("own-offsets")
    shared = world.store()
    shared.store([(A, {"position": 1}), ({"b": 1}, {"position": 7})])
    store = KafkaOffsetStore(
        world.servers, own, "orders", shape=TopicShape(1), shared_topic=world.offsets_topic
    )
    assert (store.offset(A), store.offset({"b": 1})) == ({"position": 1}, {"position": 7})
    store.store([(A, {"position": 2})])
    assert world.offset() == {"position": 2}
    assert [m.value() for m in read_topic(world.servers, own)] == [b'{"position":2}']
    for one in (store, shared):
        one.close()
