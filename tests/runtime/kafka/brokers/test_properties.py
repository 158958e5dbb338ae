"""Server properties."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugwright.kafka.brokers.properties import (
    environment,
    for_container,
    for_host,
)


def test_a_loopback_broker_listens_nowhere_else():
    """Every address in the properties is the loopback address."""
    properties = for_host(1, 2, Path("/data"))

    assert properties["listeners"] == "PLAINTEXT://127.0.0.1:1,CONTROLLER://127.0.0.1:2"
    assert properties["advertised.listeners"] == "PLAINTEXT://127.0.0.1:1"
    assert properties["controller.quorum.voters"] == "1@127.0.0.1:2"
    assert properties["log.dirs"] == "/data"


def test_clients_elsewhere_reach_a_broker_at_one_address():
    """Its controller stays on loopback."""
    properties = for_host(1, 2, Path("/data"), "10.0.0.1")

    assert properties["listeners"] == "PLAINTEXT://10.0.0.1:1,CONTROLLER://127.0.0.1:2"
    assert properties["advertised.listeners"] == "PLAINTEXT://10.0.0.1:1"
    assert properties["controller.quorum.voters"] == "1@127.0.0.1:2"


@pytest.mark.parametrize(
    "key",
    [
        "default.replication.factor",
        "min.insync.replicas",
        "offsets.topic.replication.factor",
        "transaction.state.log.replication.factor",
        "transaction.state.log.min.isr",
        "share.coordinator.state.topic.replication.factor",
        "share.coordinator.state.topic.min.isr",
        "num.partitions",
    ],
)
def test_a_single_node_needs_no_other(key):
    """Kafka's defaults of three replicas would never be met."""
    assert for_host(1, 2, Path("/data"))[key] == "1"


def test_records_of_any_age_stay():
    """Else what a connector reads from an archive is deleted while it is being certified."""
    assert for_host(1, 2, Path("/data"))["log.retention.ms"] == "-1"


def test_a_container_reaches_itself_by_an_address_of_its_own():
    """Transaction markers travel by the advertised address between brokers."""
    properties = for_container("host", 5)

    assert properties["advertised.listeners"] == "PLAINTEXT://host:5,INTERNAL://localhost:9094"
    assert properties["inter.broker.listener.name"] == "INTERNAL"


def test_properties_become_variables_of_the_image():
    """Dots, underscores and hyphens as the image's README has them."""
    assert environment({"log.dirs": "/d", "a_b-c": "1"}) == {
        "KAFKA_A__B___C": "1",
        "KAFKA_LOG_DIRS": "/d",
    }
