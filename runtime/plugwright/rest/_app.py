"""The API as an ASGI application: parses requests, calls endpoints, and sends responses."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs, quote

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from plugwright.control_plane import BadRequestError
from plugwright.errors import ConnectError
from plugwright.rest._calls import called
from plugwright.rest._cross_origin import PREFLIGHT, cross_origin
from plugwright.rest._errors import RestError
from plugwright.rest._media import (
    MediaTypeError,
    accepted_type,
    methods_answer,
    require_readable_type,
    require_type_sent,
)
from plugwright.rest._slots import CallSlots
from plugwright.rest._stage import described
from plugwright.rest._targets import path_of, refused
from plugwright.rest.exchange import JSON, RestRequest, RestResponse
from plugwright.rest.failures import failure
from plugwright.rest.header_rules import apply_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from plugwright.rest._settings import RestSettings
    from plugwright.rest.header_rules import HeaderRule
    from plugwright.rest.route import Match, RouteTable
    from plugwright.rest.service import Service

log = logging.getLogger("plugwright.rest")

_CALLS: Final = 64
_PLUGIN_CALLS: Final = 16
_DRAINED: Final = 4
"""How many times the maximum body size is read and dropped, so that the client sees the 413."""


def application(
    service: Service,
    table: RouteTable,
    filters: Sequence[Callable[[RestRequest], RestResponse | None]] = (),
) -> ASGIApp:
    """The API, wrapped with the operator's headers and CORS rules.

    Args:
        service: the components that the endpoints use.
        table: the endpoints.
        filters: those of extensions; they see every request first.
    """
    app: ASGIApp = _Endpoint(service, table, filters)
    settings = service.settings
    if settings.allowed_origins:
        app = cross_origin(app, settings)
    return _with_headers(app, settings.header_rules) if settings.header_rules else app


def _with_headers(app: ASGIApp, rules: Sequence[HeaderRule]) -> ASGIApp:
    async def with_headers(scope: Scope, receive: Receive, send: Send) -> None:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = apply_rules(rules, list(message.get("headers", ())))
                message = {**message, "headers": headers}
            await send(message)

        await app(scope, receive, sending)

    return with_headers


class _Endpoint:
    """Handles every request; always responds in Kafka's form."""

    def __init__(
        self,
        service: Service,
        table: RouteTable,
        filters: Sequence[Callable[[RestRequest], RestResponse | None]],
    ) -> None:
        self._service = service
        self._table = table
        self._filters = filters
        self._calls = CallSlots(_CALLS, "rest")
        self._plugin_calls = CallSlots(_PLUGIN_CALLS, "rest-plugins")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        incoming = Request(scope, receive)
        match: Match | None = None
        try:
            request = _head(incoming)
            answer = refused(incoming.method, _target(incoming), incoming.headers.get("host"))
            if answer is None and PREFLIGHT not in scope:
                answer = await self._filtered(request)
            if answer is None:
                require_readable_type(request.headers)
                answer = self._without_route(incoming.method, request)
            if answer is None:
                match = self._table.find(incoming.method, request.path)
                answer = await self._answered(incoming, request, match)
        except ClientDisconnect:
            return
        except MediaTypeError as error:
            answer = error.answer(incoming.method)
        except Exception as error:  # noqa: BLE001  # every error becomes an answer
            answer = failure(error, match.route if match else None)
        log.debug("%s %s: %d", incoming.method, incoming.scope.get("raw_path"), answer.status)
        answer = _located(answer, incoming)
        await _outgoing(answer, head=incoming.method == "HEAD")(scope, receive, send)

    async def _filtered(self, request: RestRequest) -> RestResponse | None:
        """The response of the first filter that does not let the request pass."""
        if not self._filters:
            return None

        def examine() -> RestResponse | None:
            answers = (examine(request) for examine in self._filters)
            return next((answer for answer in answers if answer is not None), None)

        try:
            async with asyncio.timeout(self._service.settings.request_timeout_s):
                return await self._calls.run(examine)
        except TimeoutError:
            return _timed_out(self._service)

    def _without_route(self, method: str, request: RestRequest) -> RestResponse | None:
        """The answer to what no endpoint has to do with."""
        if request.path == "*":
            return RestResponse(HTTPStatus.NOT_FOUND)
        if method == "OPTIONS":
            allowed = self._table.allowed(request.path)
            return methods_answer(allowed, request.headers.get("accept"))
        return None

    async def _answered(
        self, incoming: Request, request: RestRequest, match: Match
    ) -> RestResponse:
        route, settings = match.route, self._service.settings
        body = await _body(incoming, settings)
        request = replace(request, body=body, parameters=match.parameters)
        require_type_sent(route, request)
        kind = accepted_type(route, request)
        slots = self._plugin_calls if route.runs_plugins else self._calls
        try:
            async with asyncio.timeout(route.timeout_s or settings.request_timeout_s):
                answer = await slots.run(lambda: called(self._service, route, request))
        except TimeoutError:
            return (route.timed_out or _timed_out)(self._service)
        except ConnectError as error:
            answer = failure(error, route)
        return answer if answer.content_type != JSON else replace(answer, content_type=kind)


def _timed_out(service: Service) -> RestResponse:
    """Kafka's 500 for a request that timed out, with the herder's current stage."""
    message = ". ".join(["Request timed out", *described(service.herder.stage())])
    return failure(
        RestError(HTTPStatus.INTERNAL_SERVER_ERROR, message, code="rest.request-timed-out")
    )


def _head(incoming: Request) -> RestRequest:
    """The request without its body; the path is raw, if the server keeps it."""
    query = incoming.scope.get("query_string", b"").decode("latin-1")
    try:
        parsed = parse_qs(query, keep_blank_values=True, max_num_fields=1000)
    except ValueError as error:
        raise BadRequestError(f"The query cannot be read: {error}") from error
    method = "GET" if incoming.method == "HEAD" else incoming.method
    path = path_of(_target(incoming))
    return RestRequest(method, path, parsed, dict(incoming.headers.items()))


def _target(incoming: Request) -> str:
    """The raw path, without the query."""
    raw = incoming.scope.get("raw_path")
    return raw.decode("latin-1") if raw else quote(incoming.scope["path"])


async def _body(incoming: Request, settings: RestSettings) -> bytes:
    """The request's body.

    Raises:
        RestError: 413 if it is too large, 408 if it does not arrive in time.
    """
    limit, chunks, size = settings.request_max_bytes, list[bytes](), 0
    try:
        async with asyncio.timeout(settings.request_timeout_s):
            async for chunk in incoming.stream():
                size += len(chunk)
                if size <= limit:
                    chunks.append(chunk)
                elif size > limit * _DRAINED:
                    break
    except TimeoutError as error:
        raise RestError(
            HTTPStatus.REQUEST_TIMEOUT,
            "The request body did not arrive in time",
            code="rest.body-timed-out",
        ) from error
    if size > limit:
        raise RestError(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            f"The request body is larger than {limit} bytes",
            code="rest.body-too-large",
            hint="send less, or raise rest.request.max.bytes on the worker",
        )
    return b"".join(chunks)


def _located(answer: RestResponse, incoming: Request) -> RestResponse:
    """Make the Location of a created resource absolute, as JAX-RS does."""
    location, host = answer.headers.get("location", ""), incoming.headers.get("host")
    if not location.startswith("/") or not host:
        return answer
    whole = f"{incoming.scope.get('scheme', 'http')}://{host}{location}"
    return replace(answer, headers={**answer.headers, "location": whole})


def _outgoing(answer: RestResponse, *, head: bool) -> Response:
    headers: dict[str, Any] = dict(answer.headers)
    if answer.content_type is not None:
        headers["content-type"] = answer.content_type
    if not head:
        return Response(answer.body, answer.status, headers)
    if answer.body:
        headers["content-length"] = str(len(answer.body))
    return Response(None, answer.status, headers)
