"""A broker that somebody else runs."""

from __future__ import annotations

import socket
import threading
import time

import pytest

from plugwright.errors import SetupError, render
from plugwright.kafka.brokers import free_ports, open_broker
from plugwright.kafka.brokers.selection import open_external


class FrozenTime:
    """A clock that stands, so that the time taken is known."""

    monotonic = staticmethod(lambda: 7.0)


def test_a_closed_port_is_reported_at_once(capfd, monkeypatch):
    """Address, reason, time taken and what to do; no chatter of the client."""
    (closed,) = free_ports(1)
    monkeypatch.setattr("plugwright.kafka.brokers.selection.time", FrozenTime)

    with pytest.raises(SetupError) as caught:
        open_broker(f"127.0.0.1:{closed}")

    assert render(caught.value) == (
        f"environment.kafka-unreachable: no Kafka answers at 127.0.0.1:{closed}: "
        f"127.0.0.1:{closed}: connection refused (after 0.0 s)\n"
        "  → start that broker or correct the address; "
        "without bootstrap servers an embedded broker is started"
    )
    assert capfd.readouterr() == ("", "")


def test_a_name_that_does_not_resolve_in_time_is_given_up(monkeypatch):
    """Resolving takes no timeout; a broken resolver may take half a minute."""
    release = threading.Event()
    monkeypatch.setattr(socket, "create_connection", lambda *_, **__: release.wait())
    monkeypatch.setattr("plugwright.kafka.brokers.selection._TOTAL_SECONDS", 0.02)

    with pytest.raises(SetupError, match=r"no result within 0\.02 s; the host name may not"):
        open_external("broker:9092")

    release.set()


@pytest.mark.slow
def test_a_server_that_never_speaks_is_given_up_within_ten_seconds(capfd):
    """It takes connections, so only the metadata request shows that it is no Kafka."""
    started = time.monotonic()
    with socket.create_server(("127.0.0.1", 0)) as server, pytest.raises(SetupError) as caught:
        open_external(f"127.0.0.1:{server.getsockname()[1]}")

    assert caught.value.code == "environment.kafka-unreachable"
    assert time.monotonic() - started < 10
    assert capfd.readouterr() == ("", "")


@pytest.mark.kafka
def test_a_running_broker_is_taken_and_left_running(embedded):
    """Closing an external broker does nothing to it."""
    with open_broker(embedded.bootstrap_servers) as broker:
        assert (broker.kind, broker.version, broker.log) == ("external", None, None)
        assert broker.bootstrap_servers == embedded.bootstrap_servers

    open_external(embedded.bootstrap_servers)


@pytest.mark.kafka
def test_wrong_client_properties_are_a_reason(embedded):
    """A plain listener refuses an encrypted client, and the client says why."""
    with pytest.raises(SetupError, match=r"(?i)ssl|disconnect|timed out") as caught:
        open_external(embedded.bootstrap_servers, {"security.protocol": "SSL"})

    assert caught.value.facts["seconds"] < 10
