"""Client settings: Kafka's property names in, librdkafka's out."""

from __future__ import annotations

import pytest
from confluent_kafka import Consumer, Producer

from plugwright.errors import ConfigError
from plugwright.kafka import (
    consumer_settings,
    max_poll_records,
    producer_settings,
    transactional_settings,
)


def test_a_producer_gives_nothing_up_and_repeats_nothing():
    """Idempotent, acknowledged by all, tried as long as the task lives."""
    settings = producer_settings("k:1", "connector-producer-orders-0", {})
    assert settings["enable.idempotence"] is True
    assert (settings["acks"], settings["delivery.timeout.ms"]) == ("all", 2147483647)
    assert settings["client.id"] == "connector-producer-orders-0"


def test_keys_go_to_the_partitions_that_java_would_choose():
    """So that topics of Kafka Connect can be taken over."""
    assert producer_settings("k:1", "c", {})["partitioner"] == "murmur2_random"


def test_a_consumer_begins_at_the_start_and_commits_on_request():
    """Connect's defaults for sinks."""
    settings = consumer_settings("k:1", "c", "connect-orders", {})
    assert (settings["group.id"], settings["auto.offset.reset"]) == ("connect-orders", "earliest")
    assert settings["enable.auto.commit"] is False


def test_a_consumer_is_a_static_member_under_its_client_id():
    """KIP-345: a task that comes back takes its own place at once."""
    settings = consumer_settings("k:1", "connector-consumer-orders-1", "g", {})
    assert settings["group.instance.id"] == "connector-consumer-orders-1"


def test_overrides_win():
    """The connector's own settings."""
    settings = consumer_settings("k:1", "c", "g", {"group.id": "other", "fetch.min.bytes": "9"})
    assert (settings["group.id"], settings["fetch.min.bytes"]) == ("other", "9")


@pytest.mark.parametrize(("age", "interval"), [("60000", 60_000), ("86400000", 3_600_000)])
def test_metadata_is_renewed_as_often_as_java_would(age, interval):
    """The client has a second setting for it, with an upper limit."""
    settings = consumer_settings("k:1", "c", "g", {"metadata.max.age.ms": age})
    assert settings["metadata.max.age.ms"] == age
    assert settings["topic.metadata.refresh.interval.ms"] == interval
    Consumer(settings).close()


@pytest.mark.parametrize(
    ("overrides", "most"),
    [({}, 500), ({"max.poll.records": "7"}, 7), ({"fetch.min.bytes": "1"}, 500)],
)
def test_a_poll_brings_as_many_records_as_java_would(overrides, most):
    """Five hundred, unless the connector says otherwise."""
    assert max_poll_records(overrides) == most


@pytest.mark.parametrize("wrong", ["0", "-1", "many", "1.5"])
def test_a_poll_without_records_is_refused(wrong):
    """With the name of the setting."""
    with pytest.raises(ConfigError, match=f"Invalid value {wrong} for configuration max.poll.rec"):
        max_poll_records({"max.poll.records": wrong})


def test_settings_of_java_alone_are_dropped():
    """A configuration that is taken over may have them."""
    settings = producer_settings("k:1", "c", {"key.serializer": "x", "max.block.ms": "1"})
    assert {"key.serializer", "max.block.ms"} & set(settings) == set()


def test_the_client_takes_the_settings():
    """Every name is one of librdkafka's."""
    Producer(producer_settings("127.0.0.1:1", "c", {}))
    Producer(transactional_settings("127.0.0.1:1", "c", "id", {}))
    Consumer(consumer_settings("127.0.0.1:1", "c", "g", {})).close()


def test_an_exactly_once_producer_has_its_id_and_its_transactions_time():
    """A record is not tried for longer than its transaction may last."""
    settings = transactional_settings("k:1", "c", "g-orders-0", {})
    assert (settings["transactional.id"], settings["enable.idempotence"]) == ("g-orders-0", "true")
    assert "delivery.timeout.ms" not in settings


def test_the_transactional_id_is_not_for_connectors_to_choose(caplog):
    """Replaced with a warning, as in Kafka; the rest of their settings stays."""
    overrides = {"transactional.id": "mine", "enable.idempotence": "false", "linger.ms": "9"}
    settings = transactional_settings("k:1", "c", "g-orders-0", overrides)
    assert (settings["transactional.id"], settings["enable.idempotence"]) == ("g-orders-0", "true")
    assert settings["linger.ms"] == "9"
    assert "transactional.id=mine is replaced by g-orders-0" in caplog.text


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("org.apache.kafka.clients.consumer.RangeAssignor", "range"),
        ("org.apache.kafka.clients.consumer.CooperativeStickyAssignor", "cooperative-sticky"),
        ("range, roundrobin", "range,roundrobin"),
        ("org.apache.kafka.clients.consumer.RoundRobinAssignor,range", "roundrobin,range"),
        ("a.RangeAssignor,a.CooperativeStickyAssignor", "range"),
    ],
)
def test_assignors_may_have_java_names(names, expected):
    """A configuration for Kafka Connect has those."""
    found = consumer_settings("k:1", "c", "g", {"partition.assignment.strategy": names})
    assert found["partition.assignment.strategy"] == expected


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        ("org.apache.kafka.clients.consumer.StickyAssignor", "supported are range, roundrobin"),
        ("shop.OwnAssignor", "supported are range, roundrobin, cooperative-sticky"),
        ("cooperative-sticky,range", "the cooperative assignor cannot come before eager ones here"),
    ],
)
def test_assignors_that_the_client_lacks_are_refused_with_a_reason(names, reason):
    """Instead of a surprise in the group."""
    with pytest.raises(ConfigError, match=f"{names} for configuration .*: {reason}"):
        consumer_settings("k:1", "c", "g", {"partition.assignment.strategy": names})
