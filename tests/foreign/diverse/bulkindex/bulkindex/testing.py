"""A search engine on this machine. Its documents are in SQLite, so other processes see them."""

from __future__ import annotations

import json
import sqlite3
import threading
import uuid
from contextlib import closing
from datetime import UTC, datetime
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = "engine-key-b71f40d2"
MAPPING = {
    "number": int,
    "name": str,
    "price": str,
    "ordered": str,
    "paid": bool,
    "note": str | None,
}
FLAGS = ("down", "denied", "some")


def _connect(directory):
    return sqlite3.connect(directory / "engine.db", timeout=30, isolation_level=None)


def _error(status, kind, reason):
    return {"status": status, "error": {"type": kind, "reason": reason}}


def _mismatch(source):
    for name, value in source.items():
        if name not in MAPPING:
            return f"introducing [{name}] is not allowed"
        wrong = isinstance(value, bool) and MAPPING[name] is int
        if wrong or not isinstance(value, MAPPING[name]):
            return f"failed to parse field [{name}]"
    return ""


def _apply(database, kind, head, source):
    """Carry out one action as a search engine does with external versions."""
    place = (head["_index"], head["_id"])
    found = database.execute(
        "SELECT version, source FROM documents WHERE idx = ? AND id = ?", place
    ).fetchone()
    problem = "" if kind == "delete" else _mismatch(source)
    if problem:
        return _error(400, "mapper_parsing_exception", problem)
    if found and found[0] >= head["version"]:
        return _error(409, "version_conflict_engine_exception", f"current version is {found[0]}")
    text = None if kind == "delete" else json.dumps(source)
    database.execute("DELETE FROM documents WHERE idx = ? AND id = ?", place)
    database.execute("INSERT INTO documents VALUES (?, ?, ?, ?)", (*place, head["version"], text))
    gone = kind == "delete" and (found is None or found[1] is None)
    return {"status": 404, "result": "not_found"} if gone else {"status": 200}


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        directory = self.server.directory
        if (directory / "down").exists():
            return self._answer(503, {})
        right = self.headers["Authorization"] == f"ApiKey {KEY}"
        if not right or (directory / "denied").exists():
            return self._answer(403, {})
        actions = self._actions(body)
        flag = directory / "some"
        partly = len(actions) > 1 and flag.exists()
        if partly:
            flag.unlink()
        items = []
        with closing(_connect(directory)) as database:
            database.execute("BEGIN IMMEDIATE")
            for number, (kind, head, source) in enumerate(actions):
                if partly and number % 2:
                    result = _error(429, "es_rejected_execution_exception", "queue is full")
                else:
                    result = _apply(database, kind, head, source)
                items.append({kind: {"_id": head["_id"], **result}})
            database.execute("COMMIT")
        errors = any("error" in result for item in items for result in item.values())
        return self._answer(200, {"errors": errors, "items": items})

    def _actions(self, body):
        lines = iter(body.decode().split("\n")[:-1])
        actions = []
        for line in lines:
            ((kind, head),) = json.loads(line).items()
            actions.append((kind, head, None if kind == "delete" else json.loads(next(lines))))
        return actions

    def _answer(self, status, content):
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class EngineEndpoint:
    def __init__(self, directory):
        self._directory = directory
        self._server = None

    def __getstate__(self):
        return {**self.__dict__, "_server": None}

    def start(self):
        with closing(_connect(self._directory)) as database:
            database.execute(
                "CREATE TABLE IF NOT EXISTS documents"
                " (idx TEXT, id TEXT, version INTEGER, source TEXT)"
            )
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.directory = self._directory
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return {
            "index.url": f"http://127.0.0.1:{self._server.server_port}",
            "index.api.key": KEY,
        }

    def stop(self):
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None
        for name in (*FLAGS, "engine.db"):
            (self._directory / name).unlink(missing_ok=True)

    def seed(self, values):
        rows = []
        for value in values:
            ordered = value["ordered"].astimezone(UTC).isoformat(timespec="milliseconds")
            source = {**value, "price": format(value["price"], "f"), "ordered": ordered}
            rows.append(("seed", f"seed-{uuid.uuid4()}", 0, json.dumps(source)))
        with closing(_connect(self._directory)) as database:
            database.execute("BEGIN IMMEDIATE")
            database.executemany("INSERT INTO documents VALUES (?, ?, ?, ?)", rows)
            database.execute("COMMIT")

    def read_back(self):
        values = []
        for _, text in self._documents():
            source = json.loads(text)
            source["price"] = Decimal(source["price"])
            source["ordered"] = datetime.fromisoformat(source["ordered"])
            values.append({name: source.get(name) for name in MAPPING})
        return values

    def read_topics(self):
        return [name for name, _ in self._documents()]

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

    def _documents(self):
        with closing(_connect(self._directory)) as database:
            return database.execute(
                "SELECT idx, source FROM documents WHERE source IS NOT NULL ORDER BY rowid"
            ).fetchall()
