"""Executors reach the driver at the address that leads to the master."""

from __future__ import annotations

import socket

import pytest

from plugwright.errors import SetupError
from plugwright.spark._addresses import driver_addresses, route_to
from plugwright.spark._channel import ChannelServer

_HOST, _BIND = "spark.driver.host", "spark.driver.bindAddress"


@pytest.mark.parametrize("master", ["local[4]", "local", "local-cluster[2,2,1024]"])
def test_a_local_driver_listens_on_loopback_alone(master):
    """Nobody else has to reach it."""
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
def test_spark_decides_where_no_route_can_be_told(master):
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
