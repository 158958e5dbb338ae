"""Kafka's refusal to let a client in, reported as an error."""

from __future__ import annotations

import logging
from concurrent.futures import Future

import pytest
from confluent_kafka import Consumer, KafkaError, Producer, libversion
from confluent_kafka.admin import AdminClient

from plugwright.errors import ConfigError, ConnectError
from plugwright.kafka import client_log
from plugwright.kafka.admin import Admin
from plugwright.kafka.client_properties import own_settings
from plugwright.kafka.login import LoginWatch, opened
from plugwright.kafka.outages import Outages

SETTINGS = {"client.id": "connect-worker-configs", "bootstrap.servers": "kafka:9093"}
WHERE = "client connect-worker-configs at kafka:9093"
WHOSE = (
    "settings without a prefix apply to the worker's own clients; those that begin with producer., "
    "consumer. or admin. apply to tasks"
)


@pytest.fixture(autouse=True)
def _no_watcher(monkeypatch):
    """No broker answers at these addresses, and the watcher would go on to ask for five minutes."""
    outages = Outages(logging.getLogger("test.login"), watch=lambda _: None)
    monkeypatch.setattr(client_log, "_outages", lambda: outages)


@pytest.mark.parametrize(
    ("code", "stable", "message", "hint"),
    [
        (
            KafkaError._AUTHENTICATION,
            "kafka.authentication-failed",
            f"SASL authentication of {WHERE} failed: Invalid username or password",
            "correct security.protocol, sasl.mechanism and sasl.jaas.config; " + WHOSE,
        ),
        (
            KafkaError._SSL,
            "kafka.tls-failed",
            f"The TLS handshake of {WHERE} failed: Invalid username or password",
            "correct security.protocol, ssl.truststore.location, "
            "ssl.keystore.location and the like; " + WHOSE,
        ),
    ],
    ids=["sasl", "tls"],
)
def test_a_refusal_says_whose_and_where_and_why(code, stable, message, hint):
    """And once only: the client may be let in later."""
    watch = LoginWatch(SETTINGS)
    watch.settings["error_cb"](KafkaError(code, "Invalid username or password"))

    with pytest.raises(ConnectError) as caught:
        watch.require()

    assert (caught.value.code, str(caught.value)) == (stable, message)
    assert caught.value.hint == hint
    watch.require()


def test_other_trouble_is_waited_out():
    """A broker that is away may come back."""
    watch = LoginWatch(SETTINGS)
    watch.settings["error_cb"](KafkaError(KafkaError._ALL_BROKERS_DOWN))
    watch.require()


@pytest.mark.parametrize("kind", [AdminClient, Consumer], ids=["admin", "consumer"])
def test_a_setting_that_a_client_cannot_have_is_named(kind):
    """With the client's own reason, and what to do."""
    with pytest.raises(ConfigError) as caught:
        opened(kind, {**SETTINGS, "group.id": "g", "metadata.max.age.ms": "soon"})

    assert str(caught.value) == (
        "client connect-worker-configs for Kafka at kafka:9093 refuses its settings: "
        'Invalid value for configuration property "metadata.max.age.ms"'
    )
    assert caught.value.code == "kafka.client-settings"
    assert caught.value.hint == ("correct or remove the setting")


@pytest.mark.parametrize("failed", [False, True], ids=["before the answer", "with the answer"])
def test_an_admins_request_ends_with_its_refusal(failed):
    """Instead of with its time-out, or in the place of what that says."""
    admin, asked = Admin("127.0.0.1:9", "shop-admin"), Future()
    if failed:
        asked.set_exception(TimeoutError())
    admin._watch._on_error(KafkaError(KafkaError._AUTHENTICATION, "no"))

    with pytest.raises(ConnectError, match=r"of client shop-admin at 127\.0\.0\.1:9 failed: no"):
        admin.answer(asked)


def test_an_admins_answer_is_what_was_asked_for():
    """Whatever happened to the login before."""
    admin, asked = Admin("127.0.0.1:9"), Future()
    asked.set_result("yes")

    assert admin.answer(asked) == "yes"


@pytest.mark.parametrize(
    "jaas",
    ["", 'com.sun.security.auth.module.Krb5LoginModule required keyTab="/k" principal="p";'],
    ids=["mechanism", "keytab"],
)
def test_a_client_without_kerberos_says_what_to_install(jaas):
    """The client of the package index has none; one built from source has."""
    given = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "GSSAPI"}
    settings = own_settings(given | ({"sasl.jaas.config": jaas} if jaas else {}))

    with pytest.raises(ConfigError) as caught:
        opened(Producer, {**SETTINGS, **settings})

    assert caught.value.code == "kafka.client-settings"
    assert f"librdkafka-dev {libversion()[0]} or later from Confluent" in caught.value.hint
    assert "--no-binary confluent-kafka" in caught.value.hint
