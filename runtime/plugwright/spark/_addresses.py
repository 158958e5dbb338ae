"""The address at which executors reach the driver."""

from __future__ import annotations

import re
import socket
from typing import TYPE_CHECKING

from plugwright.spark._secured import is_local

if TYPE_CHECKING:
    from collections.abc import Mapping

CONTROL_PORT = "spark.plugwright.control.port"
"""Setting for the port at which tasks reach the worker; 0 for any free one."""

_HOST = "spark.driver.host"
_BIND = "spark.driver.bindAddress"
_LOOPBACK = "127.0.0.1"
_MASTER = re.compile(r"(?:spark|k8s)://(?:https?://)?(\[[^]]+\]|[^:/,]+)(?::(\d+))?")
_ANY_PORT = 7077


def driver_addresses(master: str, given: Mapping[str, str]) -> dict[str, str]:
    """Settings for the driver's address: what the operator set, else how the master reaches it.

    A local master is reached by loopback alone. With a master whose address is not in its name,
    such as ``yarn``, Spark finds the driver's address.

    Args:
        master: where Spark runs.
        given: the operator's Spark settings.
    """
    host = given.get(_HOST) or (_LOOPBACK if is_local(master) else route_to(master))
    return {_HOST: host, _BIND: given.get(_BIND, host)} if host else {}


def route_to(master: str) -> str:
    """This machine's address on the way to a master; empty if it is unknown.

    Connecting a datagram socket sends nothing: the kernel only chooses the route.
    """
    found = _MASTER.match(master)
    if found is None:
        return ""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            found[1].strip("[]"), int(found[2] or _ANY_PORT), type=socket.SOCK_DGRAM
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.connect(address)
            return str(probe.getsockname()[0])
    except OSError:
        return ""
