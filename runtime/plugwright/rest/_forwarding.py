"""Forwards requests to the worker that has to answer them, over at most two hops."""

from __future__ import annotations

import logging
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import TYPE_CHECKING, Final
from urllib.parse import SplitResult, urlencode, urlsplit

from plugwright.rest._errors import RestError
from plugwright.rest.exchange import RestResponse
from plugwright.rest.failures import ERROR_CODE_HEADER
from plugwright.rest.tls import client_context

if TYPE_CHECKING:
    from plugwright.control_plane import RequestTargetError
    from plugwright.rest._settings import RestSettings
    from plugwright.rest.exchange import RestRequest

log = logging.getLogger("plugwright.rest")

_SENT: Final = ("accept", "authorization", "content-type")
_RETURNED: Final = ("allow", "location", ERROR_CODE_HEADER)
_NO_LEADER: Final = (
    "Cannot complete request momentarily due to no known leader URL, "
    "likely because a rebalance was underway."
)
_TOO_MANY_HOPS: Final = (
    "Cannot complete request because of a conflicting operation (e.g. worker rebalance)"
)


def forward(
    request: RestRequest, target: RequestTargetError, settings: RestSettings
) -> RestResponse:
    """Forward a request and return the other worker's response.

    A request without the parameter ``forward`` goes on with ``forward=true``, one with that goes on
    with ``forward=false``, and one with that goes no further: two hops, as in Kafka.

    Raises:
        RestError: 409 if the target is unknown, or after two hops; 500 if the worker cannot be
            reached or redirects.
    """
    hop = request.option("forward")
    if hop is not None and hop.lower() != "true":
        log.error("%s %s found no worker within two hops", request.method, request.path)
        raise RestError(HTTPStatus.CONFLICT, _TOO_MANY_HOPS, code="rest.too-many-hops")
    if target.forward_url is None:
        raise RestError(HTTPStatus.CONFLICT, _NO_LEADER, code="rest.no-known-leader")
    url = urlsplit(target.forward_url)
    query = {**request.query, "forward": ["true" if hop is None else "false"]}
    path = f"{url.path.rstrip('/')}{request.path}?{urlencode(query, doseq=True)}"
    log.debug("forwarding %s %s to %s", request.method, path, url.netloc)
    try:
        return _sent(request, _connection(url, settings), path)
    except (OSError, HTTPException) as error:
        message = f"IO Error trying to forward REST request: {error}"
        raise RestError(
            HTTPStatus.INTERNAL_SERVER_ERROR, message, code="rest.forward-failed"
        ) from error


def _connection(url: SplitResult, settings: RestSettings) -> HTTPConnection:
    host, timeout = url.hostname or "", settings.request_timeout_s
    if url.scheme == "https":
        context = client_context(settings.tls)
        return HTTPSConnection(host, url.port, timeout=timeout, context=context)
    return HTTPConnection(host, url.port, timeout=timeout)


def _sent(request: RestRequest, connection: HTTPConnection, path: str) -> RestResponse:
    headers = {name: request.headers[name] for name in _SENT if name in request.headers}
    try:
        connection.request(request.method, path, request.body or None, headers)
        with connection.getresponse() as response:
            return _answer(response)
    finally:
        connection.close()


def _answer(response: HTTPResponse) -> RestResponse:
    if HTTPStatus.MULTIPLE_CHOICES <= response.status < HTTPStatus.BAD_REQUEST:
        raise RestError(
            HTTPStatus.INTERNAL_SERVER_ERROR,
            f"Unexpected status code when handling forwarded request: {response.status}",
            code="rest.forward-failed",
        )
    headers = {name: value for name in _RETURNED if (value := response.headers.get(name))}
    if "location" in headers:
        headers["location"] = urlsplit(headers["location"]).path  # of the worker that was asked
    return RestResponse(
        response.status, response.read(), response.headers.get("content-type"), headers
    )
