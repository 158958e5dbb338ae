"""HTTP requests of a task, one of which is answered by a busy service.

The request is answered in place of the service, which never hears of it. Requests are seen that go
through ``http.client``, as those of ``urllib``, urllib3 and requests do.
"""

from __future__ import annotations

import http.client
import socket
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@dataclass(frozen=True, slots=True)
class BusyAnswer:
    """An answer that asks the client to come again.

    Attributes:
        request: number of the request that gets it, from 0; ``None`` for none.
        status: 503 (RFC 9110, section 15.6.4) or 429 (RFC 6585, section 4).
    """

    request: int | None = None
    status: int = 503

    @property
    def content(self) -> bytes:
        """The answer, with a second to wait and the end of the connection."""
        reason = http.client.responses[self.status]
        fields = "Retry-After: 1\r\nContent-Length: 0\r\nConnection: close"
        return f"HTTP/1.1 {self.status} {reason}\r\n{fields}\r\n\r\n".encode()


class HttpRequest(NamedTuple):
    """A request that a task has made.

    Attributes:
        method: such as ``GET``.
        phase: the method of the task that was running.
        limit_s: seconds after which the client gives up waiting; ``None`` if it never does.
    """

    method: str
    phase: str
    limit_s: float | None


class HttpRequests:
    """Numbers the HTTP requests of a task.

    Args:
        busy: the answer that replaces the service's.
        phase: returns the task's running method.

    Attributes:
        made: the requests, in order.
    """

    def __init__(self, busy: BusyAnswer, phase: Callable[[], str]) -> None:
        self.made: list[HttpRequest] = []
        self._busy, self._phase = busy, phase

    @contextmanager
    def watched(self) -> Iterator[None]:
        """See the requests of this process."""
        real = http.client.HTTPConnection.putrequest

        def putrequest(connection: Any, method: str, url: str, *more: Any, **named: Any) -> None:
            number = len(self.made)
            self.made.append(HttpRequest(method, self._phase(), _limit_s(connection)))
            if number == self._busy.request:
                # Not the method of a subclass, which may forget that a request has begun.
                http.client.HTTPConnection.close(connection)
                connection.sock = _BusyService(self._busy.content)
            real(connection, method, url, *more, **named)

        http.client.HTTPConnection.putrequest = putrequest  # type: ignore[assignment, method-assign]
        try:
            yield
        finally:
            http.client.HTTPConnection.putrequest = real  # type: ignore[method-assign]


def _limit_s(connection: Any) -> float | None:
    """How long a connection waits, by its socket, or as it will be opened."""
    if connection.sock is not None:
        limit: float | None = connection.sock.gettimeout()
        return limit
    given = connection.timeout
    return given if isinstance(given, int | float | None) else socket.getdefaulttimeout()


class _BusyService(socket.socket):
    """The end of a connection to a service that reads nothing and has answered already."""

    def __init__(self, answer: bytes) -> None:
        mine, service = socket.socketpair()
        with service:
            service.sendall(answer)
        super().__init__(fileno=mine.detach())

    def send(self, data: Any, flags: int = 0) -> int:  # noqa: ARG002  # the signature of sockets
        return memoryview(data).nbytes

    def sendall(self, data: Any, flags: int = 0) -> None:
        """Take everything."""
