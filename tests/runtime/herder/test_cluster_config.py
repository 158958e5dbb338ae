"""The settings of a distributed worker."""

from __future__ import annotations

import pytest

from plugwright.errors import ConfigError
from plugwright.herder import ClusterConfig

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
    assert config.membership == {"session.timeout.ms": "7000", "heartbeat.interval.ms": "1000"}
