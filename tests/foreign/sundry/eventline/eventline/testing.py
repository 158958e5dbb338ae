"""A service on a free port, which ends each connection after forty events."""

from __future__ import annotations

import json
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CONNECTION = 40


class _Service(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/all":
            return self._answer(200, json.dumps(self.server.events).encode())
        if self.server.closed:
            return self._answer(410, b"this stream has run dry")
        last = self.headers["Last-Event-ID"]
        begin = 0 if last is None else int(last.partition("-")[2]) - 100
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        try:
            self._send_from(begin)
        except OSError:
            pass

    def _send_from(self, begin):
        self.wfile.write(b"retry: 20\n\n")
        place, idle = begin, 0
        while place < begin + CONNECTION and idle < 3 and not self.server.closed:
            if place == len(self.server.events):
                self.wfile.write(b": still here\n\n")
                idle += 1
                time.sleep(0.02)
                continue
            idle, event = 0, self.server.events[place]
            place += 1
            data = json.dumps({k: event[k] for k in ("text", "at")}, ensure_ascii=False, indent=1)
            lines = [f"id: ab-{100 + place}", f"event: {event['kind']}"]
            lines += [f"data: {line}" for line in data.split("\n")]
            self.wfile.write("\n".join([*lines, "", ""]).encode())

    def do_POST(self):
        for text in json.loads(self.rfile.read(int(self.headers["Content-Length"]))):
            at = 1_640_000_000_003 + 641 * len(self.server.events)
            self.server.events.append({"text": text, "at": at, "kind": "note"})
        self._answer(200, b"{}")

    def _answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class EventLineEndpoint:
    """The service, reached without the connector."""

    def __init__(self, directory):
        self._server = None

    def start(self):
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Service)
        self._server.daemon_threads = True
        self._server.events, self._server.closed = [], False
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        self._url = f"http://127.0.0.1:{self._server.server_port}/events"
        return {"stream.url": self._url}

    def attach(self, settings):
        self._url = settings["stream.url"]

    def stop(self):
        if self._server is not None:
            self._server.closed = True
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def _ask(self, path, data=None):
        address = self._url.removesuffix("/events") + path
        with urllib.request.urlopen(address, data=data) as answer:
            return json.loads(answer.read())

    def seed(self, values):
        self._ask("/events", json.dumps(list(values)).encode())

    def read_back(self):
        return [event["text"] for event in self._ask("/all")]

    def read_timestamps(self):
        return [event["at"] for event in self._ask("/all")]

    def seed_foreign(self):
        self.seed([7])
        return ("int", "expected a note with text")

    def refuse(self):
        self._server.closed = True
        return ("410", "run dry")

    def recover(self):
        self._server.closed = False
        return ()
