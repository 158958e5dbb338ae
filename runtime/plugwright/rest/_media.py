"""Media types of requests and answers, as JAX-RS negotiates them."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from plugwright.errors import ConnectError
from plugwright.rest._errors import RestError
from plugwright.rest._targets import page
from plugwright.rest.exchange import RestResponse

if TYPE_CHECKING:
    from plugwright.rest.exchange import RestRequest
    from plugwright.rest.route import Route

_JSON: Final = "application/json"
_TYPE: Final = re.compile(r"[^/]+/[^/]+")
_SENT: Final = "Content-Type"
_SENT_AS: Final = {_JSON: (_JSON, "*/json")}
_JSON_RANGES: Final = frozenset((_JSON, "application/*", "*/*", "*/json"))


class MediaTypeError(ConnectError):
    """A header that should name a media type does not: 400, and no body in Kafka's form.

    Args:
        header: its name.
        value: what it says.
    """

    default_code = "rest.bad-media-type"

    def __init__(self, header: str, value: str) -> None:
        super().__init__(f"The header {header} has no media type: {value}")
        self._header = header

    def answer(self, method: str) -> RestResponse:
        """The response: a page for a POST without a media type, nothing otherwise."""
        if self._header == _SENT and method == "POST":
            return page(HTTPStatus.BAD_REQUEST, HTTPStatus.BAD_REQUEST.phrase)
        return RestResponse(HTTPStatus.BAD_REQUEST)


def require_type_sent(route: Route, request: RestRequest) -> None:
    """Insist on the endpoint's type of body, which is JSON, of a request that changes something.

    Raises:
        RestError: 415.
        MediaTypeError: if it is said to be nothing that there is.
    """
    sent = request.headers.get("content-type", "")
    if not request.body and (not sent or request.method == "GET"):
        return
    kind = sent.partition(";")[0].strip().lower()
    if sent and not _TYPE.fullmatch(kind):
        raise MediaTypeError(_SENT, sent)
    if kind not in _SENT_AS.get(route.sent_type, (route.sent_type,)):
        message = "HTTP 415 Unsupported Media Type"
        hint = f"send {route.sent_type}"
        raise RestError(415, message, code="rest.unsupported-media-type", hint=hint)


def accepted_type(route: Route, request: RestRequest) -> str:
    """The type of the answer: the endpoint's, with the parameters that the client asks for.

    Raises:
        RestError: 406 if the client takes no such answer.
        MediaTypeError: if it names no media type.
    """
    accepted = request.headers.get("accept")
    if not accepted or route.content_type != _JSON:
        return route.content_type
    ranges = [_range(part, accepted) for part in accepted.split(",") if part.strip()]
    if not ranges:
        raise MediaTypeError("Accept", accepted)
    fitting = [each for each in ranges if each[0] in _JSON_RANGES]
    if not fitting:
        raise RestError(406, "HTTP 406 Not Acceptable", code="rest.not-acceptable")
    return ";".join([_JSON, *fitting[0][1]])


def _range(part: str, accepted: str) -> tuple[str, list[str]]:
    """A range of types, and its parameters but those that say how welcome it is."""
    kind, *parameters = (each.strip().lower() for each in part.split(";"))
    if kind.count("/") > 1:
        raise MediaTypeError("Accept", accepted)
    named = [each for each in parameters if each and not each.startswith(("q=", "qs="))]
    return kind if "/" in kind else f"{kind}/*", named
