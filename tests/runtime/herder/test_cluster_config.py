"""The settings of a distributed worker."""

from __future__ import annotations

import pytest

from plugwright.errors import ConfigError
from plugwright.herder import ClusterConfig
from plugwright.kafka import TopicShape

VALID = {
    "group.id": "cluster",
    "config.storage.topic": "configs",
    "offset.storage.topic": "offsets",
    "status.storage.topic": "statuses",
}


def test_every_missing_setting_is_named_at_once():
    """None of Kafka's four has a default."""
    with pytest.raises(ConfigError) as raised:
        ClusterConfig.parse({})
    assert [key for key, _ in raised.value.facts["problems"]] == list(VALID)


@pytest.mark.parametrize("value", ["0", "-2", "x"])
def test_a_number_of_replicas_must_make_sense(value):
    """At least one, or the broker's default."""
    with pytest.raises(ConfigError) as raised:
        ClusterConfig.parse({**VALID, "config.storage.replication.factor": value})
    assert "config.storage.replication.factor" in str(raised.value)


@pytest.mark.parametrize("kind", ["config", "offset", "status"])
def test_settings_of_an_internal_topic_stand_under_its_prefix(kind):
    """As Kafka Connect hands them to the topic that it makes."""
    given = {f"{kind}.storage.min.insync.replicas": "2", f"{kind}.storage.replication.factor": "-1"}
    config = ClusterConfig.parse({**VALID, **given})
    topic = {"config": config.configs, "offset": config.offsets, "status": config.statuses}[kind]
    assert topic.shape == TopicShape(
        {"config": 1, "offset": 25, "status": 5}[kind],
        -1,
        {"min.insync.replicas": "2", "cleanup.policy": "compact"},
    )


def test_the_configs_topic_is_compacted_and_has_one_partition_whatever_is_said(caplog):
    """Each with a warning, in Kafka's words."""
    given = {"config.storage.cleanup.policy": "delete", "config.storage.partitions": "5"}
    shape = ClusterConfig.parse({**VALID, **given}).configs.shape
    assert (shape.partitions, shape.settings) == (1, {"cleanup.policy": "compact"})
    assert [record.getMessage() for record in caplog.records] == [
        "Ignoring config.storage.cleanup.policy=delete, since compaction is always used",
        "Ignoring config.storage.partitions=5, since the configs topic always has one",
    ]


def test_shards_have_a_topic_beside_the_configs():
    """Unless another one is named."""
    assert ClusterConfig.parse(VALID).shards.name == "configs-shards"
    named = ClusterConfig.parse({**VALID, "shard.storage.topic": "shares"})
    assert named.shards.name == "shares"


@pytest.mark.parametrize(
    ("settings", "expected"),
    [({}, "cluster-worker"), ({"client.id": "east-1"}, "cluster-east-1")],
    ids=["by default", "named"],
)
def test_the_names_of_the_workers_clients_begin_with_its_group(settings, expected):
    """And go on with client.id, as in Kafka Connect."""
    assert ClusterConfig.parse({**VALID, **settings}).client_id == expected


def test_signs_of_life_are_the_groups():
    """As text, as clients take it."""
    config = ClusterConfig.parse({**VALID, "session.timeout.ms": "7000"})
    assert config.membership == {
        "session.timeout.ms": "7000",
        "heartbeat.interval.ms": "1000",
        "max.poll.interval.ms": "60000",
    }


@pytest.mark.parametrize(("given", "expected"), [("30000", "30000"), ("5000", "10000")])
def test_the_group_waits_so_long_for_a_worker_that_lets_go(given, expected):
    """Never less than a session, which the client refuses."""
    config = ClusterConfig.parse({**VALID, "rebalance.timeout.ms": given})
    assert config.membership["max.poll.interval.ms"] == expected
