"""Properties of Kafka's Java clients, as existing configurations have them."""

from __future__ import annotations

import pytest
from confluent_kafka import Consumer, Producer

from plugwright.kafka import client_settings
from plugwright.kafka._client_properties import own_settings

PLAIN = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="ann" password='


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"linger.ms": "5"}, {"linger.ms": "5"}),
        ({"max.request.size": "1048576"}, {"message.max.bytes": "1048576"}),
        ({"buffer.memory": "33554432"}, {"queue.buffering.max.kbytes": "32768"}),
        ({"fetch.max.wait.ms": "100"}, {"fetch.wait.max.ms": "100"}),
        ({"max.poll.records": "100"}, {}),
        ({"sasl.jaas.config": f'{PLAIN}"p;w\\"d";'}, {"username": "ann", "password": 'p;w"d'}),
        ({"sasl.jaas.config": f"{PLAIN}secret;"}, {"username": "ann", "password": "secret"}),
        (
            {"ssl.truststore.type": "PEM", "ssl.truststore.location": "/ca.pem"},
            {"ssl.ca.location": "/ca.pem"},
        ),
        ({"ssl.truststore.location": "/ca.jks"}, {"ssl.truststore.location": "/ca.jks"}),
        (
            {"ssl.endpoint.identification.algorithm": ""},
            {"ssl.endpoint.identification.algorithm": "none"},
        ),
        (
            {"ssl.endpoint.identification.algorithm": "https"},
            {"ssl.endpoint.identification.algorithm": "https"},
        ),
    ],
    ids=lambda value: "-".join(value) + str(len(str(value))),
)
def test_a_java_property_becomes_what_means_the_same(given, wanted):
    """Kafka's documentation of both clients."""
    found = {key.removeprefix("sasl."): value for key, value in own_settings(given).items()}

    assert found == wanted


def test_what_only_java_has_is_left_out_with_a_warning(caplog):
    """A configuration is not refused for a metrics reporter."""
    assert own_settings({"interceptor.classes": "shop.Audit"}) == {}
    assert "the client setting interceptor.classes has no meaning here" in caplog.text


@pytest.mark.parametrize("kind", [Producer, Consumer], ids=["producer", "consumer"])
def test_the_client_takes_what_comes_out(kind):
    """It refuses names that it does not know."""
    java = {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "PLAIN",
        "sasl.jaas.config": f'{PLAIN}"x";',
        "metric.reporters": "",
        "request.timeout.ms": "20000",
        "retry.backoff.ms": "100",
        "reconnect.backoff.max.ms": "1000",
        "client.dns.lookup": "use_all_dns_ips",
    }
    more = {Producer: {"max.request.size": "1000000"}, Consumer: {"group.id": "g"}}[kind]

    kind(client_settings("127.0.0.1:9", "test", java | more))
