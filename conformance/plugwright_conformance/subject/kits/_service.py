"""A kit for an HTTP service with a list of JSON items."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit
from urllib.request import ProxyHandler, build_opener

from plugwright_conformance.subject.kits._endpoint import KitEndpoint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = ["HttpKit"]

_POLL_S = 0.05
_PATIENCE_S = 60
_CLOSED = "closed for maintenance"
_REVOKED = "access was revoked"


class HttpKit(KitEndpoint):
    """A service on a free port of this machine, with its items in memory.

    ``GET`` returns items, ``POST`` adds one or a list of them. The driver itself uses a secret
    path, which knows neither pages nor outages, so that a copy of it in another process can too.
    """

    def __init__(self, options: Mapping[str, Any], directory: Path) -> None:
        super().__init__(options, directory)
        self._server: _Server | None = None
        self._own = ""

    def stop(self) -> None:
        """Stop the service."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()

    def seed(self, values: Sequence[Any]) -> None:
        """Add items, also while the service refuses."""
        self._ask(list(values))

    def read_back(self) -> list[Any]:
        """Every value, in the order of arrival."""
        values: list[Any] = self._ask(None)
        return values

    def refuse(self) -> Sequence[str]:
        """Answer every request with 503; the service's words."""
        return self._refuse_with(503, _CLOSED)

    def recover(self) -> Sequence[str]:
        """Answer again."""
        return self._refuse_with(0, "")

    def deny(self) -> Sequence[str]:
        """Answer every request with 403; the service's words."""
        return self._refuse_with(403, _REVOKED)

    def _refuse_with(self, status: int, words: str) -> Sequence[str]:
        if self._server is not None:
            self._server.refusal = status, words
        return (words,) if words else ()

    def _open(self) -> Mapping[str, str]:
        self._server = _Server(_Items(self._options), self._options)
        threading.Thread(target=self._server.serve_forever, args=(_POLL_S,), daemon=True).start()
        root = f"http://127.0.0.1:{self._server.server_port}"
        self._own = root + self._server.own_path
        path = self._options.get("path", "/items")
        return {"url": root + path, "root": root, "token": self._options.get("token", "")}

    def _ask(self, values: Sequence[Any] | None) -> Any:
        """Add values, or get all of them."""
        data = None if values is None else json.dumps(values).encode()
        direct = build_opener(ProxyHandler({}))  # a proxy cannot reach this machine's loopback
        with direct.open(self._own, data, timeout=_PATIENCE_S) as answer:
            return json.loads(answer.read())


class _Items:
    """The values of a service, and how it shows them."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._values: list[Any] = []
        self._id, self._value = options.get("id", "id"), options.get("value", "")
        self._same = options.get("fields", {})

    def add(self, values: Sequence[Any]) -> None:
        self._values.extend(values)  # in one step, so no other thread sees half of them

    def values(self) -> list[Any]:
        return list(self._values)

    def shown(self) -> list[Any]:
        """The items as the service shows them, numbered from 1 if they are objects."""
        if not self._value:
            return self.values()
        numbered = enumerate(self.values(), 1)
        return [{**self._same, self._id: n, self._value: v} for n, v in numbered]

    def take(self, given: Any) -> int:
        """Add one item, or a list of them; returns how many.

        Raises:
            ValueError: if an item lacks its value; none is added.
        """
        items = given if isinstance(given, list) else [given]
        try:
            values = [item[self._value] for item in items] if self._value else items
        except (KeyError, TypeError) as error:
            raise ValueError(f"an item must be an object with {self._value}") from error
        self.add(values)
        return len(values)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, items: _Items, options: Mapping[str, Any]) -> None:
        self.items, self.options = items, options
        self.refusal = 0, ""
        self.own_path = f"/{token_urlsafe()}"
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        target = urlsplit(self.path)
        if target.path == self.server.own_path:
            self._answer(200, self.server.items.values())
        elif self._admitted(target.path):
            try:
                self._answer(200, self._page(parse_qs(target.query)))
            except ValueError as error:
                self._answer(400, {"error": str(error)})

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if self.path == self.server.own_path:
            self.server.items.add(json.loads(data))
            self._answer(201, {})
        elif self._admitted(urlsplit(self.path).path):
            try:
                self._answer(201, {"added": self.server.items.take(json.loads(data))})
            except ValueError as error:
                self._answer(400, {"error": str(error)})

    def log_message(self, *_: object) -> None:
        """Write nothing: the report has the requests that matter."""

    def _page(self, query: Mapping[str, Sequence[str]]) -> Any:
        """The items that a request asks for, at most a page of them.

        Raises:
            ValueError: if a parameter is not a whole number from 0 on.
        """
        options = self.server.options
        page = options.get("page", 100)
        first = _number(query, options.get("after", "after"), 0)
        most = min(page, _number(query, options.get("limit", "limit"), page))
        found = self.server.items.shown()[first : first + most]
        return {options["items"]: found} if options.get("items") else found

    def _admitted(self, path: str) -> bool:
        options = self.server.options
        token = options.get("token", "")
        status, words = self.server.refusal
        if status:
            self._answer(status, {"error": words})
        elif token and self.headers.get("Authorization") != f"Bearer {token}":
            self._answer(401, {"error": "the token is missing or wrong"})
        elif path != options.get("path", "/items"):
            self._answer(404, {"error": f"there is nothing at {path}"})
        else:
            return True
        return False

    def _answer(self, status: int, content: Any) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _number(query: Mapping[str, Sequence[str]], name: str, default: int) -> int:
    if name not in query:
        return default
    text = query[name][0]
    if not text.isdecimal():
        raise ValueError(f"{name} must be a whole number from 0 on, found {text!r}")
    return int(text)
