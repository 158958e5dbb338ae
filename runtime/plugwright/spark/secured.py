"""Secures Spark's own ports with a secret per session.

Without ``spark.authenticate``, Spark's driver, executors and block managers serve their data to
anyone who connects, including plans and broadcasts, which may contain connectors' settings.
"""

from __future__ import annotations

import os
import re
import secrets
import uuid
from typing import TYPE_CHECKING, Any

from plugwright.errors import SetupError
from plugwright.spark.tickets import TICKET_PROPERTY

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

ALLOW_UNSECURED = "spark.plugwright.allow.unsecured.cluster"
"""Setting that lets a worker use a cluster with unauthenticated ports."""

_AUTHENTICATE = "spark.authenticate"
_SECRET = "spark.authenticate.secret"  # noqa: S105  # the name of a setting
_SOCKET = "spark.python.unix.domain.socket"
_SOCKETS = f"{_SOCKET}.enabled"
_SOCKET_NAME = f".{uuid.UUID(int=0)}.sock"  # the same length as pyspark's
_SOCKET_PATH_LIMIT = 104
"""Maximum length of a path with its terminating zero: 108 on Linux, 104 on macOS (unix(7))."""
_ENCRYPTIONS = ("spark.network.crypto.enabled", "spark.ssl.rpc.enabled")
_IN_ONE_PROCESS = re.compile(r"local(?:\[.*\])?")


def runs_in_process(master: str) -> bool:
    """Whether the driver is the only executor."""
    return _IN_ONE_PROCESS.fullmatch(master) is not None


def is_local(master: str) -> bool:
    """Whether all communication stays on this machine."""
    return runs_in_process(master) or master.startswith("local-cluster")


def network_settings(master: str) -> dict[str, str]:
    """The network settings of a master that the operator can override.

    In one process Spark generates a secret, which is in no setting. The executors of a
    ``local-cluster`` receive one in their environment.
    """
    # A setting of this name makes Spark redact the property of that name in its event log.
    chosen = {TICKET_PROPERTY: "of each job"}
    if is_local(master):
        chosen[_AUTHENTICATE] = "true"
    if master.startswith("local-cluster"):
        chosen[_SECRET] = secrets.token_hex(32)
    return chosen


def socket_settings(master: str, scratch: Path) -> dict[str, str]:
    """Set how the JVM and its Python processes connect.

    A Unix domain socket needs no secret: anyone who can write to its file can run code as
    the worker's user. Spark creates the file in the common temporary directory, with the mode
    that the umask leaves. In the scratch directory only the owner can reach it, whatever the umask.
    Executors of a cluster do not have that directory, and a path longer than
    ``sockaddr_un.sun_path`` cannot be bound; in both cases Spark uses TCP with a shared secret.

    Args:
        master: Spark's master.
        scratch: the session's directory, which only its owner can enter.
    """
    fits = len(os.fsencode(scratch / _SOCKET_NAME)) < _SOCKET_PATH_LIMIT
    if not (is_local(master) and fits):
        return {_SOCKETS: "false"}
    return {_SOCKETS: "true", f"{_SOCKET}.dir": str(scratch)}


def require_secured(master: str, settings: Mapping[str, str]) -> None:
    """Require authentication and encryption of a cluster, unless the operator opts out.

    Args:
        master: Spark's master.
        settings: the effective settings.

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
            f"spark.master={master} is a cluster with unsecured ports: anyone on its network could "
            f"read plans, settings and records; expected {', and '.join(lacking)}",
            code="spark.cluster-unsecured",
            hint=f"set {', and '.join(lacking)} here and on the cluster (a standalone one shares "
            f"a {_SECRET} too), or {ALLOW_UNSECURED}=true if no one else is on its network",
            facts={"master": master, "missing": lacking},
        )


def hide_callbacks(gateway: Any) -> None:
    """Randomise the ids of the functions that the JVM may call in this process.

    Streaming queries call functions over an unauthenticated loopback port: Py4J loses the token
    for it (``PythonClient.copyWith``). It numbers the functions from 0; random ids are secret.

    Args:
        gateway: Py4J's.
    """
    gateway.gateway_property.pool.next_id = secrets.randbits(128)


def _is_true(settings: Mapping[str, str], name: str) -> bool:
    return settings.get(name, "").strip().lower() == "true"
