"""A feed on this machine. Its items are in a file, so that other processes can add some."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

TOKEN = "feed-token-5f2c91"


def _items(path):
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    return [json.loads(line) for line in lines]


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        directory = self.server.directory
        if (directory / "down").exists():
            return self._answer(503, {})
        right = self.headers["Authorization"] == f"Bearer {TOKEN}"
        if not right or (directory / "denied").exists():
            return self._answer(403, {})
        query = parse_qs(urlsplit(self.path).query)
        begin = int(query.get("after", ["c0"])[0].removeprefix("c"))
        items = _items(directory / "items")[begin : begin + int(query["limit"][0])]
        return self._answer(200, {"items": items, "next": f"c{begin + len(items)}"})

    def _answer(self, status, content):
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class FeedEndpoint:
    def __init__(self, directory):
        self._directory = directory
        self._server = None

    def __getstate__(self):
        return {**self.__dict__, "_server": None}

    def start(self):
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.directory = self._directory
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        url = f"http://127.0.0.1:{self._server.server_port}/feed"
        return {"feed.url": url, "feed.token": TOKEN}

    def stop(self):
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None
        for name in ("items", "down", "denied"):
            (self._directory / name).unlink(missing_ok=True)

    def seed(self, values):
        count, now = len(self._all()), int(time.time() * 1000)
        items = [{"id": count + n, "text": text, "at": now + n} for n, text in enumerate(values)]
        with (self._directory / "items").open("a", encoding="ascii") as file:
            file.write("".join(json.dumps(item) + "\n" for item in items))

    def read_back(self):
        return [item["text"] for item in self._all()]

    def read_timestamps(self):
        return [item["at"] for item in self._all()]

    def read_keys(self):
        return [str(item["id"]) for item in self._all()]

    def refuse(self):
        (self._directory / "down").touch()
        return ("503",)

    def recover(self):
        (self._directory / "down").unlink()
        return ()

    def deny(self):
        (self._directory / "denied").touch()
        return ()

    def seed_foreign(self):
        number = len(self._all())
        self.seed([7])
        return ("int", f"item {number}")

    def _all(self):
        return _items(self._directory / "items")
