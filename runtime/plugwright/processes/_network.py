"""Keeps the Python code of a process away from the network."""

from __future__ import annotations

import errno
import sys
from typing import Any

_ADDRESSED = frozenset({"socket.bind", "socket.connect", "socket.sendmsg", "socket.sendto"})
_LOOKED_UP = frozenset({"socket.getaddrinfo", "socket.gethostbyaddr", "socket.gethostbyname"})
_LOOPBACK = ("127.", "::1", "localhost")


def refuse_network(message: str, *, loopback: bool = False) -> None:
    """Refuse connections and lookups of this process from now on, with `OSError` (ENETUNREACH).

    Code in other languages bypasses it. `leave_network` has no such gap, but needs the system's
    permission.

    Args:
        message: of the error; ``{host}`` stands for the address.
        loopback: whether addresses of this machine are allowed.
    """

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        host = _host(event, arguments)
        if host is not None and not (loopback and host.startswith(_LOOPBACK)):
            raise OSError(errno.ENETUNREACH, message.format(host=host))

    sys.addaudithook(refuse)


def _host(event: str, arguments: tuple[Any, ...]) -> str | None:
    """The host that an audit event names, ``None`` if the event is not about a network."""
    if event in _LOOKED_UP:
        found = arguments[0]
    elif event in _ADDRESSED and isinstance(arguments[-1], tuple):
        # The address of a Unix socket is a string, and a socket pair has none.
        found = arguments[-1][0]
    else:
        return None
    return found.decode(errors="replace") if isinstance(found, bytes) else str(found or "")
