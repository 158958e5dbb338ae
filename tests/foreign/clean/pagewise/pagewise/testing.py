"""The API on this machine; items are kept in one file per collection."""

from __future__ import annotations

import base64
import fcntl
import hashlib
import json
import threading
import time
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

KEY = "pk_live_31c8d2f07e"
COLLECTIONS = ("essays", "letters", "notes")
BUDGET = 9  # every so many requests the API asks for a pause


class Api(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        home, server = self.server.home, self.server
        server.count += 1
        if (home / "outage").exists():
            return self.reply(503)
        if self.headers["X-Api-Key"] != KEY or (home / "revoked").exists():
            return self.reply(401)
        if server.count % BUDGET == 0:
            return self.reply(429, {"Retry-After": "0"})
        url = urlsplit(self.path)
        name = url.path.removeprefix("/v1/collections/")
        if name not in COLLECTIONS:
            return self.reply(404)
        query = parse_qs(url.query)
        after = int(query.get("cursor", ["c0"])[0][1:])
        items = read_items(home, name)[after:after + int(query["limit"][0])]
        body = json.dumps({"items": items, "next": f"c{after + len(items)}"}).encode()
        etag = f'"{hashlib.sha1(body).hexdigest()}"'
        if self.headers["If-None-Match"] == etag:
            return self.reply(304, {"ETag": etag})
        return self.reply(200, {"ETag": etag, "Content-Type": "application/json"}, body)

    def reply(self, status, headers={}, body=b""):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


def read_items(home, name):
    with (home / name).open() as file:
        return [json.loads(line) for line in file if line.endswith("\n")]


class Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass


class PagewiseEndpoint:
    def __init__(self, directory):
        self.home = directory
        self.server = None

    def __getstate__(self):
        return {"home": self.home, "server": None}

    def start(self):
        for name in COLLECTIONS:
            (self.home / name).touch()
        self.server = Quiet(("127.0.0.1", 0), Api)
        self.server.home, self.server.count = self.home, 0
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        return {
            "api.base.url": f"http://127.0.0.1:{self.server.server_port}/v1",
            "api.key": KEY,
            "api.collections": ",".join(COLLECTIONS),
        }

    def stop(self):
        if self.server is not None:
            self.server.shutdown()
            self.server.server_close()
            self.server = None
        for name in (*COLLECTIONS, "outage", "revoked", "lock"):
            (self.home / name).unlink(missing_ok=True)

    def seed(self, values):
        self._add([encode(value) for value in values])

    def read_back(self):
        return [decode(item) for item in self._items()]

    def read_keys(self):
        return [item["id"] for item in self._items()]

    def read_timestamps(self):
        return [item["stored_ms"] for item in self._items()]

    def seed_corrupt(self):
        return self._add([{**encode(SAMPLE), "edited": "yesterday"}])

    def seed_foreign(self):
        self._add([{**encode(SAMPLE), "size": "big"}])
        return ["size"]

    def refuse(self):
        (self.home / "outage").touch()
        return ["503"]

    def recover(self):
        (self.home / "outage").unlink()
        return []

    def deny(self):
        (self.home / "revoked").touch()
        return []

    def _items(self):
        return sorted((item for name in COLLECTIONS for item in read_items(self.home, name)),
                      key=lambda item: item["id"])

    def _add(self, items):
        with (self.home / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            count = len(self._items())
            for number, item in enumerate(items, count + 1):
                item["id"], item["stored_ms"] = number, time.time_ns() // 1_000_000
                name = COLLECTIONS[number % len(COLLECTIONS)]
                with (self.home / name).open("a") as file:
                    file.write(json.dumps(item) + "\n")
        return [f"item {number}", name] if items else []


SAMPLE = {"title": "t", "size": 1, "edited": datetime(2025, 5, 5, tzinfo=timezone.utc)}


def encode(value):
    item = {name: each for name, each in value.items() if each is not None}
    item["edited"] = value["edited"].astimezone(timezone.utc).isoformat(timespec="microseconds")
    if "body" in item:
        item["body"] = base64.b64encode(item["body"]).decode()
    return item


def decode(item):
    body = item.get("body")
    return {
        "title": item["title"],
        "size": item["size"],
        "score": item.get("score"),
        "edited": datetime.fromisoformat(item["edited"]),
        "body": None if body is None else base64.b64decode(body),
        "editor": item.get("editor"),
    }
