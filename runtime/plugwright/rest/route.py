"""The endpoints as data: path, handler and documentation."""

from __future__ import annotations

from dataclasses import dataclass, field
from http import HTTPStatus
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from plugwright.control_plane import BadRequestError
from plugwright.errors import ConnectError
from plugwright.rest._errors import RestError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from plugwright.rest.exchange import RestRequest, RestResponse
    from plugwright.rest.service import Service


@dataclass(frozen=True, slots=True)
class QueryParameter:
    """One query parameter of an endpoint; ``kind`` is a JSON Schema type."""

    name: str
    description: str
    kind: str = "string"
    repeatable: bool = False


@dataclass(frozen=True, slots=True)
class Route:
    """One endpoint.

    Attributes:
        path: template in which each ``{name}`` matches one segment of the path.
        answer: makes the response; may block, and may raise `ConnectError`.
        body: type of the request's body, if there is one.
        responses: description and type of the body by status.
        runs_plugins: whether plugin code may run, which may hang; such requests have slots of
            their own, so that they never block the others (apache/kafka#10834).
        missing_is_bad_request: whether `NotFoundError` means that the body names something unknown.
        internal: whether it is for workers or browsers alone, and no part of the documented API.
        timeout_s: instead of the configured one.
        timed_out: answers after the time-out, instead of the usual error.
        content_type: of the answer.
        sent_type: of the request's body.
    """

    method: str
    path: str
    answer: Callable[[Service, RestRequest], RestResponse]
    summary: str
    responses: Mapping[int, tuple[str, Any]]
    query: Sequence[QueryParameter] = ()
    body: Any = None
    runs_plugins: bool = False
    missing_is_bad_request: bool = False
    internal: bool = False
    timeout_s: float | None = None
    timed_out: Callable[[Service], RestResponse] | None = None
    content_type: str = "application/json"
    sent_type: str = "application/json"

    @property
    def segments(self) -> tuple[str, ...]:
        """The parts of the path between slashes."""
        return tuple(part for part in self.path.split("/") if part)


@dataclass(frozen=True, slots=True)
class Match:
    """The endpoint that a request means, with the parts of its path decoded."""

    route: Route
    parameters: Mapping[str, str] = field(default_factory=dict)


class RouteTable:
    """All endpoints of one listener.

    Args:
        routes: the endpoints; segments in braces match anything.

    Raises:
        ConnectError: ``rest.endpoint-taken`` if two have the same method and path.
    """

    def __init__(self, routes: Iterable[Route]) -> None:
        self.routes = tuple(routes)
        by_length: dict[int, list[tuple[tuple[str, ...], Route]]] = {}
        taken: set[tuple[str, ...]] = set()
        for route in self.routes:
            _claim(route, taken)
            by_length.setdefault(len(route.segments), []).append((route.segments, route))
        self._by_length = MappingProxyType(by_length)

    def find(self, method: str, path: str) -> Match:
        """The endpoint for a method and a path as it was sent; HEAD is found as GET.

        Slashes divide the path before it is decoded, so that names may hold ``%2F``.

        Raises:
            RestError: 404 if no endpoint has the path, 405 if none has the method on it.
            BadRequestError: if the path is not percent-encoded UTF-8.
        """
        matches = self._matches(path)
        wanted = "GET" if method == "HEAD" else method
        for match in matches:
            if match.route.method == wanted:
                return match
        if not matches:
            raise _plain_error(HTTPStatus.NOT_FOUND, "rest.no-such-endpoint")
        raise _plain_error(
            HTTPStatus.METHOD_NOT_ALLOWED, "rest.method-not-allowed", allow=_allowed(matches)
        )

    def allowed(self, path: str) -> tuple[str, ...]:
        """The methods that a path takes, HEAD and OPTIONS included.

        Raises:
            RestError: 404 if no endpoint has the path.
        """
        matches = self._matches(path)
        if not matches:
            raise _plain_error(HTTPStatus.NOT_FOUND, "rest.no-such-endpoint")
        return _allowed(matches)

    def _matches(self, path: str) -> list[Match]:
        segments = _segments(path)
        found = []
        for template, route in self._by_length.get(len(segments), ()):
            parameters = _fit(template, segments)
            if parameters is not None:
                found.append(Match(route, parameters))
        return found


def _claim(route: Route, taken: set[tuple[str, ...]]) -> None:
    shape = tuple("{}" if part.startswith("{") else part for part in route.segments)
    if (route.method, *shape) in taken:
        raise ConnectError(
            f"{route.method} {route.path} is an endpoint already",
            code="rest.endpoint-taken",
            hint="let the extension use another path",
        )
    taken.add((route.method, *shape))


def _fit(template: Sequence[str], segments: Sequence[str]) -> dict[str, str] | None:
    """The values of a template's names; other segments must be equal, as in JAX-RS."""
    parameters: dict[str, str] = {}
    for expected, found in zip(template, segments, strict=True):
        if expected.startswith("{"):
            if not found:
                return None
            parameters[expected.strip("{}")] = _decoded(found)
        elif expected != found:
            return None
    return parameters


def _segments(path: str) -> tuple[str, ...]:
    """The parts of a path without their parameters; one slash at the end does not count."""
    parts = tuple(part.partition(";")[0] for part in path.removeprefix("/").split("/"))
    return parts if parts[-1] else parts[:-1]


def _decoded(part: str) -> str:
    try:
        return unquote(part, errors="strict")
    except UnicodeDecodeError as error:
        raise BadRequestError(f"{part} is not percent-encoded UTF-8") from error


def _allowed(matches: Iterable[Match]) -> tuple[str, ...]:
    methods = {match.route.method for match in matches} | {"OPTIONS"}
    return tuple(sorted(methods | ({"HEAD"} if "GET" in methods else set())))


def _plain_error(status: HTTPStatus, code: str, **facts: object) -> RestError:
    """An error in the words of JAX-RS."""
    return RestError(status, f"HTTP {status.value} {status.phrase}", code=code, facts=facts)
