"""The wharf on loopback."""

from __future__ import annotations

import base64
import datetime as dt
import gzip
import json
import socket
import threading
import urllib.request
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

API_KEY = "crane-17"
READ = {
    "text": str,
    "bool": bool,
    "int": int,
    "float": float.fromhex,
    "decimal": Decimal,
    "timestamp": dt.datetime.fromisoformat,
    "date": dt.date.fromisoformat,
    "time": dt.time.fromisoformat,
    "bytes": base64.b64decode,
}
LARGEST = 16 * 1024 * 1024


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 60

    def setup(self):
        super().setup()
        self.server.open.add(self.connection)

    def finish(self):
        self.server.open.discard(self.connection)
        try:
            super().finish()
        except OSError:
            pass

    def do_GET(self):
        with self.server.store["lock"]:
            self._answer(200, list(self.server.store["events"].values()))

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        store = self.server.store
        if store["denied"] or self.headers["X-Api-Key"] != API_KEY:
            return self._answer(403, {"error": "this key may not write"})
        text = gzip.decompress(body)
        if len(text) > LARGEST:
            return self._answer(413, {"error": "more than 16 MiB"})
        results = []
        with store["lock"]:
            events = json.loads(text)["events"]
            busy = store["busy"] and len(events) > 1
            store["busy"] = store["busy"] and not busy
            for number, event in enumerate(events):
                if busy and number % 2:
                    results.append({"id": event["id"], "status": 429, "reason": "busy"})
                    continue
                known = event["id"] in store["events"]
                store["events"].setdefault(event["id"], event)
                results.append({"id": event["id"], "status": 409 if known else 201})
        return self._answer(200, {"results": results})

    def _answer(self, status, content):
        body = json.dumps(content).encode("ascii")
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True

    def __init__(self, port, store):
        self.store, self.open = store, set()
        super().__init__(("127.0.0.1", port), Handler)
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def handle_error(self, *_):
        """A client that is gone."""


class WharfEndpoint:
    """Writes and reads over HTTP, with other code than the connector."""

    def __init__(self, directory):
        self._port, self._server, self._store = 0, None, None

    def __getstate__(self):
        return {"_port": self._port, "_server": None, "_store": None}

    def start(self):
        self._store = {"lock": threading.Lock(), "events": {}, "denied": False, "busy": False}
        self.recover()
        return {"wharf.url": f"http://127.0.0.1:{self._port}", "wharf.api.key": API_KEY}

    def attach(self, settings):
        self._port = int(settings["wharf.url"].rpartition(":")[2])

    def stop(self):
        self.refuse()

    def seed(self, values):
        begin = len(self._events())
        events = [
            {"id": f"seeds/{at}", "topic": "seeds", "time": None, "key": None,
             "body": _tagged(value), "attributes": []}
            for at, value in enumerate(values, begin)
        ]  # fmt: skip
        for event in events:
            body = gzip.compress(json.dumps({"events": [event]}).encode("ascii"))
            request = urllib.request.Request(
                f"http://127.0.0.1:{self._port}/v2/events:batch", body, {"X-Api-Key": API_KEY}
            )
            with urllib.request.urlopen(request, timeout=30):
                pass

    def read_back(self):
        return [_plain(event["body"]) for event in self._events()]

    def read_headers(self):
        return [
            [(name, _plain(value)) for name, value in event["attributes"]]
            for event in self._events()
        ]

    def read_timestamps(self):
        return [event["time"] for event in self._events()]

    def read_topics(self):
        return [event["topic"] for event in self._events()]

    def refuse(self):
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            for connection in list(self._server.open):
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
            self._server = None
        return ("Connection refused",)

    def recover(self):
        if self._server is None:
            self._server = Server(self._port, self._store)
            self._port = self._server.server_port
        return ()

    def deny(self):
        self._store["denied"] = True
        return ()

    def reject_some(self):
        self._store["busy"] = True
        return ()

    def _events(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self._port}/", timeout=30) as answer:
            return json.load(answer)


def _tagged(value):
    if value is None:
        return None
    for kind, name, write in (
        (str, "text", str), (bool, "bool", bool), (int, "int", str), (float, "float", float.hex),
        (Decimal, "decimal", str), (dt.datetime, "timestamp", dt.datetime.isoformat),
        (dt.date, "date", dt.date.isoformat), (dt.time, "time", dt.time.isoformat),
        (bytes, "bytes", lambda data: base64.b64encode(data).decode("ascii")),
    ):  # fmt: skip
        if isinstance(value, kind):
            return [name, write(value)]
    raise TypeError(f"no value of this service: {value!r}")


def _plain(tagged):
    return None if tagged is None else READ[tagged[0]](tagged[1])
