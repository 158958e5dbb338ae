"""Pages of other origins: which may read responses, and the response to a preflight request."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from starlette.datastructures import Headers, MutableHeaders

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from plugwright.rest._settings import RestSettings

PREFLIGHT: Final = "plugwright.preflight"
"""Marks a request that a browser sends ahead, without credentials: no filter has a say in it."""

_METHODS: Final = ("GET", "POST", "HEAD")
_HEADERS: Final = "Content-Type"
_MAX_AGE_S: Final = "60"


def cross_origin(app: ASGIApp, settings: RestSettings) -> ASGIApp:
    """Kafka's ``access.control.*`` around an application.

    Like Jetty's handler in Kafka Connect: every request is answered, and the response names an
    allowed origin; no page may use a visitor's credentials. Case does not matter, and
    of several origins with a space between them one has to be named.
    """
    origins = "|".join(re.escape(each).replace(r"\*", ".*") for each in settings.allowed_origins)
    allowed = re.compile(origins, re.IGNORECASE | re.ASCII)
    methods = ", ".join(settings.allowed_methods or _METHODS)

    async def with_origin(scope: Scope, receive: Receive, send: Send) -> None:
        sent = Headers(scope=scope) if scope["type"] == "http" else Headers()
        origin = sent.get("origin", "")
        named = any(allowed.fullmatch(each) for each in origin.split(" "))
        asks_first = scope.get("method") == "OPTIONS" and "access-control-request-method" in sent
        if asks_first and named:
            scope = {**scope, PREFLIGHT: True}

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.append("vary", "Origin")
                if named:
                    headers.update(_response_headers(origin, methods, asks_first=asks_first))
            await send(message)

        await app(scope, receive, sending)

    return with_origin


def _response_headers(origin: str, methods: str, *, asks_first: bool) -> dict[str, str]:
    headers = {"access-control-allow-origin": origin}
    if asks_first:
        headers["access-control-allow-methods"] = methods
        headers["access-control-allow-headers"] = _HEADERS
        headers["access-control-max-age"] = _MAX_AGE_S
    return headers
