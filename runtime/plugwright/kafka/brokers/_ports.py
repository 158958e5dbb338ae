"""Finds free loopback ports."""

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


def free_ports(count: int) -> tuple[int, ...]:
    """Different ports that are currently free; another process may take one at any time.

    On Linux they are below the ephemeral ports, so that no outgoing connection takes the port of a
    server while it restarts.
    """
    with ExitStack() as held:
        sockets = [held.enter_context(_free_listener()) for _ in range(count)]
        return tuple(int(listener.getsockname()[1]) for listener in sockets)


def require_free(port: int) -> None:
    """Check that a requested port is free.

    Raises:
        SetupError: ``environment.port-in-use``.
    """
    try:
        _listener(port).close()
    except OSError as error:
        if error.errno not in (errno.EADDRINUSE, errno.EACCES):
            raise
        raise port_in_use(port, error.strerror or str(error)) from error


def port_in_use(port: int, reason: str) -> SetupError:
    """The error for a requested port that is not free."""
    return SetupError(
        f"port {port} on {LOOPBACK} cannot be used for the broker: {reason}",
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


def _free_listener() -> socket.socket:
    end = first_ephemeral()
    if end >= _FIRST + _FEWEST:
        for port in random.sample(range(_FIRST, end), _TRIES):
            with suppress(OSError):
                return _listener(port)
    return _listener(0)


def _listener(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        # As in Java, a port that only lingers after a closed connection is free.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((LOOPBACK, port))
        listener.listen(1)
    except BaseException:
        listener.close()
        raise
    return listener
