"""A service on a free port, which keeps its items in a list."""

from __future__ import annotations

import json
import threading
import urllib.request
from datetime import UTC, datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

ZONE = timezone(timedelta(hours=5, minutes=30))
FIRST = datetime(2024, 3, 31, 0, 59, 59, 123000, tzinfo=UTC)


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.server.closed:
            return self.reply(403, {"error": "closed for maintenance"})
        query = parse_qs(urlsplit(self.path).query)
        if query.get("all"):
            return self.reply(200, {"items": self.server.items})
        after, limit = int(query["after"][0]), min(int(query["limit"][0]), 40)
        self.reply(200, {"items": [i for i in self.server.items if i["id"] > after][:limit]})
        return None

    def do_POST(self):
        values = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        for text in values:
            number = len(self.server.items) + 1
            at = (FIRST + timedelta(milliseconds=1001 * number)).astimezone(ZONE)
            self.server.items.append(
                {
                    "id": 1_152_921_504_606_846_976 + number * 3,
                    "text": text,
                    "at": at.isoformat(timespec="milliseconds"),
                }
            )
        self.reply(200, {})

    def reply(self, status, what):
        body = json.dumps(what).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class PagedEndpoint:
    def __init__(self, directory):
        self.directory = directory
        self.server = None

    def start(self):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.items, self.server.closed = [], False
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/items"
        return {"service.url": self.url}

    def attach(self, settings):
        self.url = settings["service.url"]

    def stop(self):
        if self.server is not None:
            self.server.shutdown()
            self.server.server_close()
            self.server = None

    def seed(self, values):
        with urllib.request.urlopen(self.url, data=json.dumps(list(values)).encode()):
            pass

    def _items(self):
        with urllib.request.urlopen(self.url + "?all=1") as answer:
            return json.loads(answer.read())["items"]

    def read_back(self):
        return [item["text"] for item in self._items()]

    def read_timestamps(self):
        return [
            round(datetime.fromisoformat(item["at"]).timestamp() * 1000) for item in self._items()
        ]

    def seeded(self, value):
        return value["text"]

    def refuse(self):
        self.server.closed = True
        return ("403", "closed for maintenance")

    def deny(self):
        self.refuse()
        return ()

    def recover(self):
        self.server.closed = False
        return ()

    def seed_foreign(self):
        self.seed([7])
        return ("int", "expected a string")
