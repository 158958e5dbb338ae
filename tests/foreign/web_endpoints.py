"""Web services on loopback that foreign taps read.

This module is copied into a location beside the connectors, which is then certified.
"""

from __future__ import annotations

import csv
import io
import json
import shutil
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
    """A server that answers each GET from what has been seeded, in any process.

    Args:
        directory: an empty directory of this endpoint's own.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._seeds = directory / "seeds"
        self._server: ThreadingHTTPServer | None = None

    def start(self) -> Mapping[str, str]:
        """Listen; the settings that lead to the service."""
        self._seeds.mkdir()
        answer = self._answer

        class Answers(BaseHTTPRequestHandler):
            def do_GET(self) -> None:  # the name is the library's
                kind, body = answer(self.path)
                self.send_response(200)
                self.send_header("Content-Type", kind)
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
        shutil.rmtree(self._seeds, ignore_errors=True)

    def seed(self, values: Sequence[Any]) -> None:
        """Keep values in a file, which nobody sees before it is whole."""
        new = self._directory / "new.json"
        new.write_text(json.dumps(list(values)), "ascii")
        new.replace(self._seeds / f"{len(self._calls()):06}.json")

    def read_back(self) -> list[Any]:
        """Every value, in the order of seeding."""
        return [value for values in self._calls() for value in values]

    def seeded(self, value: Any) -> Any:
        """The text of a row."""
        return value if isinstance(value, str) else value["value"]

    def _calls(self) -> list[list[Any]]:
        """The values of each call that has seeded some."""
        return [json.loads(path.read_text("ascii")) for path in sorted(self._seeds.iterdir())]

    def _answer(self, path: str) -> tuple[str, bytes]:
        raise NotImplementedError

    def _settings(self, address: str) -> Mapping[str, str]:
        raise NotImplementedError


class _Rows(_Service):
    """Rows with increasing ids; ``/rows?after=ID`` has those with greater ones."""

    def _answer(self, path: str) -> tuple[str, bytes]:
        after = parse_qs(urlsplit(path).query).get("after", ["0"])
        rows = [{"id": id_, "value": value} for id_, value in enumerate(self.read_back(), 1)]
        return "application/json", json.dumps(rows[int(after[0]) :]).encode()


class TapRestApiMsdk(_Rows):
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


class TapRestApi(_Rows):
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


class TapS3Csv(_Service):
    """A bucket with a file for each call that seeds, as pipelinewise-tap-s3-csv reads it.

    Each file is a second younger than the one before: S3 tells no parts of a second, and the tap
    asks for what is younger than the last file it has read.
    """

    def _answer(self, path: str) -> tuple[str, bytes]:
        files = [[], *self._calls()]  # the tap refuses a bucket without a file
        name = urlsplit(path).path.removeprefix("/bucket").strip("/")
        if name:
            return "text/csv", _as_csv(files[int(name.partition(".")[0])])
        found = "".join(_as_entry(number, values) for number, values in enumerate(files))
        listing = f"<IsTruncated>false</IsTruncated>{found}"
        return "application/xml", f"<ListBucketResult>{listing}</ListBucketResult>".encode()

    def _settings(self, address: str) -> Mapping[str, str]:
        catalog = self._directory / "catalog.json"
        chosen = {"breadcrumb": [], "metadata": {"selected": True, "table-key-properties": []}}
        names = {"tap_stream_id": "rows", "stream": "rows"}
        schema = {"type": "object", "properties": {"value": {"type": "string"}}}
        stream = {**names, "schema": schema, "metadata": [chosen]}
        catalog.write_text(json.dumps({"streams": [stream]}), "utf-8")
        config = {
            "aws_endpoint_url": address,
            "aws_access_key_id": "reader",
            "bucket": "bucket",
            "start_date": "2000-01-01T00:00:00Z",
            "tables": [{"table_name": "rows", "search_pattern": "csv$"}],
        }
        settings = {f"singer.config.{name}": json.dumps(value) for name, value in config.items()}
        secret = {"singer.secret.aws_secret_access_key": "secret-7d1f"}
        return {**settings, **secret, "singer.catalog": str(catalog)}


def _as_csv(values: Sequence[str]) -> bytes:
    file = io.StringIO(newline="")
    csv.writer(file, quoting=csv.QUOTE_ALL).writerows([["value"], *([v] for v in values)])
    return file.getvalue().encode()


def _as_entry(number: int, values: Sequence[str]) -> str:
    """A file in the list of a bucket."""
    minutes, seconds = divmod(number, 60)
    hours, minutes = divmod(minutes, 60)
    modified = f"2026-01-01T{hours:02}:{minutes:02}:{seconds:02}.000Z"
    size = len(_as_csv(values))
    return (
        f"<Contents><Key>{number:06}.csv</Key><LastModified>{modified}</LastModified>"
        f"<Size>{size}</Size><StorageClass>STANDARD</StorageClass></Contents>"
    )
