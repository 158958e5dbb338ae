"""Sinks of rows that are posted to a service, and what they make of its answers."""

from __future__ import annotations

import http.client
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from plugwright import ConnectError, RetriableError
from plugwright_conformance.reference.rows.codec import directory_of
from plugwright_conformance.reference.rows.sink import RowsSinkTask
from plugwright_conformance.reference.rows.testing import RowsEndpoint

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["GivesUpTask", "IgnoresStatusTask", "PostsTask", "RowsService", "WaitsForEverTask"]

_CREATED = 201
_BUSY = {429, 502, 503, 504}
_PORT = "port"


class RowsService(RowsEndpoint):
    """A service that appends posted lines to the first table.

    It is no endpoint kit, because a location cannot import the suite.
    """

    def start(self) -> Mapping[str, str]:
        """Start it, on a free port that it writes into a file."""
        settings = super().start()
        table = self._directory / "table0.jsonl"
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(table))
        self._server.daemon_threads = True
        (self._directory.parent / _PORT).write_text(str(self._server.server_port))
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return settings

    def stop(self) -> None:
        """Stop it."""
        self._server.shutdown()
        self._server.server_close()
        super().stop()


def _handler(table: Path) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Appends what is posted."""

        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers["Content-Length"]))
            with table.open("ab") as file:
                file.write(data)
            self.send_response(_CREATED)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Write nothing."""

    return Handler


class PostsTask(RowsSinkTask):
    """Posts lines, and asks for another attempt when the service is busy.

    Attributes:
        LIMIT_S: how long an answer may take.
    """

    LIMIT_S: ClassVar[float | None] = 60.0

    def start(self, props: Mapping[str, str]) -> None:
        """Remember where the service is."""
        super().start(props)
        self._port = int((Path(directory_of(props["rows.url"])).parent / _PORT).read_text())

    def _write(self, data: bytes, *, begun: bool) -> None:
        status = self._post(data)
        if status in _BUSY and not begun:
            raise RetriableError(f"the service is busy ({status})", code="rows.busy")
        if status != _CREATED:
            raise ConnectError(f"the service answers {status}", code="rows.refused")

    def _post(self, data: bytes) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=self.LIMIT_S)
        try:
            connection.request("POST", "/rows", data)
            return connection.getresponse().status
        except (OSError, http.client.HTTPException) as error:
            raise RetriableError(f"cannot post: {error}", code="rows.post") from error
        finally:
            connection.close()


class IgnoresStatusTask(PostsTask):
    """Takes every answer for a success."""

    def _post(self, data: bytes) -> int:
        super()._post(data)
        return _CREATED


class WaitsForEverTask(PostsTask):
    """Gives the client no time limit."""

    LIMIT_S = None


class GivesUpTask(PostsTask):
    """Takes every other answer for a refusal."""

    def _write(self, data: bytes, *, begun: bool) -> None:
        try:
            super()._write(data, begun=begun)
        except RetriableError as error:
            raise ConnectError(str(error), code="rows.refused") from error
