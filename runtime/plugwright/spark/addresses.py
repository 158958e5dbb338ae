"""The addresses at which executors reach the driver, and the driver reaches the master."""

from __future__ import annotations

import re
import socket
from contextlib import suppress
from typing import TYPE_CHECKING

from plugwright.errors import SetupError
from plugwright.retry import retried
from plugwright.spark.secured import is_local

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

CONTROL_PORT = "spark.plugwright.control.port"
"""Setting for the port at which tasks reach the worker; 0 for any free one."""

_HOST = "spark.driver.host"
_BIND = "spark.driver.bindAddress"
_LOOPBACK = "127.0.0.1"
_MASTER = re.compile(r"(?:spark|k8s)://(?:https?://)?(\[[^]]+\]|[^:/,]+)(?::(\d+))?")
_ADDRESS = re.compile(r"(\[[^]]+\]|[^:\[\]]+):(\d+)")
_ANY_PORT = 7077
_STANDALONE = "spark://"
_MASTER_S = 20.0
_ATTEMPT_S = 5.0
_PAUSE_S = 1.0


def driver_address(master: str, given: Mapping[str, str]) -> str:
    """The address at which executors reach this machine; empty if only Spark knows it.

    Args:
        master: where Spark runs.
        given: the operator's Spark settings.
    """
    return given.get(_HOST) or (_LOOPBACK if is_local(master) else route_to(master))


def driver_addresses(master: str, given: Mapping[str, str]) -> dict[str, str]:
    """Settings for the driver's address: what the operator set, else how the master reaches it.

    A local master is reached by loopback alone. With a master whose address is not in its name,
    such as ``yarn``, Spark finds the driver's address.

    Args:
        master: where Spark runs.
        given: the operator's Spark settings.
    """
    host = driver_address(master, given)
    return {_HOST: host, _BIND: given.get(_BIND, host)} if host else {}


def require_master(master: str, within_s: float = _MASTER_S) -> None:
    """Require that a standalone master listens; of several masters, one of them.

    Spark itself gives up after a minute, with a stack of the JVM.

    Args:
        master: where Spark runs; those without an address in their name are not asked.
        within_s: how long to try, because the master may be starting, too.

    Raises:
        SetupError: ``spark.master-unreachable`` if none does.
    """
    if not master.startswith(_STANDALONE):
        return
    found = [_ADDRESS.fullmatch(each) for each in master.removeprefix(_STANDALONE).split(",")]
    addresses = [(each[1].strip("[]"), int(each[2])) for each in found if each is not None]
    if len(addresses) < len(found):
        raise _no_master(master, "it is not spark://HOST:PORT[,HOST:PORT...]")
    try:
        retried(
            lambda: _connect_to_any(addresses), _is_refusal, within_s=within_s, pause_s=_PAUSE_S
        )
    except OSError as error:
        raise _no_master(master, str(error)) from error


def _connect_to_any(addresses: Sequence[tuple[str, int]]) -> None:
    *others, last = addresses
    for address in others:
        with suppress(OSError), socket.create_connection(address, _ATTEMPT_S):
            return
    socket.create_connection(last, _ATTEMPT_S).close()


def _is_refusal(error: Exception) -> bool:
    return isinstance(error, OSError)


def _no_master(master: str, reason: str) -> SetupError:
    return SetupError(
        f"no Spark master answers at {master}: {reason}",
        code="spark.master-unreachable",
        hint="start the master, or correct spark.master",
        facts={"master": master},
    )


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
