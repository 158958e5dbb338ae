"""The REST API as the console calls it: the endpoints themselves, without a connection."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from plugwright.rest.exchange import RestRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.rest.exchange import RestResponse
    from plugwright.rest.service import Service


class PageError(Exception):
    """A page that cannot be shown or a change that was refused; becomes a page itself.

    Args:
        status: of the answer.
        message: for the operator.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class ConsoleApi:
    """Every endpoint of the REST API, on behalf of one request for a page.

    Args:
        call: answers a request as the API does, errors included.
        service: of the worker.
        request: the page's; its credentials go on where another worker has to answer.
    """

    def __init__(
        self,
        call: Callable[[Service, RestRequest], RestResponse],
        service: Service,
        request: RestRequest,
    ) -> None:
        self._call = call
        self._credentials = {
            name: value for name, value in request.headers.items() if name == "authorization"
        }
        self.service = service

    def get(self, *path: str, query: Mapping[str, Sequence[str]] | None = None) -> Any:
        """The value of a ``GET`` request.

        Args:
            path: the parts of the path, not encoded.
            query: parameters.

        Raises:
            PageError: with the API's status and message.
        """
        return self.send("GET", *path, query=query)

    def send(
        self,
        method: str,
        *path: str,
        body: object = None,
        query: Mapping[str, Sequence[str]] | None = None,
    ) -> Any:
        """The value in the answer, ``None`` if it has no body.

        Args:
            method: as of the endpoint.
            path: the parts of the path, not encoded.
            body: a value for JSON, or JSON as it was typed.
            query: parameters.

        Raises:
            PageError: with the API's status and message.
        """
        target = "/" + "/".join(quote(part, safe="") for part in path)
        content = _encoded(body)
        typed = {"content-type": "application/json"} if content else {}
        headers = {**self._credentials, **typed}
        answer = self._call(
            self.service, RestRequest(method, target, query or {}, headers, content)
        )
        value = json.loads(answer.body) if answer.body else None
        if answer.status >= HTTPStatus.BAD_REQUEST:
            raise PageError(answer.status, value["message"] if value else "The request failed")
        return value


def _encoded(body: object) -> bytes:
    if isinstance(body, bytes):
        return body
    return b"" if body is None else json.dumps(body).encode()
