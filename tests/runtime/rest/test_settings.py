"""The worker's settings for the API."""

from __future__ import annotations

import pytest

from plugwright.errors import ConfigError
from plugwright.rest import REST_CONFIG, Listener, RestSettings


def test_the_defaults_are_kafka_s():
    """Port 8083 on all interfaces, admin on the same, everything else off."""
    settings = RestSettings.parse({})

    assert settings.listeners == (Listener("http", "", 8083),)
    assert settings.admin_listeners is None
    assert (settings.topic_tracking, settings.topic_tracking_reset) == (True, True)
    assert (settings.allowed_origins, settings.allowed_methods) == ((), ())
    assert (settings.header_rules, settings.extension_classes) == ((), ())
    assert settings.request_timeout_s == 90.0


def test_the_settings_have_kafka_s_names():
    """And five of our own: three limits that Kafka fixes or leaves open, pages, a key's file."""
    ours = {
        "console.enable",
        "rest.request.max.bytes",
        "rest.request.timeout.ms",
        "rest.shutdown.graceful.timeout.ms",
        "ssl.key.location",
    }
    assert set(REST_CONFIG.names) - ours == {
        "access.control.allow.methods",
        "access.control.allow.origin",
        "admin.listeners",
        "listeners",
        "response.http.headers.config",
        "rest.advertised.host.name",
        "rest.advertised.listener",
        "rest.advertised.port",
        "rest.extension.classes",
        "ssl.cipher.suites",
        "ssl.client.auth",
        "ssl.enabled.protocols",
        "ssl.key.password",
        "ssl.keystore.location",
        "ssl.keystore.type",
        "ssl.truststore.location",
        "topic.tracking.allow.reset",
        "topic.tracking.enable",
    }


def test_empty_admin_listeners_are_not_missing_ones():
    """Empty turns the endpoints off."""
    assert RestSettings.parse({"admin.listeners": ""}).admin_listeners == ()


def test_words_are_split():
    """Origins and methods are lists."""
    settings = RestSettings.parse(
        {"access.control.allow.origin": "http://a, http://b", "access.control.allow.methods": "put"}
    )

    assert settings.allowed_origins == ("http://a", "http://b")
    assert settings.allowed_methods == ("PUT",)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        (
            "listeners",
            "",
            (
                "1 problem · listeners: Invalid value for listeners, at least one URL is "
                "expected, ex: http://localhost:8080,https://localhost:8443."
            ),
        ),
        (
            "listeners",
            "http://a:1, ,",
            "1 problem · listeners: Empty URL found when parsing listeners list.",
        ),
        (
            "rest.advertised.listener",
            "ftp",
            "Invalid value ftp for configuration rest.advertised.listener: must be http or https",
        ),
        (
            "ssl.client.auth",
            "maybe",
            (
                "1 problem · ssl.client.auth: Invalid value maybe for configuration "
                "ssl.client.auth: String must be one of: required, requested, none"
            ),
        ),
        (
            "rest.request.timeout.ms",
            "0",
            (
                "1 problem · rest.request.timeout.ms: Invalid value 0 for configuration "
                "rest.request.timeout.ms: Value must be at least 1"
            ),
        ),
    ],
    ids=["no listener", "empty listener", "advertised", "client auth", "time-out"],
)
def test_a_wrong_setting_is_explained(key, value, message):
    """With its key."""
    with pytest.raises(ConfigError) as caught:
        RestSettings.parse({key: value})

    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("properties", "keystore", "prefix"),
    [
        ({"ssl.keystore.location": "a"}, "a", ""),
        ({"listeners.https.ssl.keystore.location": "b"}, "b", "listeners.https."),
        (
            {"ssl.keystore.location": "a", "listeners.https.ssl.client.auth": "none"},
            None,
            "listeners.https.",
        ),
    ],
    ids=["plain", "prefixed", "all or nothing"],
)
def test_certificates_may_have_a_prefix(properties, keystore, prefix):
    """Any prefixed setting replaces all others, as in Kafka."""
    tls = RestSettings.parse(properties).tls

    assert (tls.keystore, tls.prefix) == (keystore, prefix)
    assert (tls.protocols, tls.client_auth) == (("TLSv1.2", "TLSv1.3"), "none")


def test_admin_listeners_have_certificates_of_their_own():
    """Under their own prefix."""
    properties = {"admin.listeners.https.ssl.keystore.location": "admin.pem"}

    settings = RestSettings.parse(properties)

    assert (settings.tls.keystore, settings.admin_tls.keystore) == (None, "admin.pem")


def test_passwords_are_not_printed():
    """Neither plain nor prefixed."""
    properties = {"ssl.key.password": "s3cret", "listeners.https.ssl.key.password": "s3cret"}

    assert "s3cret" not in repr(RestSettings.parse(properties).tls)
