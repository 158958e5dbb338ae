"""A web hook on this machine. What it was sent is in SQLite, so other processes see it."""

from __future__ import annotations

import json
import sqlite3
import threading
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOKEN = "hook-secret-93ae20f4"
FLAGS = ("down", "denied", "some")


def _connect(directory):
    return sqlite3.connect(directory / "hook.db", timeout=30, isolation_level=None)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        directory = self.server.directory
        if (directory / "down").exists():
            return self._answer(503, {})
        right = self.headers["Authorization"] == f"Bearer {TOKEN}"
        if not right or (directory / "denied").exists():
            return self._answer(401, {})
        items = json.loads(body)["items"]
        flag = directory / "some"
        partly = len(items) > 1 and flag.exists()
        if partly:
            flag.unlink()
        results = []
        with closing(_connect(directory)) as database:
            database.execute("BEGIN IMMEDIATE")
            for number, item in enumerate(items):
                if partly and number % 2:
                    results.append({"status": "busy", "reason": "try again"})
                    continue
                database.execute(
                    "INSERT INTO items VALUES (?, ?, ?)",
                    (item["topic"], item["time"], json.dumps(item["value"])),
                )
                results.append({"status": "accepted"})
            database.execute("COMMIT")
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
        with closing(_connect(self._directory)) as database:
            database.execute("CREATE TABLE IF NOT EXISTS items (topic, time, value)")
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.directory = self._directory
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return {
            "hook.url": f"http://127.0.0.1:{self._server.server_port}/in",
            "hook.token": TOKEN,
        }

    def stop(self):
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None
        for name in (*FLAGS, "hook.db"):
            (self._directory / name).unlink(missing_ok=True)

    def seed(self, values):
        with closing(_connect(self._directory)) as database:
            database.execute("BEGIN IMMEDIATE")
            rows = [("seed", None, json.dumps(value)) for value in values]
            database.executemany("INSERT INTO items VALUES (?, ?, ?)", rows)
            database.execute("COMMIT")

    def read_back(self):
        return [json.loads(text) for _, _, text in self._items()]

    def read_topics(self):
        return [topic for topic, _, _ in self._items()]

    def read_timestamps(self):
        return [time for _, time, _ in self._items()]

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

    def _items(self):
        with closing(_connect(self._directory)) as database:
            return database.execute(
                "SELECT topic, time, value FROM items ORDER BY rowid"
            ).fetchall()
