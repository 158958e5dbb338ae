"""A service on a free port, with pages of several sizes; each eleventh request is one too many."""

from __future__ import annotations

import json
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SIZES = (16, 16, 15, 0, 16, 9)


class _Service(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path == "/all":
            return self._answer(200, self.server.items)
        if self.server.closed:
            return self._answer(410, "this book is out of print")
        self.server.count += 1
        if self.server.count % 11 == 0:
            return self._answer(429, "one by one, please")
        turned = int(self.path.rpartition("t-")[2])
        cycles, rest = divmod(turned, len(SIZES))
        begin = cycles * sum(SIZES) + sum(SIZES[:rest])
        end = begin + SIZES[rest]
        following = f"t-{turned + 1}" if len(self.server.items) >= end else None
        self._answer(200, {"items": self.server.items[begin:end], "next": following})

    def do_POST(self):
        for text in json.loads(self.rfile.read(int(self.headers["Content-Length"]))):
            at = 1_700_000_000_017 + 311 * len(self.server.items)
            self.server.items.append({"text": text, "at": at})
        self._answer(200, {})

    def _answer(self, status, content):
        body = json.dumps(content).encode()
        self.send_response(status)
        if status == 429:
            self.send_header("Retry-After", "0")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class PagesEndpoint:
    """The service, reached without the connector."""

    def __init__(self, directory):
        self._server = None

    def start(self):
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Service)
        self._server.daemon_threads = True
        self._server.items, self._server.closed, self._server.count = [], False, 0
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        self._url = f"http://127.0.0.1:{self._server.server_port}/pages"
        return {"pages.url": self._url}

    def attach(self, settings):
        self._url = settings["pages.url"]

    def stop(self):
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def _ask(self, path, data=None):
        address = self._url.removesuffix("/pages") + path
        with urllib.request.urlopen(address, data=data) as answer:
            return json.loads(answer.read())

    def seed(self, values):
        self._ask("/items", json.dumps(list(values)).encode())

    def read_back(self):
        return [item["text"] for item in self._ask("/all")]

    def read_timestamps(self):
        return [item["at"] for item in self._ask("/all")]

    def seed_foreign(self):
        self.seed([7])
        return ("int", "expected text")

    def refuse(self):
        self._server.closed = True
        return ("410", "out of print")

    def recover(self):
        self._server.closed = False
        return ()
