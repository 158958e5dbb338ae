"""Properties of Kafka's Java clients, as existing configurations have them."""

from __future__ import annotations

import pytest
from confluent_kafka import Consumer, Producer

from plugwright.kafka import client_settings
from plugwright.kafka.client_properties import own_settings

PLAIN = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="ann" password='
KERBEROS = (
    "com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true storeKey=true "
    'keyTab="/etc/connect.keytab" principal="connect@SHOP";'
)
OAUTH = (
    "a.OAuthBearerLoginModule required clientId='c' clientSecret=\"s=\" scope='all' "
    'extension_logicalCluster="lkc" extension_pool="p";'
)


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


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            KERBEROS,
            {
                "sasl.kerberos.keytab": "/etc/connect.keytab",
                "sasl.kerberos.principal": "connect@SHOP",
            },
        ),
        (
            OAUTH,
            {
                "sasl.oauthbearer.client.id": "c",
                "sasl.oauthbearer.client.secret": "s=",
                "sasl.oauthbearer.scope": "all",
                "sasl.oauthbearer.extensions": "logicalCluster=lkc,pool=p",
            },
        ),
    ],
    ids=["Kerberos", "OAuth"],
)
def test_a_login_says_what_its_module_takes(text, wanted):
    """As Java's login modules document their options."""
    assert own_settings({"sasl.jaas.config": text}) == wanted


def test_an_option_of_a_login_that_has_no_meaning_is_reported(caplog):
    """By its name; its value may be a secret."""
    own_settings({"sasl.jaas.config": 'a.Krb5LoginModule required ticketCache="hush";'})
    assert "option ticketCache of sasl.jaas.config has no effect here" in caplog.text
    assert "hush" not in caplog.text


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"send.buffer.bytes": "-1"}, {"socket.send.buffer.bytes": 0}),
        ({"receive.buffer.bytes": "65536"}, {"socket.receive.buffer.bytes": 65536}),
        ({"request.timeout.ms": "40000"}, {"socket.timeout.ms": 40000}),
        ({"request.timeout.ms": "2147483647"}, {"socket.timeout.ms": 300000}),
        (
            {
                "compression.type": "lz4",
                "compression.lz4.level": "7",
                "compression.gzip.level": "9",
            },
            {"compression.type": "lz4", "compression.level": "7"},
        ),
        (
            {"sasl.oauthbearer.token.endpoint.url": "https://t"},
            {"sasl.oauthbearer.token.endpoint.url": "https://t", "sasl.oauthbearer.method": "oidc"},
        ),
    ],
    ids=lambda value: "-".join(value) + str(len(str(value))),
)
def test_what_the_client_calls_otherwise_is_passed_on(given, wanted):
    """Kafka's documentation of both clients."""
    assert own_settings(given) == wanted


@pytest.mark.parametrize("key", ["max.block.ms", "metadata.max.idle.ms"])
def test_what_would_be_silent_is_reported(key, caplog):
    """The client has nothing like it."""
    assert own_settings({key: "1"}) == {}
    assert f"the client setting {key} has no effect here" in caplog.text


def test_what_only_java_has_is_left_out_with_a_warning(caplog):
    """A configuration is not refused for a metrics reporter."""
    assert own_settings({"interceptor.classes": "shop.Audit"}) == {}
    assert "the client setting interceptor.classes has no effect here" in caplog.text


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
