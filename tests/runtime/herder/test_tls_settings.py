"""No setting of TLS is silent: it is read, or a warning says why not."""

from __future__ import annotations

import pytest
from tests.oracle.record_settings import recorded_settings

from plugwright.herder import unread_settings
from plugwright.herder.tls_settings import LISTENERS_READ, unread_tls_settings
from plugwright.rest import REST_CONFIG

KEYS = sorted(key for key in recorded_settings()["distributed"] if key.startswith("ssl."))
JAVAS = [
    "ssl.engine.factory.class",
    "ssl.keymanager.algorithm",
    "ssl.protocol",
    "ssl.provider",
    "ssl.secure.random.implementation",
    "ssl.trustmanager.algorithm",
]


def test_what_listeners_read_is_what_they_define():
    """Whoever adds a setting to them adds it to the table."""
    assert {key for key in REST_CONFIG.keys if key.startswith("ssl.")} == LISTENERS_READ


def test_without_tls_every_setting_of_it_is_reported():
    """Whatever it is; with the reason."""
    given = dict.fromkeys(KEYS, "x")
    reported = unread_settings({**given, "listeners": "http://:8083"}, distributed=True)
    assert len(reported) == len(KEYS)
    reason = "no listener is https, and security.protocol is PLAINTEXT"
    key = "ssl.truststore.location"
    assert f"the setting {key} of Kafka Connect has no effect here: {reason}" in reported


def test_clients_with_tls_read_all_but_what_is_javas_or_a_servers():
    """Those that the client has no counterpart for are reported by the client itself."""
    given = {**dict.fromkeys(KEYS, "x"), "security.protocol": "SASL_SSL"}
    assert sorted(unread_tls_settings(given)) == sorted([*JAVAS, "ssl.client.auth"])


def test_listeners_with_tls_read_theirs():
    """Under their own prefix as well."""
    prefixed = [f"listeners.https.{key}" for key in KEYS]
    given = {**dict.fromkeys([*KEYS, *prefixed], "x"), "admin.listeners": "HTTPS://:8443"}
    unread = {key.removeprefix("listeners.https.") for key in unread_tls_settings(given)}
    assert unread == set(KEYS) - LISTENERS_READ


@pytest.mark.parametrize("key", JAVAS)
def test_what_chooses_javas_implementations_never_has_an_effect(key):
    """Whoever has TLS."""
    given = {key: "x", "listeners": "https://:1", "security.protocol": "SSL"}
    assert unread_tls_settings(given) == {
        key: "TLS is provided by OpenSSL, which has none of Java's implementations"
    }
