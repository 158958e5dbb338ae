"""Finds free ports of this machine's addresses."""

from __future__ import annotations

import errno
import random
import socket
from contextlib import ExitStack, suppress
from pathlib import Path

from plugwright.errors import SetupError

LOOPBACK = "127.0.0.1"

_EPHEMERAL = Path("/proc/sys/net/ipv4/ip_local_port_range")
_FIRST = 10_000
"""Below are the ports of well-known services."""
_FEWEST = 1_000
"""Ports to choose from; of fewer, too many may be taken."""
_TRIES = 100


def free_ports(count: int, host: str = LOOPBACK) -> tuple[int, ...]:
    """Different ports that are currently free; another process may take one at any time.

    On Linux they are below the ephemeral ports, so that no outgoing connection takes the port of a
    server while it restarts.

    Args:
        count: how many.
        host: the address of this machine that they are free on.
    """
    with ExitStack() as held:
        sockets = [held.enter_context(_free_listener(host)) for _ in range(count)]
        return tuple(int(listener.getsockname()[1]) for listener in sockets)


def require_own_address(host: str) -> None:
    """Check that this machine can listen at an address.

    Raises:
        SetupError: ``environment.not-our-address``.
    """
    try:
        _listener(0, host).close()
    except OSError as error:
        raise SetupError(
            f"no broker can be started at {host}: {error.strerror or error}",
            code="environment.not-our-address",
            hint="name a running broker with --bootstrap-servers, which executors reach",
            facts={"host": host},
        ) from error


def require_free(port: int, host: str = LOOPBACK) -> None:
    """Check that a requested port is free.

    Raises:
        SetupError: ``environment.port-in-use``.
    """
    try:
        _listener(port, host).close()
    except OSError as error:
        if error.errno not in (errno.EADDRINUSE, errno.EACCES):
            raise
        raise port_in_use(port, error.strerror or str(error), host) from error


def port_in_use(port: int, reason: str, host: str = LOOPBACK) -> SetupError:
    """The error for a requested port that is not free."""
    return SetupError(
        f"port {port} on {host} cannot be used for the broker: {reason}",
        code="environment.port-in-use",
        hint="stop the process that listens there, or omit the port to use a free one",
        facts={"port": port, "reason": reason},
    )


def first_ephemeral(file: Path = _EPHEMERAL) -> int:
    """The first ephemeral port; 0 if the system does not report it."""
    try:
        return int(file.read_text("ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return 0


def _free_listener(host: str) -> socket.socket:
    end = first_ephemeral()
    if end >= _FIRST + _FEWEST:
        for port in random.sample(range(_FIRST, end), _TRIES):
            with suppress(OSError):
                return _listener(port, host)
    return _listener(0, host)


def _listener(port: int, host: str) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        # As in Java, a port that only lingers after a closed connection is free.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(1)
    except BaseException:
        listener.close()
        raise
    return listener
