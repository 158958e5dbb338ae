"""The topics that keep a worker's state, on a live Kafka: made and checked as by Kafka Connect.

The expectations are what ``connect-distributed`` 4.3.1 did with the same settings, but for the
missing brokers: it tries again until there are enough of them.
"""

from __future__ import annotations

import pytest
from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient, ConfigResource, ConfigSource, ResourceType
from tests.e2e.workers import until

from plugwright.errors import ConfigError, ConnectError
from plugwright.herder import ClusterConfig
from plugwright.kafka import compacted_topic, create_topic

pytestmark = pytest.mark.kafka

KINDS = ("config", "offset", "status")


@pytest.fixture
def cluster(broker, fresh):
    """A worker's settings, with internal topics of its own."""
    names = {kind: fresh(kind) for kind in KINDS}
    settings = {"group.id": "g", "bootstrap.servers": broker.bootstrap_servers}
    for kind, name in names.items():
        settings |= {f"{kind}.storage.topic": name, f"{kind}.storage.replication.factor": "1"}
    return settings


def _require(cluster, kind="offset", **given):
    """Let the worker make or check one of the topics."""
    dotted = {name.replace("_", "."): value for name, value in given.items()}
    settings = {**cluster, **{f"{kind}.storage.{name}": value for name, value in dotted.items()}}
    config = ClusterConfig.parse(settings)
    topics = {"config": config.configs, "offset": config.offsets, "status": config.statuses}
    topics[kind].require(cluster["bootstrap.servers"])


def _settings_of(cluster, kind):
    """The settings of one of the topics; ``None`` while the broker does not know of it yet."""
    admin = AdminClient({"bootstrap.servers": cluster["bootstrap.servers"]})
    resource = ConfigResource(ResourceType.TOPIC, cluster[f"{kind}.storage.topic"])
    try:
        return admin.describe_configs([resource])[resource].result(10)
    except KafkaException as error:
        if error.args[0].code() != KafkaError.UNKNOWN_TOPIC_OR_PART:
            raise
        return None


def _described(cluster, kind="offset"):
    """The partitions, replicas and own settings of one of the topics."""
    found = []
    assert until(lambda: found.append(_settings_of(cluster, kind)) or found[-1])
    own = {
        key: entry.value
        for key, entry in found[-1].items()
        if ConfigSource(entry.source) is ConfigSource.DYNAMIC_TOPIC_CONFIG
    }
    admin = AdminClient({"bootstrap.servers": cluster["bootstrap.servers"]})
    name = cluster[f"{kind}.storage.topic"]
    partitions = admin.list_topics(name, 10).topics[name].partitions
    return len(partitions), len(partitions[0].replicas), own


def _create(cluster, kind, partitions, policy):
    """One of the topics as another program made it before."""
    name = cluster[f"{kind}.storage.topic"]
    create_topic(
        cluster["bootstrap.servers"], name, partitions=partitions, config={"cleanup.policy": policy}
    )
    assert until(lambda: _settings_of(cluster, kind))


@pytest.mark.parametrize(
    ("kind", "given", "expected"),
    [
        (
            "config",
            {"min_insync_replicas": "1", "retention_ms": "123456"},
            {"min.insync.replicas": "1", "retention.ms": "123456"},
        ),
        ("offset", {"segment_bytes": "1048577"}, {"segment.bytes": "1048577"}),
        (
            "status",
            {"max_message_bytes": "54321", "min_cleanable_dirty_ratio": "0.25"},
            {"max.message.bytes": "54321", "min.cleanable.dirty.ratio": "0.25"},
        ),
    ],
    ids=KINDS,
)
def test_a_topic_has_the_settings_under_its_prefix(cluster, kind, given, expected):
    """And is compacted, whatever they say."""
    _require(cluster, kind, cleanup_policy="delete", **given)

    assert _described(cluster, kind)[2] == {"cleanup.policy": "compact", **expected}


@pytest.mark.parametrize(
    ("kind", "partitions"), [("offset", 25), ("status", 5), ("config", 1)], ids=str
)
def test_a_topic_has_connects_number_of_partitions(cluster, kind, partitions):
    """The configs topic always has one."""
    _require(cluster, kind)

    assert _described(cluster, kind)[:2] == (partitions, 1)


@pytest.mark.parametrize("kind", ["offset", "status"])
def test_minus_one_is_the_brokers_default(cluster, kind):
    """For partitions and for replicas."""
    _require(cluster, kind, partitions="-1", replication_factor="-1")

    assert _described(cluster, kind)[:2] == (1, 1)


@pytest.mark.parametrize("kind", KINDS)
def test_more_replicas_than_brokers_make_no_topic(cluster, kind, monkeypatch):
    """The number of replicas reaches Kafka; the start ends with its refusal, after a while."""
    monkeypatch.setattr(compacted_topic, "_ENOUGH_BROKERS_S", 0.3)
    with pytest.raises(ConnectError, match="INVALID_REPLICATION_FACTOR"):
        _require(cluster, kind, replication_factor="3")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("given", "refusal"),
    [
        ({"bogus_key": "1"}, "Unknown topic config name: bogus.key"),
        ({"segment_bytes": "x"}, "Invalid value x for configuration segment.bytes"),
        ({"segment_bytes": ""}, "Invalid value  for configuration segment.bytes"),
    ],
    ids=["unknown", "word", "blank"],
)
def test_what_kafka_refuses_is_no_topic(cluster, kind, given, refusal):
    """Java passes the settings on as well, and ends."""
    with pytest.raises(ConnectError, match=refusal):
        _require(cluster, kind, **given)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("policy", ["delete", "compact,delete"])
def test_an_existing_topic_must_be_compacted_only(cluster, kind, policy):
    """Else Kafka would delete the worker's state."""
    _create(cluster, kind, 1, policy)

    with pytest.raises(ConfigError, match=f"cleanup.policy={policy}") as raised:
        _require(cluster, kind)
    assert raised.value.code == "kafka.topic-not-compacted"


def test_an_existing_topic_of_another_shape_is_taken_as_it_is(cluster):
    """The settings are for making it only."""
    _create(cluster, "offset", 7, "compact")

    _require(cluster, partitions="3", replication_factor="3", bogus="1", segment_bytes="1048577")

    assert _described(cluster) == (7, 1, {"cleanup.policy": "compact"})
