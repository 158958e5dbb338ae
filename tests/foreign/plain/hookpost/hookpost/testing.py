"""An endpoint on this machine, which keeps its items in a file."""

from __future__ import annotations

import base64
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOKEN = "hook-token-83ab0d"
LOCK = threading.Lock()


def _items(path):
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    return [json.loads(line) for line in lines]


def _add(path, items):
    with LOCK, path.open("a", encoding="ascii") as file:
        file.write("".join(json.dumps(item) + "\n" for item in items))


def _original(value):
    if isinstance(value, dict) and "base64" in value:
        return base64.b64decode(value["base64"])
    return value


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        directory = self.server.directory
        items = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if (directory / "down").exists():
            return self._answer(503, {})
        right = self.headers["Authorization"] == f"Bearer {TOKEN}"
        if not right or (directory / "denied").exists():
            return self._answer(403, {})
        results = [201] * len(items)
        if len(items) > 1 and (directory / "some").exists():
            (directory / "some").unlink(missing_ok=True)
            results = [201 if number % 2 else 429 for number in range(len(items))]
        taken = [item for item, result in zip(items, results, strict=True) if result == 201]
        _add(directory / "items", taken)
        return self._answer(200, {"results": results})

    def _answer(self, status, content):
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class HookEndpoint:
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
        url = f"http://127.0.0.1:{self._server.server_port}/items"
        return {"hook.url": url, "hook.token": TOKEN}

    def stop(self):
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None
        for name in ("items", "down", "denied", "some"):
            (self._directory / name).unlink(missing_ok=True)

    def seed(self, values):
        _add(
            self._directory / "items",
            [
                {
                    "topic": "seeds",
                    "key": None,
                    "value": {"base64": base64.b64encode(value).decode("ascii")}
                    if isinstance(value, bytes | bytearray)
                    else value,
                    "timestamp": None,
                    "headers": [],
                }
                for value in values
            ],
        )

    def read_back(self):
        return [_original(item["value"]) for item in self._all()]

    def read_headers(self):
        return [
            [(name, _original(value)) for name, value in item["headers"]] for item in self._all()
        ]

    def read_timestamps(self):
        return [item["timestamp"] for item in self._all()]

    def read_topics(self):
        return [item["topic"] for item in self._all()]

    def refuse(self):
        (self._directory / "down").touch()
        return ("503",)

    def recover(self):
        (self._directory / "down").unlink()
        return ()

    def deny(self):
        (self._directory / "denied").touch()
        return ()

    def reject_some(self):
        (self._directory / "some").touch()
        return ()

    def _all(self):
        return _items(self._directory / "items")
