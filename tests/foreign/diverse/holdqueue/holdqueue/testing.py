"""A queue on this machine. Its messages are in SQLite; deleted ones stay there, marked."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
import uuid
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOKEN = "queue-token-90ce37a8"


def _connect(directory):
    return sqlite3.connect(directory / "queue.db", timeout=30, isolation_level=None)


def _receive(database, content):
    now = time.time() * 1000
    free = database.execute(
        "SELECT id, body, grp, attributes, sent FROM messages"
        " WHERE NOT deleted AND until <= ? ORDER BY id LIMIT ?",
        (now, content["max"]),
    ).fetchall()
    messages = []
    for number, body, group, attributes, sent in free:
        receipt = f"{number}/{uuid.uuid4().hex}"
        database.execute(
            "UPDATE messages SET holder = ?, receipt = ?, until = ? WHERE id = ?",
            (content["consumer"], receipt, now + content["hold"], number),
        )
        messages.append(
            {
                "id": number,
                "receipt": receipt,
                "body": json.loads(body),
                "group": group,
                "attributes": json.loads(attributes),
                "sent": sent,
            }
        )
    return {"messages": messages}


def _delete(database, content):
    marks = [(receipt,) for receipt in content["receipts"]]
    database.executemany("UPDATE messages SET deleted = 1 WHERE receipt = ?", marks)
    return {"failed": []}


def _release(database, content):
    database.execute("UPDATE messages SET until = 0 WHERE holder = ?", (content["consumer"],))
    return {}


VERBS = {"receive": _receive, "delete": _delete, "release": _release}


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        content = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        directory = self.server.directory
        if (directory / "down").exists():
            return self._answer(503, {})
        if self.headers["X-Token"] != TOKEN or (directory / "denied").exists():
            return self._answer(403, {})
        queue, _, verb = self.path.removeprefix("/queues/").partition("/")
        if queue != "orders" or verb not in VERBS:
            return self._answer(404, {})
        with closing(_connect(directory)) as database:
            database.execute("BEGIN IMMEDIATE")
            answer = VERBS[verb](database, content)
            database.execute("COMMIT")
        return self._answer(200, answer)

    def _answer(self, status, content):
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class QueueEndpoint:
    def __init__(self, directory):
        self._directory = directory
        self._server = None

    def __getstate__(self):
        return {**self.__dict__, "_server": None}

    def start(self):
        with closing(_connect(self._directory)) as database:
            database.execute(
                "CREATE TABLE IF NOT EXISTS messages (id INTEGER PRIMARY KEY, body TEXT, grp TEXT,"
                " attributes TEXT, sent INTEGER, holder TEXT, receipt TEXT,"
                " until REAL DEFAULT 0, deleted INTEGER DEFAULT 0)"
            )
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.directory = self._directory
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return {
            "queue.url": f"http://127.0.0.1:{self._server.server_port}",
            "queue.name": "orders",
            "queue.token": TOKEN,
        }

    def stop(self):
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None
        for name in ("queue.db", "down", "denied"):
            (self._directory / name).unlink(missing_ok=True)

    def seed(self, values):
        now = int(time.time() * 1000)
        with closing(_connect(self._directory)) as database:
            database.execute("BEGIN IMMEDIATE")
            (count,) = database.execute("SELECT count(*) FROM messages").fetchone()
            for number, value in enumerate(values, count + 1):
                attributes = json.dumps({"shop": f"shop {number % 4}"})
                database.execute(
                    "INSERT INTO messages (id, body, grp, attributes, sent) VALUES (?, ?, ?, ?, ?)",
                    (number, json.dumps(value), f"group-{number % 3}", attributes, now + number),
                )
            database.execute("COMMIT")

    def read_back(self):
        return [json.loads(body) for body, _, _ in self._all()]

    def read_keys(self):
        return [group for _, group, _ in self._all()]

    def read_timestamps(self):
        return [sent for _, _, sent in self._all()]

    def seed_foreign(self):
        self.seed([7])
        return ("int", f"message {len(self._all())}")

    def refuse(self):
        (self._directory / "down").touch()
        return ("503",)

    def recover(self):
        (self._directory / "down").unlink()
        return ()

    def deny(self):
        (self._directory / "denied").touch()
        return ()

    def _all(self):
        with closing(_connect(self._directory)) as database:
            return database.execute("SELECT body, grp, sent FROM messages ORDER BY id").fetchall()
