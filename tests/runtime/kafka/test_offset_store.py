"""Source offsets in Kafka: Connect's own bytes in Connect's own partitions."""

from __future__ import annotations

import pytest
from confluent_kafka import OFFSET_BEGINNING, Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, ConfigResource, ResourceType

from plugwright.errors import ConfigError, ConnectError, DataError
from plugwright.kafka import KafkaOffsetStore, TopicShape, compacted_topic, create_topic

pytestmark = pytest.mark.kafka

A = {"filename": "a.txt"}
COMPACTED = {"cleanup.policy": "compact"}


@pytest.fixture
def topic(fresh):
    """A name for an offsets topic."""
    return fresh("offsets")


@pytest.fixture
def store(broker, topic):
    """Opens the store of a connector, as each new task does."""
    opened = []

    def make(connector="orders", **kwargs):
        opened.append(
            KafkaOffsetStore(
                broker.bootstrap_servers, topic, connector, **{"shape": TopicShape(3), **kwargs}
            )
        )
        return opened[-1]

    yield make
    for one in opened:
        one.close()


def _records(broker, topic, partitions=3):
    """Everything in a topic as (partition, key, value), by a plain client."""
    consumer = Consumer(
        {
            "bootstrap.servers": broker.bootstrap_servers,
            "group.id": "oracle",
            "enable.partition.eof": True,
        }
    )
    consumer.assign([TopicPartition(topic, p, OFFSET_BEGINNING) for p in range(partitions)])
    found, ended = [], 0
    while ended < partitions:
        message = consumer.poll(10)
        assert message is not None, "the broker does not answer"
        if message.error():
            ended += 1
        else:
            found.append((message.partition(), message.key(), message.value()))
    consumer.close()
    return found


def _write(broker, topic, *pairs, partition=0):
    """Put raw records there, by a plain client."""
    producer = Producer({"bootstrap.servers": broker.bootstrap_servers})
    for key, value in pairs:
        producer.produce(topic, value, key, partition=partition)
    assert producer.flush(10) == 0


def _murmur2(data):
    """The hash of Kafka's Java client, from its description (Utils.murmur2)."""
    mask, m = 0xFFFFFFFF, 0x5BD1E995
    h = 0x9747B28C ^ len(data)
    whole = len(data) // 4 * 4
    for i in range(0, whole, 4):
        k = int.from_bytes(data[i : i + 4], "little") * m & mask
        k = (k ^ k >> 24) * m & mask
        h = (h * m & mask) ^ k
    if tail := data[whole:]:
        h = (h ^ int.from_bytes(tail, "little")) * m & mask
    h = (h ^ h >> 13) * m & mask
    return h ^ h >> 15


@pytest.mark.parametrize(
    ("data", "expected"),
    [(b"21", -973932308), (b"foobar", -790332482), (b"abc", 479470107)],
    ids=repr,
)
def test_the_oracle_hashes_like_java(data, expected):
    """Values of Kafka's own UtilsTest."""
    assert _murmur2(data) == expected % (1 << 32)


def test_an_offset_is_stored_in_connects_own_bytes(broker, topic, store):
    """Key: JSON array of connector and partition; value: JSON object (no blanks, UTF-8)."""
    store("größe").store([({"filename": "ä.txt"}, {"position": 12, "line": None, "x": 1.5})])
    ((_, key, value),) = _records(broker, topic)
    assert key == '["größe",{"filename":"ä.txt"}]'.encode()
    assert value == b'{"position":12,"line":null,"x":1.5}'


def test_an_offset_is_in_the_partition_that_java_would_choose(broker, topic, store):
    """Else the compacted topic would keep two truths after a take-over."""
    store().store([({"filename": f"{n}.txt"}, {"position": n}) for n in range(12)])
    records = _records(broker, topic)
    expected = [(_murmur2(key) & 0x7FFFFFFF) % 3 for _, key, _ in records]
    assert [partition for partition, _, _ in records] == expected
    assert len(set(expected)) == 3


def test_the_topic_is_compacted(broker, topic, store):
    """With the partitions that were asked for."""
    store()
    admin = AdminClient({"bootstrap.servers": broker.bootstrap_servers})
    resource = ConfigResource(ResourceType.TOPIC, topic)
    config = admin.describe_configs([resource])[resource].result(10)
    assert config["cleanup.policy"].value == "compact"
    assert len(admin.list_topics(topic, 10).topics[topic].partitions) == 3


def test_a_stored_offset_is_read_by_the_next_task(store):
    """And by the same one at once."""
    first = store()
    first.store([(A, {"position": 3})])
    first.store([(A, {"position": 7})])
    assert first.offset(A) == {"position": 7}
    assert store().offset(A) == {"position": 7}


def test_an_unknown_partition_has_no_offset(store):
    """Nothing was stored."""
    assert store().offset(A) is None


def test_the_order_of_keys_in_a_partition_does_not_matter(store):
    """Equal maps are one partition."""
    store().store([({"x": 1, "y": "b"}, {"n": 1})])
    assert store().offset({"y": "b", "x": 1}) == {"n": 1}


def test_a_forgotten_offset_is_a_tombstone(broker, topic, store):
    """For readers of either runtime, and for compaction."""
    first = store()
    first.store([(A, {"position": 3})])
    first.store([(A, None)])
    assert first.offset(A) is None
    assert store().offset(A) is None
    assert _records(broker, topic)[-1][2] is None


def test_connectors_do_not_see_each_other(store):
    """Although they share the topic."""
    store("a").store([(A, {"position": 3})])
    assert store("b").offset(A) is None


def test_offsets_of_kafka_connect_are_read(broker, topic, store):
    """A key written by Java is equal to ours."""
    create_topic(broker.bootstrap_servers, topic, partitions=3, config=COMPACTED)
    _write(broker, topic, (b'["orders",{"filename":"a.txt"}]', b'{"position":41}'))
    assert store().offset(A) == {"position": 41}


def test_what_is_no_offset_is_ignored(broker, topic, store):
    """Foreign and broken records keep no connector from starting."""
    create_topic(broker.bootstrap_servers, topic, partitions=3, config=COMPACTED)
    good = (b'["orders",{"filename":"a.txt"}]', b'{"position":1}')
    bad = [(b"", b"{}"), (b"5", b"{}"), (b'["orders"]', b"{}"), (b'["orders",{}]', b"no json")]
    _write(broker, topic, *bad, good, *bad)
    assert store().offset(A) == {"position": 1}


def test_an_offset_that_is_not_plain_is_not_written(broker, topic, store):
    """Nor is anything with it."""
    with pytest.raises(DataError):
        store().store([({}, {"a": {}})])
    assert _records(broker, topic) == []


def test_the_topic_is_made_as_the_worker_says(broker, topic, store):
    """With partitions, replicas and settings of its own, and compacted all the same."""
    store(shape=TopicShape(2, 1, {"segment.bytes": "1048576", "cleanup.policy": "delete"}))

    admin = AdminClient({"bootstrap.servers": broker.bootstrap_servers})
    partitions = admin.list_topics(topic).topics[topic].partitions
    resource = ConfigResource(ResourceType.TOPIC, topic)
    found = admin.describe_configs([resource])[resource].result()
    assert [len(each.replicas) for each in partitions.values()] == [1, 1]
    assert found["segment.bytes"].value == "1048576"
    assert found["cleanup.policy"].value == "compact"


def test_as_many_replicas_as_there_are_no_brokers_for_are_refused(store, monkeypatch):
    """The worker's replication factor is asked for, not the broker's default."""
    monkeypatch.setattr(compacted_topic, "_ENOUGH_BROKERS_S", 0.0)
    with pytest.raises(ConnectError, match="cannot be created") as raised:
        store(shape=TopicShape(1, 3))
    assert raised.value.code == "kafka.topic-not-created"


@pytest.mark.parametrize("which", ["the only one", "the connector's own", "the shared one"])
def test_a_topic_that_forgets_offsets_is_refused(broker, topic, fresh, store, which):
    """As Kafka Connect refuses it (`verifyTopicCleanupPolicyOnlyCompact`)."""
    other = fresh("other")
    forgetful = other if which == "the shared one" else topic
    create_topic(broker.bootstrap_servers, forgetful, config={"cleanup.policy": "delete"})
    with pytest.raises(ConfigError, match=f"topic {forgetful} has cleanup.policy=delete") as raised:
        store(shared_topic="" if which == "the only one" else other)
    assert raised.value.code == "kafka.topic-not-compacted"


def test_a_store_that_is_not_acknowledged_in_time_says_so(store):
    """The offset does not count as stored."""
    opened = store(timeout_s=0.0)
    with pytest.raises(ConnectError) as caught:
        opened.store([(A, {"position": 3})])
    assert caught.value.code == "offsets.not-stored"
    assert opened.offset(A) is None
