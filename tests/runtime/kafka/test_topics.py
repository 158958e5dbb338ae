"""Making topics and reading them to their end, against a real broker."""

from __future__ import annotations

import threading
import time

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient

from plugwright.errors import ConnectError
from plugwright.kafka import TopicWriter, create_topic, end_offsets, read_topic

pytestmark = pytest.mark.kafka


def _values(broker, topic):
    messages = read_topic(broker.bootstrap_servers, topic, timeout_s=10)
    return [message.value() for message in messages]


def test_a_topic_is_made_once(broker, fresh):
    """The second time it is there."""
    topic = fresh("topic")
    made = [create_topic(broker.bootstrap_servers, topic, partitions=3) for _ in range(2)]
    admin = AdminClient({"bootstrap.servers": broker.bootstrap_servers})
    assert made == [True, False]
    assert len(admin.list_topics(topic, 10).topics[topic].partitions) == 3


@pytest.mark.parametrize(
    ("name", "kwargs"),
    [("bad name!", {}), ("more-copies-than-brokers", {"replication_factor": 99})],
    ids=["name", "copies"],
)
def test_a_topic_that_cannot_be_is_explained(broker, name, kwargs):
    """With the broker's reason."""
    with pytest.raises(ConnectError, match=name) as caught:
        create_topic(broker.bootstrap_servers, name, **kwargs)
    assert caught.value.code == "kafka.topic-not-created"


def test_an_empty_topic_is_read_to_its_end(broker, fresh):
    """At once, although it was made only now."""
    topic = fresh("topic")
    create_topic(broker.bootstrap_servers, topic, partitions=5)
    assert _values(broker, topic) == []
    assert end_offsets(broker.bootstrap_servers, topic) == dict.fromkeys(range(5), 0)


def test_everything_that_was_written_is_read(broker, fresh):
    """Spread evenly over the partitions."""
    topic = fresh("topic")
    create_topic(broker.bootstrap_servers, topic, partitions=3)
    values = [str(n).encode() for n in range(3000)]
    TopicWriter(broker.bootstrap_servers).write(topic, values)
    assert sorted(_values(broker, topic)) == sorted(values)
    assert list(end_offsets(broker.bootstrap_servers, topic).values()) == [1000] * 3


def test_writer_gives_each_record_a_key_of_its_own(broker, fresh):
    """Where a connector refuses records without one."""
    topic = fresh("topic")
    create_topic(broker.bootstrap_servers, topic)
    TopicWriter(broker.bootstrap_servers).write(topic, [b"a", b"b"], keyed=True)

    found = {m.key(): m.value() for m in read_topic(broker.bootstrap_servers, topic)}
    assert found == {b"key 1": b"a", b"key 2": b"b"}


def test_aborted_records_are_not_read(broker, fresh):
    """Readers see what is committed; the end lies behind the markers all the same."""
    topic = fresh("topic")
    create_topic(broker.bootstrap_servers, topic)
    producer = Producer(
        {"bootstrap.servers": broker.bootstrap_servers, "transactional.id": fresh("id")}
    )
    producer.init_transactions(20)
    for value, end in ((b"aborted", "abort"), (b"committed", "commit"), (b"aborted", "abort")):
        producer.begin_transaction()
        producer.produce(topic, value)
        producer.flush(10)
        getattr(producer, f"{end}_transaction")(10)
    assert _values(broker, topic) == [b"committed"]


def test_a_topic_that_others_append_to_is_read_to_its_present_end(broker, fresh):
    """A task must start although its neighbours commit all the time."""
    topic = fresh("busy")
    create_topic(broker.bootstrap_servers, topic)
    producer = Producer({"bootstrap.servers": broker.bootstrap_servers, "linger.ms": 0})
    ended = threading.Event()

    def append():
        while not ended.wait(0.02):
            producer.produce(topic, b"v")
            producer.flush(5)

    thread = threading.Thread(target=append)
    thread.start()
    time.sleep(0.3)
    try:
        assert _values(broker, topic)
    finally:
        ended.set()
        thread.join()


def test_a_writer_reports_what_the_broker_refuses(broker, fresh):
    """Values without a key do not go into a compacted topic."""
    topic = fresh("compacted")
    create_topic(broker.bootstrap_servers, topic, config={"cleanup.policy": "compact"})
    with pytest.raises(ConnectError) as caught:
        TopicWriter(broker.bootstrap_servers).write(topic, [b"no key"])
    assert caught.value.code == "kafka.unwritable"
