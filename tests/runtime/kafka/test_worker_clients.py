"""What a worker's top-level properties say to its own Kafka clients."""

from __future__ import annotations

import pytest
from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient

from plugwright.kafka import ClientOverrides, client_settings, worker_clients

JAAS = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="w" password="p";'
SASL = {"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN", "sasl.jaas.config": JAAS}
EVERYTHING = {
    **SASL,
    "client.dns.lookup": "use_all_dns_ips",
    "connections.max.idle.ms": "540000",
    "enable.metrics.push": "false",
    "metadata.max.age.ms": "60000",
    "metadata.recovery.rebootstrap.trigger.ms": "300000",
    "metadata.recovery.strategy": "rebootstrap",
    "reconnect.backoff.max.ms": "1000",
    "reconnect.backoff.ms": "50",
    "request.timeout.ms": "40000",
    "retry.backoff.max.ms": "1000",
    "retry.backoff.ms": "100",
    "socket.connection.setup.timeout.ms": "10000",
    "ssl.endpoint.identification.algorithm": "",
    "batch.size": "16384",
    "buffer.memory": "33554432",
    "compression.type": "lz4",
    "max.request.size": "2097152",
    "client.rack": "a",
    "fetch.max.bytes": "52428800",
    "max.partition.fetch.bytes": "1048576",
}


@pytest.mark.parametrize(
    ("properties", "shared"),
    [
        (SASL, SASL),
        ({"metadata.max.age.ms": "9"}, {"metadata.max.age.ms": "9"}),
        ({"request.timeout.ms": "40000"}, {"socket.timeout.ms": "40000"}),
        ({"request.timeout.ms": "2147483647"}, {"socket.timeout.ms": "300000"}),
        ({"ssl.truststore.location": "/rest.jks", "ssl.client.auth": "required"}, {}),
        (
            {"security.protocol": "SSL", "ssl.key.password": "k", "ssl.client.auth": "none"},
            {"security.protocol": "SSL", "ssl.key.password": "k"},
        ),
        (
            {"security.protocol": "sasl_plaintext", "sasl.mechanism": "PLAIN", "ssl.x": "y"},
            {"security.protocol": "sasl_plaintext", "sasl.mechanism": "PLAIN"},
        ),
        (
            {"security.protocol": "SSL", "sasl.mechanism": "PLAIN"},
            {"security.protocol": "SSL"},
        ),
        ({"group.id": "g", "session.timeout.ms": "9", "client.id": "w"}, {}),
        ({"producer.sasl.mechanism": "PLAIN", "listeners.https.ssl.key.password": "k"}, {}),
    ],
    ids=[
        "login",
        "metadata",
        "request timeout",
        "endless request timeout",
        "TLS of REST alone",
        "TLS",
        "no TLS",
        "no SASL",
        "the worker's",
        "others'",
    ],
)
def test_what_is_every_clients_goes_to_every_client(properties, shared):
    """Kafka hands all of them on; here unknown ones would be refused."""
    assert worker_clients(properties) == ClientOverrides(shared, shared, shared)


def test_what_is_one_clients_goes_to_that_one():
    """The others would warn of it."""
    found = worker_clients({"max.request.size": "9", "client.rack": "a"})

    assert found == ClientOverrides({"max.request.size": "9"}, {"client.rack": "a"}, {})


@pytest.mark.parametrize(
    ("kind", "name"),
    [(AdminClient, "admin"), (Producer, "producer"), (Consumer, "consumer")],
    ids=["admin", "producer", "consumer"],
)
def test_every_kind_of_client_takes_them_without_a_word(kind, name, caplog):
    """It refuses unknown names, and warns of what has no effect."""
    overrides = getattr(worker_clients(EVERYTHING), name)
    group = {"group.id": "g"} if kind is Consumer else {}

    client = kind({**client_settings("127.0.0.1:9", "test", overrides), **group})
    client.poll(0)

    assert [record.message for record in caplog.records if "CONFWARN" in record.message] == []


def test_secrets_are_not_shown():
    """Values of settings may end in a log."""
    assert repr(worker_clients(SASL)) == "ClientOverrides()"
