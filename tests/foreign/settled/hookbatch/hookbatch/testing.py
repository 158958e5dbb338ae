"""A hook on a free port, which keeps the events in the order in which it has taken them."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KNOWN = "heron-2208-tarn"


class _Hook(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        with self.server.lock:
            self._answer(200, json.dumps(list(self.server.events.values())))

    def do_POST(self):
        content = self.rfile.read(int(self.headers["Content-Length"]))
        hook = self.server
        if hook.closed:
            self._answer(503, "the hook is closed", "1")
        elif hook.denied or self.headers["X-Hook-Secret"] != KNOWN:
            self._answer(401, "the secret is not known")
        else:
            self._take(content)

    def _take(self, content):
        hook = self.server
        try:
            events = json.loads(content.decode("utf-8"))
        except ValueError:
            self._answer(400, "no JSON")
            return
        with hook.lock:
            hook.asked += 1
            busy = hook.asked % 7 == 3
            picky = not busy and hook.picky and len(events) > 1
            hook.picky = hook.picky and not picky
            if not busy:
                states = [self._state(event, at, picky) for at, event in enumerate(events)]
        if busy:
            self._answer(429, "too many requests", "0")
        else:
            self._answer(207 if picky else 200, json.dumps({"events": states}), "0")

    def _state(self, event, at, picky):
        known = self.server.events
        if picky and at % 2:
            state = "busy"
        elif event["id"] in known:
            state = "known"
        else:
            state = "taken"
            known[event["id"]] = event
        return {"id": event["id"], "state": state}

    def _answer(self, status, text, wait=None):
        body = text.encode()
        self.send_response(status)
        if wait is not None and status != 200:
            self.send_header("Retry-After", wait)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass  # a client that has gone


class HookEndpoint:
    """The hook, reached without the connector; seeds are events of a topic of their own."""

    def __init__(self, directory):
        self._server = None

    def start(self):
        self._server = _Server(("127.0.0.1", 0), _Hook)
        self._server.events, self._server.asked = {}, 0
        self._server.lock = threading.Lock()
        self._server.closed = self._server.denied = self._server.picky = False
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        self._url = f"http://127.0.0.1:{self._server.server_port}/events?source=kafka"
        return {"hook.url": self._url, "hook.secret": KNOWN}

    def attach(self, settings):
        self._url = settings["hook.url"]

    def stop(self):
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()

    def seed(self, values):
        begin = len(self._events())
        for at, value in enumerate(values, begin):
            event = {"id": f"seeds-0@{at}", "topic": "seeds", "value": value, "time": None}
            while not self._seeded(event):
                pass

    def read_back(self):
        return [event["value"] for event in self._events()]

    def read_timestamps(self):
        return [event["time"] for event in self._events()]

    def read_topics(self):
        return [event["topic"] for event in self._events()]

    def refuse(self):
        self._server.closed = True
        return ("503", "the hook is closed")

    def recover(self):
        self._server.closed = False
        return ()

    def deny(self):
        self._server.denied = True
        return ()

    def reject_some(self):
        self._server.picky = True
        return ()

    def _seeded(self, event):
        """Whether the hook took it; it is too busy now and then."""
        request = urllib.request.Request(
            self._url, json.dumps([event]).encode(), {"X-Hook-Secret": KNOWN}
        )
        try:
            with urllib.request.urlopen(request) as answer:
                answer.read()
        except urllib.error.HTTPError as error:
            if error.code == 429:
                return False
            raise
        return True

    def _events(self):
        with urllib.request.urlopen(self._url) as answer:
            return json.loads(answer.read())
