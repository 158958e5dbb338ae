"""Whom Spark's own ports answer: nobody who does not know a secret of this very session.

Spark's driver, executors and block managers hand whatever they hold to anybody who asks, unless
``spark.authenticate`` is set; plans and broadcasts among it, in which connectors' settings may be.
"""

from __future__ import annotations

import os
import re
import secrets
import uuid
from typing import TYPE_CHECKING, Any

from plugwright.errors import SetupError
from plugwright.spark._tickets import TICKET_PROPERTY

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

ALLOW_UNSECURED = "spark.plugwright.allow.unsecured.cluster"
"""Setting that lets a worker use a cluster whose ports answer anybody."""

_AUTHENTICATE = "spark.authenticate"
_SECRET = "spark.authenticate.secret"  # noqa: S105  # the name of a setting
_SOCKET = "spark.python.unix.domain.socket"
_SOCKETS = f"{_SOCKET}.enabled"
_SOCKET_NAME = f".{uuid.UUID(int=0)}.sock"  # as long as those of pyspark
_SOCKET_PATH_LIMIT = 104
"""Bytes of a path with the zero at its end: 108 on Linux, 104 on macOS (unix(7), unix(4))."""
_ENCRYPTIONS = ("spark.network.crypto.enabled", "spark.ssl.rpc.enabled")
_IN_ONE_PROCESS = re.compile(r"local(?:\[.*\])?")


def runs_in_process(master: str) -> bool:
    """Whether the driver is the only executor."""
    return _IN_ONE_PROCESS.fullmatch(master) is not None


def is_local(master: str) -> bool:
    """Whether nothing leaves this machine."""
    return runs_in_process(master) or master.startswith("local-cluster")


def network_settings(master: str) -> dict[str, str]:
    """What is set for a master unless the operator says otherwise.

    In one process Spark makes itself a secret, which is in no setting. The executors of a
    ``local-cluster`` are told one, in their environment.
    """
    # A setting of this name has Spark hide the property of that name in its event log.
    chosen = {TICKET_PROPERTY: "of each job"}
    if is_local(master):
        chosen[_AUTHENTICATE] = "true"
    if master.startswith("local-cluster"):
        chosen[_SECRET] = secrets.token_hex(32)
    return chosen


def socket_settings(master: str, scratch: Path) -> dict[str, str]:
    """Set how the JVM and its Python processes reach each other.

    A Unix domain socket asks nobody for a secret: whoever may write to its file has code run as
    the worker's user. Spark makes the file in the directory of all temporary files, with the mode
    that the umask leaves. In the scratch directory only the owner reaches it, whatever the umask
    is. Executors of a cluster do not have that directory, and a longer path than
    ``sockaddr_un.sun_path`` cannot be bound; there Spark uses TCP, where each side shows a secret.

    Args:
        master: where Spark runs.
        scratch: the session's directory, which nobody but its owner can enter.
    """
    fits = len(os.fsencode(scratch / _SOCKET_NAME)) < _SOCKET_PATH_LIMIT
    if not (is_local(master) and fits):
        return {_SOCKETS: "false"}
    return {_SOCKETS: "true", f"{_SOCKET}.dir": str(scratch)}


def require_secured(master: str, settings: Mapping[str, str]) -> None:
    """Have a cluster know its own, and encrypt what it sends, unless the operator does not want it.

    Args:
        master: where Spark runs.
        settings: all that hold.

    Raises:
        SetupError: ``spark.cluster-unsecured``.
    """
    if is_local(master) or _is_true(settings, ALLOW_UNSECURED):
        return
    lacking = [] if _is_true(settings, _AUTHENTICATE) else [f"{_AUTHENTICATE}=true"]
    if not any(_is_true(settings, name) for name in _ENCRYPTIONS):
        lacking.append(" or ".join(f"{name}=true" for name in _ENCRYPTIONS))
    if lacking:
        raise SetupError(
            f"spark.master={master} is a cluster whose ports are open: plans, settings and "
            f"records could be read by anyone on its network; expected {', and '.join(lacking)}",
            code="spark.cluster-unsecured",
            hint=f"set {', and '.join(lacking)} here and on the cluster (a standalone one shares "
            f"a {_SECRET} too), or {ALLOW_UNSECURED}=true if no one else is on its network",
            facts={"master": master, "missing": lacking},
        )


def hide_callbacks(gateway: Any) -> None:
    """Have nobody but the JVM know what the functions are called that it may call in this process.

    Streaming queries call some, over a port of loopback that asks nobody: Py4J loses the token for
    it (``PythonClient.copyWith``). It numbers the functions from 0; from here on nobody can guess.

    Args:
        gateway: Py4J's.
    """
    gateway.gateway_property.pool.next_id = secrets.randbits(128)


def _is_true(settings: Mapping[str, str], name: str) -> bool:
    return settings.get(name, "").strip().lower() == "true"
