"""Addresses to listen on."""

from __future__ import annotations

import pytest

from plugwright.errors import ConfigError
from plugwright.rest import Listener, parse_listener


@pytest.mark.parametrize(
    ("text", "listener"),
    [
        ("http://localhost:8083", Listener("http", "localhost", 8083)),
        ("HTTPS://myhost:8443", Listener("https", "myhost", 8443)),
        ("http://:8083", Listener("http", "", 8083)),
        ("http://0.0.0.0:0", Listener("http", "0.0.0.0", 0)),  # noqa: S104  # not bound
        ("https://[::1]:1", Listener("https", "::1", 1)),
        (" http://a-b_c%1.d:65535/ ", Listener("http", "a-b_c%1.d", 65535)),
    ],
)
def test_listeners_are_read_as_kafka_reads_them(text, listener):
    """Scheme in any case, empty hosts, brackets."""
    assert parse_listener("listeners", text) == listener


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("localhost:8083", "Listener doesn't have the right format (protocol://hostname:port)."),
        ("http://host", "Listener doesn't have the right format (protocol://hostname:port)."),
        ("http://a b:1", "Listener doesn't have the right format (protocol://hostname:port)."),
        (
            "http://host:1/path",
            "Listener doesn't have the right format (protocol://hostname:port).",
        ),
        ("ftp://host:1", 'Listener protocol must be either "http" or "https".'),
        ("http://host:65536", "Listener port must be between 0 and 65535."),
        ("http://host:-1", "Listener port must be between 0 and 65535."),
    ],
)
def test_other_texts_are_explained(text, problem):
    """In Kafka's words where it has some."""
    with pytest.raises(ConfigError) as caught:
        parse_listener("admin.listeners", text)

    assert str(caught.value) == (
        f"Invalid value {text} for configuration admin.listeners: {problem}"
    )


def test_an_address_prints_as_it_is_written():
    """Brackets around IPv6."""
    assert str(Listener("https", "::1", 8443)) == "https://[::1]:8443"
