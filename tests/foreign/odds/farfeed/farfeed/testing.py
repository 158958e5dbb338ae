"""The feed on a free port: three ranges, with a token behind each change; some are deletes."""

from __future__ import annotations

import base64
import json
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

RANGES = ("north", "south", "west")
KNOWN = "heron-4127-quay"


class _Service(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if parts.path == "/all":
            with self.server.lock:
                self._answer(200, self.server.changes)
            return
        if self.server.closed:
            self._answer(403, "feed_is_closed")
            return
        if self.server.denied or self.headers["Authorization"] != f"Bearer {KNOWN}":
            self._answer(401, "invalid_secret")
            return
        name = unquote(parts.path).rpartition("/")[2]
        after = 0
        if "after" in query:
            try:
                token = json.loads(base64.urlsafe_b64decode(query["after"]))
                after = token["after"] if token["range"] == name else None
            except ValueError:
                after = None
            if after is None:
                self._answer(410, "token_is_gone")
                return
        until = time.monotonic() + int(query["wait"]) / 1000
        with self.server.lock:
            while not (found := self._after(name, after, int(query["limit"]))):
                left = until - time.monotonic()
                if left <= 0 or self.server.closed or self.server.denied:
                    break
                self.server.lock.wait(left)
        last = found[-1]["token"] if found else query.get("after")
        self._answer(200, {"changes": found, "token": last})

    def _after(self, name, after, limit):
        found = [change for change in self.server.changes if change["range"] == name]
        return found[after : after + limit]

    def do_POST(self):
        added = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            for text in added:
                number = len(self.server.changes) + 1
                name = RANGES[number * number % 7 % 3]
                self._add(name, f"doc-{number}", text)
                if number % 6 == 0 and isinstance(text, str):
                    self._add(name, f"doc-{number}", None)
            self.server.lock.notify_all()
        self._answer(200, "")

    def _add(self, name, key, text):
        after = 1 + sum(change["range"] == name for change in self.server.changes)
        token = base64.urlsafe_b64encode(json.dumps({"range": name, "after": after}).encode())
        at = 1_700_000_000_123 + 977 * len(self.server.changes)
        change = {"range": name, "id": key, "text": text, "at": at, "token": token.decode()}
        self.server.changes.append(change)

    def _answer(self, status, content):
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass  # a client that has gone


class FeedEndpoint:
    """The feed, reached without the connector."""

    def __init__(self, directory):
        self._server = None

    def start(self):
        self._server = _Server(("127.0.0.1", 0), _Service)
        self._server.changes, self._server.lock = [], threading.Condition()
        self._server.closed = self._server.denied = False
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        self._url = f"http://127.0.0.1:{self._server.server_port}"
        return {
            "feed.url": f"{self._url}/ranges",
            "feed.secret": KNOWN,
            "feed.ranges": ",".join(RANGES),
        }

    def attach(self, settings):
        self._url = settings["feed.url"].removesuffix("/ranges")

    def stop(self):
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()

    def seed(self, values):
        body = json.dumps(list(values)).encode()
        with urllib.request.urlopen(self._url, data=body) as answer:
            answer.read()

    def _puts(self):
        with urllib.request.urlopen(f"{self._url}/all") as answer:
            return [each for each in json.loads(answer.read()) if each["text"] is not None]

    def read_back(self):
        return [change["text"] for change in self._puts()]

    def read_keys(self):
        return [change["id"] for change in self._puts()]

    def read_timestamps(self):
        return [change["at"] for change in self._puts()]

    def seed_foreign(self):
        self.seed([7])
        return ("int", "expected text")

    def refuse(self):
        self._server.closed = True
        return ("403", "feed_is_closed")

    def recover(self):
        self._server.closed = False
        return ()

    def deny(self):
        self._server.denied = True
        return ()
