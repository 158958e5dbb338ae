"""One HTTP exchange, byte for byte as it is asked for."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from http.client import HTTPResponse
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Answer", "exchange"]

_SECONDS = 130.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back; the names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def exchange(
    url: str, method: str, target: str, headers: Mapping[str, str], body: bytes | None
) -> Answer:
    """Send a request whose target is not looked at, and read the answer to its end."""
    parts = urlsplit(url)
    assert parts.hostname is not None
    lines = {"Host": parts.netloc, "Connection": "close", **headers}
    if body is not None:
        lines.setdefault("Content-Type", "application/json")
    if body is not None or method in {"POST", "PUT", "PATCH"}:
        lines.setdefault("Content-Length", str(len(body or b"")))
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value)
    with socket.create_connection((parts.hostname, parts.port or 80), _SECONDS) as connection:
        connection.sendall(f"{method} {target} HTTP/1.1\r\n{head}\r\n".encode() + (body or b""))
        response = HTTPResponse(connection, method=method)
        response.begin()
        found = {name.lower(): value for name, value in response.getheaders()}
        return Answer(response.status, found, response.read())
