"""A help desk with three queues on a free port."""

from __future__ import annotations

import json
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

KNOWN = "otter-7731-fen"
QUEUES = ("billing", "shipping", "störungen")
FIRST = 5_000_000_000


class _Desk(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        desk = self.server
        if self.path == "/all":
            with desk.lock:
                self._answer(200, json.dumps(desk.tickets))
            return
        parts = urlsplit(self.path)
        names = [unquote(name) for name in parts.path.split("/")]
        if desk.closed:
            self._answer(503, "the desk is closed", "1")
        elif desk.denied or self.headers["Authorization"] != f"Bearer {KNOWN}":
            self._answer(403, "the token is not known")
        elif len(names) != 5 or names[3] not in QUEUES:
            self._answer(404, "no such queue")
        else:
            self._page(names[3], parse_qs(parts.query))

    def do_POST(self):
        """Add what the endpoint seeds."""
        added = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        desk = self.server
        with desk.lock:
            for ticket in added:
                number = FIRST + 3 * len(desk.tickets)
                opened = 1_700_000_000_000 + number % 1_000_000
                desk.tickets.append({"opened": opened, **ticket, "number": number})
        self._answer(200, "")

    def _page(self, queue, query):
        after, limit = int(query["after"][0]), int(query["limit"][0])
        with self.server.lock:
            self.server.asked += 1
            busy = self.server.asked % 5 == 2
            found = [
                ticket
                for ticket in self.server.tickets
                if ticket["queue"] == queue and ticket["number"] > after
            ]
        if busy:
            self._answer(429, "too many requests", "0")
        else:
            self._answer(200, json.dumps({"tickets": found[:limit]}))

    def _answer(self, status, text, wait=None):
        body = text.encode()
        self.send_response(status)
        if wait is not None:
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


class DeskEndpoint:
    """The desk, reached without the connector."""

    def __init__(self, directory):
        self._server = None

    def start(self):
        self._server = _Server(("127.0.0.1", 0), _Desk)
        self._server.tickets, self._server.asked = [], 0
        self._server.lock = threading.Lock()
        self._server.closed = self._server.denied = False
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        settings = {
            "desk.url": f"http://127.0.0.1:{self._server.server_port}/api",
            "desk.token": KNOWN,
            "desk.queues": ",".join(QUEUES),
        }
        self.attach(settings)
        return settings

    def attach(self, settings):
        self._base = settings["desk.url"].removesuffix("/api")

    def stop(self):
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()

    def seed(self, values):
        number = len(self._tickets())
        self._add(
            {
                "queue": QUEUES[at % len(QUEUES)],
                "subject": value,
                "agent": None if at % 2 else "Ada",
            }
            for at, value in enumerate(values, number)
        )

    def seed_foreign(self):
        self._add([{"queue": QUEUES[0], "subject": 17, "agent": None}])
        return ("subject", QUEUES[0])

    def seed_corrupt(self):
        self._add([{"queue": QUEUES[1]}])
        return ("subject", QUEUES[1])

    def read_back(self):
        return [ticket["subject"] for ticket in self._tickets()]

    def read_timestamps(self):
        return [ticket["opened"] for ticket in self._tickets()]

    def read_keys(self):
        return [f"{ticket['queue']}/{ticket['number']}" for ticket in self._tickets()]

    def seeded(self, value):
        return value["subject"]

    def refuse(self):
        self._server.closed = True
        return ("503", "the desk is closed")

    def recover(self):
        self._server.closed = False
        return ()

    def deny(self):
        self._server.denied = True
        return ()

    def _add(self, tickets):
        body = json.dumps(list(tickets)).encode()
        with urllib.request.urlopen(self._base + "/all", body) as answer:
            answer.read()

    def _tickets(self):
        with urllib.request.urlopen(self._base + "/all") as answer:
            return json.loads(answer.read())
