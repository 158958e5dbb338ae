"""Request targets that Kafka Connect's server refuses before any endpoint sees them."""

from __future__ import annotations

import re
from html import escape
from http import HTTPStatus
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote_to_bytes

from plugwright.rest._hosts import is_host
from plugwright.rest.exchange import RestResponse

if TYPE_CHECKING:
    from collections.abc import Sequence

_ORIGIN: Final = re.compile(r"^https?://([^/?#]*)(?=/|$)", re.IGNORECASE)
"""The prefix of a target in absolute form, as proxies receive it (RFC 9112, 3.2.2)."""
_BROKEN_ESCAPE: Final = re.compile(r"%(?![0-9A-Fa-f]{2})|%00")
_HIDDEN_DOTS: Final = re.compile(r"(?=.*%)(\.|%2e){1,2}(;.*)?|\.{1,2};.*", re.IGNORECASE)
_SUSPICIOUS: Final = re.compile(r"%([01][0-9a-f]|7f|5c)|[\x00-\x1f\x7f\\]", re.IGNORECASE)
_ILLEGAL: Final = re.compile(r'["<>\[\]^`{|}]')
"""What a path has only percent-encoded (RFC 3986, 3.3); parameters of its segments do not count."""
_MOST: Final = 8192
_SHOWN: Final = ("GET", "HEAD", "POST")


def path_of(target: str) -> str:
    """The path of a target, whether it names the server or not."""
    return _ORIGIN.sub("", target).partition("#")[0]


def refused(method: str, target: str, host: str | None) -> RestResponse | None:
    """The answer to a target that has more than one meaning or none, ``None`` for any other.

    As Jetty's default compliance for targets does, which Kafka Connect is served with: a path that
    a proxy in front may read another way gets 400 and a page, and so does one for an invalid host.

    Args:
        method: as it was sent.
        target: without its query.
        host: the header.
    """
    if len(target) > _MOST:
        return page(HTTPStatus.REQUEST_URI_TOO_LONG, "URI Too Long")
    if host is not None and not is_host(host):
        return page(HTTPStatus.BAD_REQUEST, "Bad Host")
    unreadable = _unreadable(method, target, host)
    if unreadable:
        return page(HTTPStatus.BAD_REQUEST, unreadable)
    ambiguous = None if target == "*" else _ambiguous(path_of(target).split("/")[1:])
    return None if ambiguous is None else bad_request(method, ambiguous)


def bad_request(method: str, reason: str) -> RestResponse:
    """A refusal: a page for a GET, a HEAD or a POST, no body for other methods."""
    if method in _SHOWN:
        return page(HTTPStatus.BAD_REQUEST, reason)
    return RestResponse(HTTPStatus.BAD_REQUEST)


def page(status: HTTPStatus, reason: str) -> RestResponse:
    """An error as Jetty shows it."""
    title = f"{status.value} {escape(reason)}"
    lines = (
        "<html>\n<head>",
        '<meta http-equiv="Content-Type" content="text/html;charset=ISO-8859-1"/>',
        f"<title>Error {title}</title>",
        f"</head>\n<body>\n<h2>HTTP ERROR {title}</h2>\n</body>\n</html>\n",
    )
    return RestResponse(status, "\n".join(lines).encode(), "text/html;charset=iso-8859-1")


def _unreadable(method: str, target: str, host: str | None) -> str:
    """The reason why a target is invalid; ``None`` if it is valid."""
    named = _ORIGIN.match(target)
    if named is not None and host is not None and named[1].lower() != host.lower():
        return "Authority!=Host"
    if target == "*":
        return "" if method == "OPTIONS" else "Bad URI path"
    if method == "CONNECT" or (not path_of(target).startswith(("/", "?")) and path_of(target)):
        return "Bad Request"
    return "Bad Request" if _BROKEN_ESCAPE.search(target) else ""


def _ambiguous(segments: Sequence[str]) -> str | None:
    if any(not each.partition(";")[0] for each in segments[:-1]):
        return "Ambiguous URI empty segment"
    if any(_HIDDEN_DOTS.fullmatch(each) for each in segments):
        return "Ambiguous URI path segment"
    path = "/".join(segments)
    if "%2f" in path.lower():
        return "Ambiguous URI path separator"
    if "%25" in path:
        return "Ambiguous URI path encoding"
    if character := _odd_character(path, segments):
        return character
    return None if _is_text(path) and not _is_above(segments) else "Bad URI path"


def _odd_character(path: str, segments: Sequence[str]) -> str:
    """What is wrong with a character of a path; nothing if all are as they may be."""
    if _SUSPICIOUS.search(path):
        return "Suspicious Path Character"
    illegal = any(_ILLEGAL.search(each.partition(";")[0]) for each in segments)
    return "Illegal Path Character" if illegal else ""


def _is_text(path: str) -> bool:
    try:
        unquote_to_bytes(path).decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_above(segments: Sequence[str]) -> bool:
    """Whether a path leads out of the server's root."""
    depth = 0
    for each in segments:
        depth += {".": 0, "..": -1}.get(each, 1)
        if depth < 0:
            return True
    return False
