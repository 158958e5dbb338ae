"""The service on a free port, which puts an action off now and then."""

from __future__ import annotations

import json
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOKEN = "quiet-please-5512"


class _Service(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        with self.server.lock:
            self._answer(200, list(self.server.docs.values()))

    def do_POST(self):
        actions = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.server.closed:
            self._answer(403, "the shelf is sealed")
        elif self.headers["Authorization"] != f"Bearer {TOKEN}":
            self._answer(401, "wrong token")
        else:
            with self.server.lock:
                self._answer(200, [self._take(action) for action in actions])

    def _take(self, action):
        name = f"{action['index']}/{action['id']}"
        self.server.count += 1
        if self.server.count % 9 == 0:
            return {"status": 429, "reason": "busy"}
        if action["op"] == "delete":
            found = self.server.docs.pop(name, None)
            return {"status": 200 if found else 204, "reason": ""}
        self.server.docs.pop(name, None)
        placed = {"time": action["time"], "index": action["index"]}
        self.server.docs[name] = {**action["doc"], **placed}
        return {"status": 201, "reason": ""}

    def _answer(self, status, content):
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class DocShelfEndpoint:
    """The service, reached without the connector."""

    def __init__(self, directory):
        self._directory = directory
        self._seeds = 0

    def start(self):
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Service)
        self._server.daemon_threads = True
        self._server.docs, self._server.count = {}, 0
        self._server.closed, self._server.lock = False, threading.Lock()
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        self._url = f"http://127.0.0.1:{self._server.server_port}"
        return {"service.url": self._url, "service.token": TOKEN}

    def attach(self, settings):
        self._url = settings["service.url"]

    def stop(self):
        self._server.shutdown()
        self._server.server_close()

    def seed(self, values):
        for value in values:
            self._seeds += 1
            action = {"index": "seed", "id": f"{id(self)}/{self._seeds}", "op": "index"}
            action |= {"doc": {"text": value}, "time": None}
            request = urllib.request.Request(
                f"{self._url}/bulk",
                data=json.dumps([action]).encode(),
                headers={"Authorization": f"Bearer {TOKEN}"},
            )
            status = 429
            while status == 429:
                with urllib.request.urlopen(request) as answer:
                    status = json.loads(answer.read())[0]["status"]

    def _docs(self):
        with urllib.request.urlopen(f"{self._url}/") as answer:
            return json.loads(answer.read())

    def read_back(self):
        return [doc["row"] if "row" in doc else doc["text"] for doc in self._docs()]

    def read_timestamps(self):
        return [doc["time"] for doc in self._docs()]

    def read_topics(self):
        return [doc["index"] for doc in self._docs()]

    def refuse(self):
        self._server.closed = True
        return ("403", "the shelf is sealed")

    def deny(self):
        self.refuse()
        return ()

    def recover(self):
        self._server.closed = False
        return ()
