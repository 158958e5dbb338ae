"""The rate book as a small service on loopback, with its state in memory of the process."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import socket
import threading
import urllib.parse
import urllib.request
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOKEN = "let-me-read"
FIRST = 1_767_225_600_000


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 60

    def setup(self):
        super().setup()
        self.server.open.add(self.connection)

    def finish(self):
        self.server.open.discard(self.connection)
        try:
            super().finish()
        except OSError:
            pass

    def do_GET(self):
        if self.server.book["denied"] or self.headers["Authorization"] != f"Bearer {TOKEN}":
            return self._answer(401, {"error": "this token may not read"})
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        after, limit = int(query["after"][0]), int(query["limit"][0])
        rates = list(self.server.book["rates"])
        page = rates[after : after + limit]
        return self._answer(200, {"rates": page, "more": after + limit < len(rates)})

    def do_POST(self):
        given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        rates = self.server.book["rates"]
        for each in given:
            seq = len(rates) + 1
            rates.append({"seq": seq, "published": FIRST + 1000 * seq, "rate": each})
        return self._answer(200, {"seq": len(rates)})

    def _answer(self, status, content):
        body = json.dumps(content).encode("ascii")
        etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        if status == 200 and self.headers["If-None-Match"] == etag:
            status, body = 304, b""
        self.send_response(status)
        self.send_header("ETag", etag)
        if status != 304:
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True

    def __init__(self, port, book):
        self.book, self.open = book, set()
        super().__init__(("127.0.0.1", port), Handler)
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def handle_error(self, *_):
        """A client that is gone."""


class RateBookEndpoint:
    """Publishes with POST and reads with GET."""

    def __init__(self, directory):
        self._url, self._server, self._book = "", None, None

    def __getstate__(self):
        return {"_url": self._url, "_server": None, "_book": None}

    def start(self):
        self._book = {"rates": [], "denied": False}
        self._server = Server(0, self._book)
        self._url = f"http://127.0.0.1:{self._server.server_port}"
        return {"ratebook.url": self._url, "ratebook.token": TOKEN}

    def attach(self, settings):
        self._url = settings["ratebook.url"]

    def stop(self):
        self.refuse()

    def seed(self, values):
        self._post([_wire(value) for value in values])

    def seed_corrupt(self):
        (seq,) = [self._post([{"id": 5, "pair": "EURUSD", "rate": "about one"}])]
        return (f"rate {seq}",)

    def read_back(self):
        return [_row(item["rate"]) for item in self._items()]

    def read_timestamps(self):
        return [item["published"] for item in self._items()]

    def read_keys(self):
        return [{"id": item["rate"]["id"]} for item in self._items()]

    def refuse(self):
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            for connection in list(self._server.open):
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
            self._server = None
        return ("Connection refused",)

    def recover(self):
        if self._server is None:
            self._server = Server(urllib.parse.urlsplit(self._url).port, self._book)
        return ()

    def deny(self):
        self._book["denied"] = True
        return ()

    def _items(self):
        request = urllib.request.Request(
            f"{self._url}/v1/rates?after=0&limit=1000000",
            headers={"Authorization": f"Bearer {TOKEN}"},
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            items = json.load(answer)["rates"]
        return [item for item in items if item["rate"]["rate"] != "about one"]

    def _post(self, rates):
        request = urllib.request.Request(f"{self._url}/v1/rates", data=json.dumps(rates).encode())
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)["seq"]


def _wire(row):
    """A row as the service has it; fields without a value are left out."""
    texts = {
        name: format(value, "f") if isinstance(value, Decimal)
        else value.isoformat() if isinstance(value, dt.date) else value
        for name, value in row.items()
    }
    return {name: value for name, value in texts.items() if value is not None}


def _row(rate):
    row = dict.fromkeys(("id", "pair", "rate", "valid_on", "fixed_at", "final", "note"))
    row |= rate
    row["rate"] = Decimal(rate["rate"])
    if row["valid_on"] is not None:
        row["valid_on"] = dt.date.fromisoformat(row["valid_on"])
    if row["fixed_at"] is not None:
        row["fixed_at"] = dt.datetime.fromisoformat(row["fixed_at"])
    return row
