"""Executors reach the driver at the address that leads to the master."""

from __future__ import annotations

import socket

import pytest

from plugwright import retry
from plugwright.errors import SetupError
from plugwright.spark.addresses import driver_addresses, require_master, route_to
from plugwright.spark.channel import ChannelServer

_HOST, _BIND = "spark.driver.host", "spark.driver.bindAddress"


@pytest.mark.parametrize("master", ["local[4]", "local", "local-cluster[2,2,1024]"])
def test_a_local_driver_listens_on_loopback_alone(master):
    """No other process has to reach it."""
    assert driver_addresses(master, {}) == {_HOST: "127.0.0.1", _BIND: "127.0.0.1"}


def test_what_the_operator_set_stays():
    """A name that executors know, and another interface to listen on, as behind NAT."""
    given = {_HOST: "worker-1.example.com", _BIND: "0.0.0.0"}  # noqa: S104  # the operator's choice

    assert driver_addresses("spark://127.0.0.1:7077", given) == given
    assert driver_addresses("yarn", {_HOST: "w"}) == {_HOST: "w", _BIND: "w"}


@pytest.mark.parametrize(
    "master",
    ["spark://127.0.0.9:7077", "spark://127.0.0.9:1,127.0.0.8:2", "k8s://https://127.0.0.9:6443"],
)
def test_the_kernel_chooses_the_route_to_the_master(master):
    """All of 127.0.0.0/8 is reached from 127.0.0.1."""
    assert route_to(master) == "127.0.0.1"


@pytest.mark.parametrize("master", ["yarn", "spark://", "spark://no-such-host.invalid:7077"])
def test_spark_decides_where_no_route_is_known(master):
    """No address is invented."""
    assert driver_addresses(master, {}) == {}


def test_the_control_port_can_be_fixed():
    """For a firewall's rule; a port that is taken is named with the setting to change."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(SetupError, match=rf"127\.0\.0\.1:{port}: Address already") as caught:
            ChannelServer(lambda _: False, lambda *_: None, port=port)
    server = ChannelServer(lambda _: False, lambda *_: None, port=port)
    address = server.address
    server.close()

    assert address == ("127.0.0.1", port)
    assert caught.value.code == "spark.control-port"
    assert "spark.plugwright.control.port" in caught.value.hint


@pytest.mark.parametrize("master", ["local[2]", "yarn", "k8s://https://127.0.0.1:1"])
def test_a_master_that_is_not_standalone_is_not_asked(master):
    """Spark knows how to find it."""
    require_master(master, 0.0)


@pytest.mark.parametrize("form", ["spark://{}", "spark://127.0.0.1:1,{}", "spark://{},127.0.0.1:1"])
def test_one_of_several_masters_has_to_listen(form):
    """The others stand by."""
    with socket.create_server(("127.0.0.1", 0)) as master:
        require_master(form.format(f"127.0.0.1:{master.getsockname()[1]}"), 0.0)


def test_a_master_that_starts_meanwhile_is_waited_for(monkeypatch):
    """As when a machine starts both."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    servers = []

    def begin(_):
        servers.append(socket.create_server(("127.0.0.1", port)))

    monkeypatch.setattr(retry.time, "sleep", begin)
    require_master(f"spark://127.0.0.1:{port}", 60.0)
    servers[0].close()


@pytest.mark.parametrize(
    ("master", "reason"),
    [
        ("spark://127.0.0.1:1", "refused"),
        ("spark://127.0.0.1:1,[::1]:1", "\\[Errno"),
        ("spark://no-such-host.invalid:7077", "no-such-host|\\[Errno"),
        ("spark://127.0.0.1", "HOST:PORT"),
        ("spark://", "HOST:PORT"),
    ],
)
def test_a_master_that_does_not_listen_is_named(master, reason):
    """Before Spark is started, which takes a minute to say so."""
    with pytest.raises(SetupError, match=reason) as raised:
        require_master(master, 0.0)

    assert raised.value.code == "spark.master-unreachable"
    assert raised.value.facts == {"master": master}
