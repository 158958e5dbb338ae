"""A service on a free port, whose items turn up a little out of order."""

from __future__ import annotations

import json
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

TOKEN = "open-sesame-9081"
PAGE = 20


class _Service(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.headers["Authorization"] != f"Bearer {TOKEN}":
            return self._answer(401, {"error": "who are you"})
        query = parse_qs(urlsplit(self.path).query, keep_blank_values=True)
        if "all" in query:
            return self._answer(200, {"items": self.server.items, "next": None})
        if self.server.closed:
            return self._answer(410, {"error": "moved away for good"})
        found = sorted(
            ([i["updated"], i["id"], i] for i in list(self.server.items)), key=lambda e: e[:2]
        )
        after = [int(part) for part in query["after"][0].split("-")] if query["after"][0] else None
        since = int(query["since"][0])
        found = [e for e in found if e[0] >= since and (after is None or e[:2] > after)]
        page = found[:PAGE]
        token = f"{page[-1][0]}-{page[-1][1]}" if len(found) > PAGE else None
        return self._answer(200, {"items": [e[2] for e in page], "next": token})

    def do_POST(self):
        begin = len(self.server.items)
        for text in json.loads(self.rfile.read(int(self.headers["Content-Length"]))):
            number = len(self.server.items)
            turn = begin if "at_once" in self.path else number
            self.server.items.append(
                {
                    "id": 1000 + number,
                    "text": text,
                    "updated": 1_680_000_000_001 + 37 * turn - turn * 7919 % 5 * 90,
                }
            )
        self._answer(200, {})

    def _answer(self, status, content):
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class WatermillEndpoint:
    """The service, reached without the connector."""

    def __init__(self, directory):
        self._server = None

    def start(self):
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Service)
        self._server.daemon_threads = True
        self._server.items, self._server.closed = [], False
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        self._url = f"http://127.0.0.1:{self._server.server_port}/items"
        return {"service.url": self._url, "service.token": TOKEN}

    def attach(self, settings):
        self._url = settings["service.url"]

    def stop(self):
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def _ask(self, query="", data=None):
        request = urllib.request.Request(
            self._url + query, data=data, headers={"Authorization": f"Bearer {TOKEN}"}
        )
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read())

    def seed(self, values):
        self._ask(data=json.dumps(list(values)).encode())

    def seed_at_once(self, values):
        self._ask("?at_once=1", data=json.dumps(list(values)).encode())
        return ()

    def read_back(self):
        return [item["text"] for item in self._ask("?all=1")["items"]]

    def read_timestamps(self):
        return [item["updated"] for item in self._ask("?all=1")["items"]]

    def seed_foreign(self):
        self.seed([7])
        return ("int", "expected text")

    def refuse(self):
        self._server.closed = True
        return ("410", "moved away for good")

    def deny(self):
        self.refuse()
        return ()

    def recover(self):
        self._server.closed = False
        return ()
