"""uvicorn's HTTP/1.1 connection, strict where others may read a request another way (RFC 9112)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    import asyncio

    from uvicorn.protocols.http.h11_impl import RequestResponseCycle

_BARE_LINE_FEED: Final = re.compile(rb"(?<!\r)\n")
_FOLDED: Final = re.compile(rb"\r\n[ \t]")
_VERSION: Final = re.compile(rb"[^\r\n]* HTTP/1\.[01]\r\n")
_FRAMING: Final = re.compile(rb"\r\n(content-length|transfer-encoding):", re.IGNORECASE)
_END: Final = b"\r\n\r\n"


def strict_http(idle_timeout_s: float) -> type[asyncio.Protocol]:
    """Create a protocol factory for the connections of a server, for ``uvicorn.Config(http=…)``.

    Args:
        idle_timeout_s: time that a client may take from connecting, and from the end of a response,
            until all of its next request's header has come.
    """
    return type("StrictHttp", (_StrictProtocol,), {"idle_timeout_s": idle_timeout_s})


class _StrictProtocol(H11Protocol):
    """Refuses what h11 repairs, and closes connections that do not come to the point.

    h11 takes folded lines, bare line feeds, any version, and a length beside an encoding: a proxy
    in front that reads such a request another way would see other requests than we do. uvicorn's
    other parser refuses these, but takes headers without bound and loses the body of a request that
    offers ``Upgrade: h2c``, as Java's own client does.
    """

    idle_timeout_s: ClassVar[float]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._idle: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count from here."""
        super().connection_made(transport)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Count no more."""
        self._unwatch()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Accept received data, unless it begins with a header that is rejected."""
        if self._is_between_requests() and _is_refused(self.conn.trailing_data[0]):
            self._unwatch()
            self.send_400_response("Invalid HTTP request received.")
            return
        super().handle_events()
        if self._is_working() or self.transport.is_closing():
            self._unwatch()
        elif self._idle is None:
            self._watch()

    def on_response_complete(self) -> None:
        """Restart the idle timer, even if part of this request's body is unread."""
        super().on_response_complete()
        if not (self._is_working() or self.transport.is_closing()):
            self._watch()

    def _is_between_requests(self) -> bool:
        return self.conn.their_state is h11.IDLE

    def _is_working(self) -> bool:
        """Whether a request is in progress, whose duration is not the client's fault."""
        cycle: RequestResponseCycle | None = self.cycle  # None before the first request
        return cycle is not None and not cycle.response_complete

    def _watch(self) -> None:
        self._unwatch()
        self._idle = self.loop.call_later(self.idle_timeout_s, self.timeout_keep_alive_handler)

    def _unwatch(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None


def _is_refused(received: bytes) -> bool:
    """Whether a header, possibly incomplete, is ambiguous."""
    head, end, _ = received.partition(_END)
    if _BARE_LINE_FEED.search(head) or (not end and received.endswith(b"\n\n")):
        return True
    if not end:
        return False
    head += end
    return _VERSION.match(head) is None or _FOLDED.search(head) is not None or _is_ambiguous(head)


def _is_ambiguous(head: bytes) -> bool:
    """Whether a body has both an encoding and a length, or an encoding in HTTP/1.0."""
    framing = {each.lower() for each in _FRAMING.findall(head)}
    line = head.partition(b"\r\n")[0]
    return b"transfer-encoding" in framing and (len(framing) > 1 or line.endswith(b"1.0"))
