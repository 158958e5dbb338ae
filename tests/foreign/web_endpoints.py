"""A web service on loopback that foreign taps read.

This module is copied into a location beside the connectors, which is then certified.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_COLUMNS = {"id": {"type": ["integer"]}, "value": {"type": ["string", "null"]}}
_SCHEMA = {"type": "object", "properties": _COLUMNS}


class _Service:
    """Rows with increasing ids; ``/rows?after=ID`` has those with greater ones.

    Args:
        directory: an empty directory of this endpoint's own.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._rows: list[Mapping[str, Any]] = []
        self._server: ThreadingHTTPServer | None = None

    def start(self) -> Mapping[str, str]:
        """Listen; the settings that lead to the service."""
        rows = self._rows

        class Answers(BaseHTTPRequestHandler):
            def do_GET(self) -> None:  # the name is the library's
                after = parse_qs(urlsplit(self.path).query).get("after", ["0"])
                body = json.dumps(rows[int(after[0]) :]).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self._settings(f"http://127.0.0.1:{self._server.server_port}")

    def stop(self) -> None:
        """Listen no more."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def seed(self, values: Sequence[Any]) -> None:
        """Add rows."""
        first = len(self._rows) + 1
        self._rows.extend({"id": number, "value": v} for number, v in enumerate(values, first))

    def read_back(self) -> list[Any]:
        """Every value."""
        return [row["value"] for row in self._rows]

    def seeded(self, value: Any) -> Any:
        """The text of a row."""
        return value if isinstance(value, str) else value["value"]

    def _settings(self, address: str) -> Mapping[str, str]:
        raise NotImplementedError


class TapRestApiMsdk(_Service):
    """What tap-rest-api-msdk reads."""

    def _settings(self, address: str) -> Mapping[str, str]:
        stream = {
            "name": "rows",
            "path": "/rows",
            "records_path": "$[*]",
            "schema": _SCHEMA,
            "primary_keys": ["id"],
            "replication_key": "id",
            "source_search_field": "after",
            "source_search_query": "$last_run_date",
            "pagination_request_style": "single_page_paginator",
        }
        return {
            "singer.config.api_url": address,
            "singer.config.streams": json.dumps([stream]),
        }


class TapRestApi(_Service):
    """What tap-rest-api reads, with its schema and its catalog in files."""

    def _settings(self, address: str) -> Mapping[str, str]:
        schemas = self._directory / "schemas"
        schemas.mkdir()
        (schemas / "rows.json").write_text(json.dumps(_SCHEMA), "utf-8")
        catalog = self._directory / "catalog.json"
        stream = {"tap_stream_id": "rows", "stream": "rows", "key_properties": ["id"]}
        chosen = {**stream, "schema": {**_SCHEMA, "selected": True}}
        catalog.write_text(json.dumps({"streams": [chosen]}), "utf-8")
        config = {
            "url": f"{address}/rows?after={{last_update}}",
            "streams": "rows",
            "schema_dir": str(schemas),
            "index_key": "id",
            "items_per_page": 1_000_000,
        }
        settings = {f"singer.config.{name}": json.dumps(value) for name, value in config.items()}
        return {**settings, "singer.catalog": str(catalog)}
