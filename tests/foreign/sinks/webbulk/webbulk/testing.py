"""A bulk service on a free port."""

from __future__ import annotations

import base64
import json
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOKEN = "sesame-4711"


class _Service(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        with self.server.lock:
            self._answer(200, list(self.server.items.values()))

    def do_POST(self):
        items = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.server.refusing:
            self._answer(503, "closed for maintenance")
            return
        if self.headers["Authorization"] != f"Bearer {TOKEN}":
            self._answer(401, "wrong token")
            return
        with self.server.lock:
            busy, self.server.busy = self.server.busy and len(items) > 1, False
            answers = [
                _put_off(item) if busy and number % 2 else self._take(item)
                for number, item in enumerate(items)
            ]
        self._answer(200, answers)

    def _take(self, item):
        # As busy services do: the fifth of many is put off once.
        name = item["id"]
        if len(self.server.items) % 5 == 4 and name not in self.server.put_off:
            self.server.put_off.add(name)
            return _put_off(item)
        self.server.items[name] = item
        return {"id": name, "status": 201}

    def _answer(self, status, content):
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class BulkEndpoint:
    """The service, reached without the connector."""

    def __init__(self, directory):
        self._seeds = 0
        self._url = None

    def start(self):
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Service)
        self._server.daemon_threads = True
        self._server.items, self._server.put_off = {}, set()
        self._server.refusing, self._server.lock = False, threading.Lock()
        self._server.busy = False
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self._url = f"http://127.0.0.1:{self._server.server_port}"
        return {"url": self._url, "api.token": TOKEN}

    def attach(self, settings):
        self._url = settings["url"]

    def stop(self):
        self._server.shutdown()
        self._server.server_close()

    def seed(self, values):
        items = []
        for value in values:
            self._seeds += 1
            items.append(
                {"id": f"seed/{id(self)}/{self._seeds}", "value": value, "time": None, "headers": []}
            )
        for _ in range(2):
            request = urllib.request.Request(
                self._url + "/bulk",
                data=json.dumps(items).encode(),
                headers={"Authorization": f"Bearer {TOKEN}"},
            )
            with urllib.request.urlopen(request) as answer:
                late = {a["id"] for a in json.loads(answer.read()) if a["status"] != 201}
            items = [item for item in items if item["id"] in late]
            if not items:
                return

    def _items(self):
        with urllib.request.urlopen(self._url + "/") as answer:
            return json.loads(answer.read())

    def read_back(self):
        return [item["value"] for item in self._items()]

    def read_timestamps(self):
        return [item["time"] for item in self._items()]

    def read_headers(self):
        return [[_header(pair) for pair in item["headers"]] for item in self._items()]

    def refuse(self):
        self._server.refusing = True
        return ("closed for maintenance",)

    def recover(self):
        self._server.refusing = False
        return ()

    def reject_some(self):
        self._server.busy = True
        return ()


def _put_off(item):
    return {"id": item["id"], "status": 429, "reason": "slow down"}


def _header(pair):
    name, value = pair
    return name, base64.b64decode(value["base64"]) if isinstance(value, dict) else value
