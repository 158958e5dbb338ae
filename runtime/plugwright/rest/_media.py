"""Media types of requests and answers, as JAX-RS negotiates them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from plugwright.errors import ConnectError
from plugwright.rest._errors import RestError
from plugwright.rest._targets import bad_request
from plugwright.rest.exchange import RestResponse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.rest.exchange import RestRequest
    from plugwright.rest.route import Route

ANY_TYPE: Final = "*/*"
_JSON: Final = "application/json"
_WORD: Final = r'[^\s()<>@,;:\\"/\[\]?={}]+'
_QUOTED: Final = r'"(?:[^"\\]|\\.)*"'
_PARAMETER: Final = rf"\s*;\s*(?:{_WORD}\s*=\s*(?:{_WORD}|{_QUOTED}))?"
_TYPE: Final = re.compile(rf"\s*{_WORD}/{_WORD}(?:{_PARAMETER})*\s*")
_QUALITY: Final = re.compile(r"0|1|0?\.\d{1,3}|0\.|1\.0{0,3}")
_SENT: Final = "Content-Type"
_ACCEPTED: Final = "Accept"
_SENT_AS: Final = {_JSON: (_JSON, "*/json")}
_JSON_RANGES: Final = frozenset((_JSON, "application/*", "*/*", "*/json"))
_PLAIN: Final = "text/plain"
_PLAIN_RANGES: Final = frozenset((_PLAIN, "text/*", "*/*"))


class MediaTypeError(ConnectError):
    """A header that should name a media type does not: 400, and no body in Kafka's form.

    Args:
        header: its name.
        value: the header's value.
        shown: whether there is a page about it.
    """

    default_code = "rest.bad-media-type"

    def __init__(self, header: str, value: str, *, shown: bool = False) -> None:
        super().__init__(f"The header {header} has no media type: {value}")
        self._shown = shown

    def answer(self, method: str) -> RestResponse:
        """The response to a request with the method."""
        if self._shown:
            return bad_request(method, HTTPStatus.BAD_REQUEST.phrase)
        return RestResponse(HTTPStatus.BAD_REQUEST)


def require_readable_type(headers: Mapping[str, str]) -> None:
    """Insist that a request's type, if it has one, is one; before its endpoint is looked for.

    Raises:
        MediaTypeError: if it is none.
    """
    sent = headers.get("content-type", "")
    if sent and not _TYPE.fullmatch(sent):
        raise MediaTypeError(_SENT, sent, shown=True)


def require_type_sent(route: Route, request: RestRequest) -> None:
    """Insist on the endpoint's type of body, which is JSON, of a request that has a type or a body.

    Raises:
        RestError: 415.
    """
    sent = request.headers.get("content-type", "")
    if route.sent_type == ANY_TYPE or not (request.body or sent):
        return
    kind = sent.partition(";")[0].strip().lower()
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
    fitting = [each for each in _ranges(accepted) if each.kind in _JSON_RANGES]
    if not fitting:
        raise RestError(406, "HTTP 406 Not Acceptable", code="rest.not-acceptable")
    return ";".join([_JSON, *fitting[0].named])


def methods_answer(methods: Sequence[str], accepted: str | None) -> RestResponse:
    """The answer to OPTIONS: the methods as text, or no body in a type that the client prefers.

    Args:
        methods: what the path takes.
        accepted: the header that says what the client takes.

    Raises:
        MediaTypeError: if that names no media type.
    """
    allow = ", ".join(methods)
    ranges = _ranges(accepted) if accepted else []
    best = min(ranges, key=lambda each: (-each.quality, each.kind.count("*")), default=None)
    if best is None or best.kind in _PLAIN_RANGES:
        return RestResponse(200, allow.encode(), _PLAIN, {"allow": allow})
    return RestResponse(200, b"", ";".join([best.kind, *best.parameters]), {"allow": allow})


@dataclass(frozen=True, slots=True)
class _Range:
    """Types that a client takes.

    Attributes:
        kind: such as ``text/*``, in lower case.
        parameters: as they were sent, in lower case.
        quality: how welcome they are, from 0 to 1.
    """

    kind: str
    parameters: Sequence[str]
    quality: float

    @property
    def named(self) -> list[str]:
        """The parameters but those that say how welcome it is."""
        return [each for each in self.parameters if not each.startswith(("q=", "qs="))]


def _ranges(accepted: str) -> list[_Range]:
    """What a client takes.

    Raises:
        MediaTypeError: if something in it is no range of types, or not so welcome as a number says.
    """
    ranges = [_range(part, accepted) for part in accepted.split(",") if part.strip()]
    if not ranges:
        raise MediaTypeError(_ACCEPTED, accepted)
    return ranges


def _range(part: str, accepted: str) -> _Range:
    kind, *parameters = (each.strip().lower() for each in part.split(";"))
    if kind.count("/") > 1:
        raise MediaTypeError(_ACCEPTED, accepted)
    parameters = [each for each in parameters if each]
    quality = next((each[2:] for each in parameters if each.startswith("q=")), "1")
    if not _QUALITY.fullmatch(quality):
        raise MediaTypeError(_ACCEPTED, accepted, shown=any(map(str.isdigit, quality)))
    return _Range(kind if "/" in kind else f"{kind}/*", parameters, float(quality))
