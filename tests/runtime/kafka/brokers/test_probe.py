"""Whether a Kafka answers."""

from __future__ import annotations

import socket

import pytest
from confluent_kafka import KafkaException

from plugwright.errors import ConfigError
from plugwright.kafka.brokers import free_ports
from plugwright.kafka.brokers import probe as probe_module
from plugwright.kafka.brokers.probe import (
    connect_failure,
    metadata_failure,
    parse_servers,
    wait_until_ready,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a:1", (("a", 1),), id="one"),
        pytest.param("a:1, b.c:65535", (("a", 1), ("b.c", 65535)), id="two"),
        pytest.param("[::1]:9092", (("::1", 9092),), id="ipv6"),
        pytest.param("SASL_SSL://a:1", (("a", 1),), id="protocol"),
    ],
)
def test_addresses_are_read(text, expected):
    """The forms that clients accept."""
    assert parse_servers(text) == expected


@pytest.mark.parametrize(
    "text", ["", "a", ":1", "a:", "a:0", "a:65536", "a:x", "a:1,", "a:\N{SUPERSCRIPT TWO}"]
)
def test_a_malformed_address_is_refused(text):
    """With what was expected and what was found."""
    with pytest.raises(
        ConfigError, match=r"expected host:port\[,host:port\.\.\.\], found"
    ) as caught:
        parse_servers(text)

    assert caught.value.code == "config.invalid"


def test_one_server_that_takes_connections_is_enough():
    """A list of bootstrap servers may hold dead ones."""
    (closed,) = free_ports(1)
    with socket.create_server(("127.0.0.1", 0)) as server:
        servers = [("127.0.0.1", closed), server.getsockname()]

        assert connect_failure(servers, 2.0) is None


def test_every_failure_is_named():
    """Each address with its own reason."""
    one, two = free_ports(2)

    assert connect_failure([("127.0.0.1", one), ("127.0.0.1", two)], 2.0) == (
        f"127.0.0.1:{one}: connection refused; 127.0.0.1:{two}: connection refused"
    )


def test_properties_that_the_client_refuses_are_named():
    """The client's own words, and no values."""
    with pytest.raises(ConfigError, match="No such configuration property") as caught:
        metadata_failure("127.0.0.1:1", 0.1, {"no.such.key": "secret"})

    assert caught.value.facts["keys"] == ("no.such.key",)
    assert "secret" not in str(caught.value)


@pytest.mark.slow
def test_a_failure_is_silent_and_has_a_reason(capfd):
    """The client would write each failed connection to standard error."""
    (closed,) = free_ports(1)

    reason = metadata_failure(f"127.0.0.1:{closed}", 0.1, {})

    assert "Connect" in reason
    assert capfd.readouterr() == ("", "")


def test_a_broker_that_ended_is_not_waited_for():
    """A process that is gone will never answer."""
    (closed,) = free_ports(1)

    assert not wait_until_ready(f"127.0.0.1:{closed}", 60.0, lambda: True)


def test_waiting_has_an_end():
    """At the deadline, whatever the process does."""
    (closed,) = free_ports(1)

    assert not wait_until_ready(f"127.0.0.1:{closed}", 0.03, lambda: False)


class _GivenAnAddress:
    """A client whose first answer came late: it asks an address that a proxy refuses."""

    def __init__(self, waits):
        self._waits = waits

    def list_topics(self, timeout):
        self._waits.append(timeout)
        if len(self._waits) < 3:
            raise KafkaException("Broker transport failure")
        return type("Answer", (), {"brokers": {1: "one"}})

    def poll(self, _):
        return 0


def test_each_question_is_asked_by_a_new_client_that_waits_longer(monkeypatch):
    """A client that has seen an answer goes on to the advertised address and never comes back."""
    clients, waits = [], []

    def admin(*_):
        clients.append(_GivenAnAddress(waits))
        return clients[-1]

    monkeypatch.setattr(probe_module, "_admin", admin)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert wait_until_ready(f"127.0.0.1:{port}", 60.0, lambda: False)

    assert (len(clients), waits) == (3, [1.0, 2.0, 4.0])
