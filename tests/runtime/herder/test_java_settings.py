"""No setting that Kafka Connect's own definitions have is silent, by a record of Java's classes."""

from __future__ import annotations

import logging

import pytest
from confluent_kafka import Consumer, KafkaException, Producer
from confluent_kafka.admin import AdminClient
from tests.oracle.record_settings import recorded_settings

from plugwright.cli import worker_misspellings
from plugwright.herder import (
    CLUSTER_CONFIG,
    CONNECTOR_CONFIG,
    OTHER_DEFAULTS,
    UNREAD_BY_WORKERS,
    WORKER_CONFIG,
    unread_settings,
)
from plugwright.herder.delivery import delivery_definitions
from plugwright.herder.reload_config import RELOAD_CONFIG
from plugwright.kafka import client_settings, consumer_settings, worker_clients
from plugwright.kafka.client_properties import OWN, own_settings
from plugwright.rest import REST_CONFIG
from plugwright.worker import DEAD_LETTER_CONFIG, ERROR_CONFIG

pytestmark = pytest.mark.slow

DEFINED = WORKER_CONFIG.keys.keys() | CLUSTER_CONFIG.keys.keys() | REST_CONFIG.keys.keys()
WORKERS = sorted(recorded_settings()["distributed"] | recorded_settings()["standalone"])
ELSEWHERE = {
    "config.providers": "read before everything else: `resolved_properties`",
    "metric.reporters": "by the command line: `metrics_reporters`",
    "request.timeout.ms": "as socket.timeout.ms: `worker_clients`",
}
FILES = ("ssl.keystore.", "ssl.truststore.", "ssl.key.")
"""Families of settings that name files or hold keys; tests of TLS have them with real ones."""
SAMPLES = {
    "sasl.jaas.config": 'a.PlainLoginModule required username="u" password="p";',
    "sasl.oauthbearer.jwt.retriever.class": "a.Retriever",  # the client itself is Java's default
}
KINDS = {"producer": Producer, "consumer": Consumer, "admin": AdminClient}


def _text(kind, key):
    """A value that the key may have: Java's default if it has one."""
    row = recorded_settings()[kind][key]
    found = row["default"][0] if row["default"] else None
    numbers = row["type"] in {"INT", "LONG", "SHORT", "DOUBLE"}
    return SAMPLES.get(key) or found or ("1" if numbers else "x")


@pytest.mark.parametrize("key", WORKERS)
def test_a_workers_setting_is_honoured_or_reported(key, caplog):
    """In the order of who reads it: the worker, REST, its clients, nobody."""
    caplog.set_level(logging.WARNING)
    if key.startswith(FILES):
        return
    for protocol in ("PLAINTEXT", "SASL_SSL"):
        properties = {"security.protocol": protocol, key: SAMPLES.get(key, "1")}
        reported = unread_settings(properties, distributed=True)
        clients = worker_clients(properties)
        for each in (clients.producer, clients.consumer, clients.admin):
            own_settings({k: v for k, v in each.items() if k == key})
        read = key in clients.producer or key in clients.consumer or key in clients.admin
        reported = reported or key in caplog.text
        assert read or reported or key in DEFINED or key in ELSEWHERE


def test_nothing_is_both_read_and_reported_as_unread():
    """Who begins to honour a setting takes it out of the table, which has Kafka's keys only."""
    assert not UNREAD_BY_WORKERS.keys() & DEFINED
    assert UNREAD_BY_WORKERS.keys() <= set(WORKERS)


@pytest.mark.parametrize("kind", ["source", "sink"])
def test_a_connectors_setting_is_honoured(kind):
    """Those that every connector of its kind has."""
    definitions = [
        CONNECTOR_CONFIG,
        RELOAD_CONFIG,
        ERROR_CONFIG,
        DEAD_LETTER_CONFIG,
        *delivery_definitions({"topic.creation.groups": ""}, sink=kind == "sink"),
    ]
    read = {key for each in definitions for key in each.keys} | {"transforms", "predicates"}
    read.add("topic.creation.groups")  # by their prefix
    assert recorded_settings()[kind].keys() <= read


@pytest.mark.parametrize(
    ("kind", "key"), [(kind, key) for kind in KINDS for key in recorded_settings()[kind]]
)
def test_a_clients_setting_is_honoured_or_reported(kind, key, caplog):
    """The installed client takes it, or it is left out with a warning, or it is the runtime's."""
    caplog.set_level(logging.WARNING)
    if key.startswith(FILES) or key in {"bootstrap.servers", "group.id", "client.id"}:
        return
    text = _text(kind, key)
    given = {key: text.replace("class org.apache.kafka.clients.consumer.", "")}
    if key.startswith("compression.") and key.endswith(".level"):
        given["compression.type"] = key.split(".")[1]
    if kind == "consumer":
        settings = consumer_settings("127.0.0.1:1", "c", "g", given)
    else:
        settings = client_settings("127.0.0.1:1", "c", given)
    passed = settings.keys() - client_settings("127.0.0.1:1", "c").keys()
    try:
        client = KINDS[kind](settings)
    except KafkaException as error:
        pytest.fail(f"{key} is refused: {error}")
    if kind == "consumer":
        client.close()
    assert passed or key in settings or key in caplog.text or key in OWN


@pytest.mark.parametrize("each", OTHER_DEFAULTS, ids=lambda each: f"{each.kind}-{each.key}")
def test_defaults_that_differ_are_argued(each):
    """The table tells Kafka's default and ours, and both are so."""
    java = recorded_settings()[each.kind][each.key]["default"][0]
    assert java.replace("class org.apache.kafka.clients.consumer.", "") == each.kafkas
    if each.kind == "distributed":
        ours = CLUSTER_CONFIG.default_values[each.key]
    else:
        settings = consumer_settings("s:1", "c", "g", {})
        ours = settings.get(each.key, "read_committed" if each.key == "isolation.level" else None)
    assert str(ours) == each.ours


def test_every_other_default_is_javas():
    """Of the settings of workers; a new difference has to be argued."""
    argued = {each.key for each in OTHER_DEFAULTS}
    # Java's own words for the same; and replicas of the offsets topic, 3 in a group here as well.
    same = {
        "offset.storage.replication.factor",
        "header.converter",
        "listeners",
        "plugin.path",
        "ssl.keystore.type",
    }
    for kind in ("distributed", "standalone"):
        for key, row in recorded_settings()[kind].items():
            for definition in (WORKER_CONFIG, CLUSTER_CONFIG, REST_CONFIG):
                if key not in definition.keys or not row["default"] or key in argued | same:
                    continue
                assert _plain(definition.default_values.get(key)) == (row["default"][0] or ""), key


def _plain(value):
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def test_a_worker_is_warned_at_its_start():
    """Each with the reason, and not as if it were misspelt."""
    given = {"metrics.num.samples": "x"}
    (reported,) = unread_settings(given, distributed=True)
    assert reported.startswith(
        "the setting metrics.num.samples of Kafka Connect has no effect here: "
    )
    assert worker_misspellings(given) == []
    assert unread_settings({"offset.storage.file.filename": "f"}, distributed=False) == []
    assert unread_settings({"offset.storage.file.filename": "f"}, distributed=True)
