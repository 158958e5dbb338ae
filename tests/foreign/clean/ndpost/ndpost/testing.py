"""A small HTTP service for the tests. Accepted items are lines of a file."""

import base64
import fcntl
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

USER, PASSWORD = "loader", "nd:pa55-Zq7!wörd"


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        service = self.server.service
        lines = self.rfile.read(int(self.headers["Content-Length"])).splitlines()
        if service.flag("maintenance").exists():
            return self.reply(503, b"")
        expected = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
        if self.headers["Authorization"] != expected or service.flag("locked-out").exists():
            return self.reply(403, b"")
        part = service.flag("overloaded")
        overloaded = len(lines) > 1 and part.exists()
        if overloaded:
            part.unlink()
        taken, answers = [], []
        for n, line in enumerate(lines):
            if overloaded and n % 3 == 1:
                answers.append({"ok": False, "retry": True})
            elif json.loads(line)["value"] == "poison":
                answers.append({"ok": False, "error": "poison is not accepted here"})
            else:
                taken.append(line)
                answers.append({"ok": True})
        service.append(taken)
        self.reply(200, b"".join(json.dumps(a).encode() + b"\n" for a in answers))

    def reply(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


class PostService:
    def __init__(self, directory):
        self.directory = directory
        self.items = directory / "items.ndjson"
        self.server = None

    def __getstate__(self):
        return {"directory": self.directory, "items": self.items, "server": None}

    def flag(self, name):
        return self.directory / name

    def append(self, lines):
        with open(self.items, "ab") as f:
            fcntl.flock(f, fcntl.LOCK_EX)
            f.write(b"".join(line + b"\n" for line in lines))

    def start(self):
        self.items.touch()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.service = self
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        return {
            "endpoint.url": f"http://127.0.0.1:{self.server.server_port}/v1/items",
            "endpoint.user": USER,
            "endpoint.password": PASSWORD,
        }

    def stop(self):
        if self.server is not None:
            self.server.shutdown()
            self.server.server_close()
            self.server = None
        for path in (self.items, *map(self.flag, ("maintenance", "locked-out", "overloaded"))):
            path.unlink(missing_ok=True)

    def seed(self, values):
        self.append(
            [json.dumps({"topic": "seed", "timestamp": None, "value": v}).encode() for v in values]
        )

    def _all(self):
        return [json.loads(line) for line in self.items.read_bytes().splitlines()]

    def read_back(self):
        return [item["value"] for item in self._all()]

    def read_topics(self):
        return [item["topic"] for item in self._all()]

    def read_timestamps(self):
        return [item["timestamp"] for item in self._all()]

    def refuse(self):
        self.flag("maintenance").touch()
        return ("503",)

    def recover(self):
        self.flag("maintenance").unlink(missing_ok=True)
        return ()

    def deny(self):
        self.flag("locked-out").touch()
        return ()

    def reject_some(self):
        self.flag("overloaded").touch()
        return ()
