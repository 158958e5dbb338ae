"""Loopback ports."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from plugwright.errors import SetupError
from plugwright.kafka.brokers import free_ports
from plugwright.kafka.brokers.ports import first_ephemeral, require_free, require_own_address


def test_free_ports_differ_and_can_be_bound():
    """Two for a broker: clients and controller."""
    one, two = free_ports(2)

    assert one != two
    with socket.create_server(("127.0.0.1", one)), socket.create_server(("127.0.0.1", two)):
        pass


def test_no_outgoing_connection_is_given_a_free_port():
    """So that a broker that is down for a moment finds its port when it comes back."""
    first = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text("ascii").split()[0])

    assert all(10_000 <= port < first for port in free_ports(20))


@pytest.mark.parametrize("text", [None, "", "any\n"])
def test_a_system_that_does_not_say_gives_any_port(tmp_path, text):
    """There the system chooses."""
    file = tmp_path / "ip_local_port_range"
    if text is not None:
        file.write_text(text, "ascii")

    assert first_ephemeral(file) == 0


def test_a_free_port_passes():
    """And is free again after the check."""
    (port,) = free_ports(1)

    require_free(port)

    require_free(port)


def test_a_port_in_use_is_explained():
    """The number, the reason, and the way out."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(SetupError) as caught:
            require_free(port)

    assert caught.value.code == "environment.port-in-use"
    assert str(caught.value) == (
        f"port {port} on 127.0.0.1 cannot be used for the broker: Address already in use"
    )
    assert "omit the port" in caught.value.hint


def test_a_port_that_only_lingers_passes():
    """A connection closed by its server keeps the port for a minute, but not from Java."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as client:
            server.accept()[0].close()
            client.recv(1)

    require_free(port)


@pytest.mark.parametrize("host", ["192.0.2.1", "no-such-host.invalid"])
def test_an_address_that_is_not_this_machines_is_explained(host):
    """Behind address translation no broker can listen where clients connect."""
    with pytest.raises(SetupError, match=f"no broker can be started at {host}: ") as caught:
        require_own_address(host)

    assert caught.value.code == "environment.not-our-address"
    assert "--bootstrap-servers" in caught.value.hint


def test_a_port_is_free_on_the_address_that_was_asked_for():
    """It may be taken on another one."""
    with socket.create_server(("127.0.0.2", 0)) as server:
        port = server.getsockname()[1]
        require_free(port)
        with pytest.raises(SetupError, match=rf"port {port} on 127\.0\.0\.2 cannot"):
            require_free(port, "127.0.0.2")
        (other,) = free_ports(1, "127.0.0.2")

    assert other != port
