"""A key-value store over a database of changes, without the connector."""

# ruff: noqa: D102  # the methods are those of the contract

from __future__ import annotations

import json
import socketserver
import sqlite3
import threading
import time
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from decimal import Decimal

PREFIXES = ("orders/", "refunds/", "stock/")
KEYS_OF_CHANGE = 4
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Session(socketserver.StreamRequestHandler):
    """Answers questions after changes."""

    def handle(self):
        self.server.sessions.add(self.connection)
        with suppress(OSError, ValueError, sqlite3.Error):
            while line := self.rfile.readline():
                answer = self._answer(json.loads(line))
                self.wfile.write(json.dumps(answer).encode() + b"\n")
        self.server.sessions.discard(self.connection)

    def _answer(self, question):
        until = time.monotonic() + question["wait_ms"] / 1000
        while True:
            if self.server.denies:
                return {"error": "permission denied"}
            events = self.server.events(question)
            if events or time.monotonic() >= until:
                return {"events": events}
            time.sleep(0.02)


class Store(socketserver.ThreadingTCPServer):
    """Ends its sessions when it is closed."""

    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False

    def __init__(self, address, file):
        self.sessions = set()
        self.denies = False
        self._file = file
        super().__init__(address, Session)

    def events(self, question):
        revision, index = question["after"]
        with closing(sqlite3.connect(self._file, timeout=60)) as database:
            rows = database.execute(
                "SELECT revision, place, key, value, at FROM changes WHERE prefix = ?"
                " AND (revision, place) > (?, ?) ORDER BY revision, place LIMIT ?",
                (question["prefix"], revision, index, question["most"]),
            ).fetchall()
        names = "revision", "index", "key", "value", "at"
        events = [dict(zip(names, row, strict=True)) for row in rows]
        return [{**event, "value": json.loads(event["value"])} for event in events]

    def drop(self):
        for each in list(self.sessions):
            with suppress(OSError):
                each.shutdown(2)


class StoreEndpoint:
    """Changes four keys at once, and deletes every fifth key afterwards."""

    def __init__(self, directory):
        self._file = directory / "store.db"
        self._store = None
        self._port = 0

    def start(self):
        with closing(self._connect()) as database, database:
            database.execute(
                "CREATE TABLE IF NOT EXISTS changes (revision, place, prefix, key, value, at)"
            )
        self._serve()
        return {
            "kv.server.host": "127.0.0.1",
            "kv.server.port": str(self._port),
            "kv.prefixes": ",".join(PREFIXES),
        }

    def stop(self):
        self._close()
        self._file.unlink(missing_ok=True)

    def seed(self, values):
        texts = [json.dumps(_stored(value)) for value in values]
        for begin in range(0, len(texts), KEYS_OF_CHANGE):
            self._change(texts[begin : begin + KEYS_OF_CHANGE])

    def seed_corrupt(self):
        revision = self._change(['{"number": 1, "label": "half a value"}'])
        return ("key", f"revision {revision}")

    def read_back(self):
        return [_value(json.loads(value)) for _, _, value, _ in self._all()]

    def read_keys(self):
        return [
            {"prefix": prefix, "name": key.removeprefix(prefix)}
            for prefix, key, _, _ in self._all()
        ]

    def read_timestamps(self):
        return [at for _, _, _, at in self._all()]

    def refuse(self):
        self._close()
        return (f"127.0.0.1:{self._port}",)

    def recover(self):
        self._serve()
        return ()

    def deny(self):
        self._store.denies = True
        return ()

    def _change(self, texts):
        now = int(time.time() * 1000)
        with closing(self._connect()) as database:
            database.execute("BEGIN IMMEDIATE")
            (last, count) = database.execute(
                "SELECT coalesce(max(revision), 0), count(*) FROM changes"
            ).fetchone()
            insert = "INSERT INTO changes VALUES (?, ?, ?, ?, ?, ?)"
            prefix = PREFIXES[(last // 2) % len(PREFIXES)]
            for place, text in enumerate(texts, 1):
                key = f"{prefix}{count + place}"
                database.execute(insert, (last + 1, place, prefix, key, text, now))
                if (count + place) % 5 == 0:
                    database.execute(insert, (last + 2, place, prefix, key, "null", now))
            database.execute("COMMIT")
        return last + 1

    def _all(self):
        with closing(self._connect()) as database:
            return database.execute(
                "SELECT prefix, key, value, at FROM changes WHERE value <> 'null'"
                " ORDER BY revision, place"
            ).fetchall()

    def _connect(self):
        return sqlite3.connect(self._file, timeout=60, isolation_level=None)

    def _serve(self):
        self._store = Store(("127.0.0.1", self._port), self._file)
        self._port = self._store.server_address[1]
        threading.Thread(target=self._store.serve_forever, args=(0.02,), daemon=True).start()

    def _close(self):
        if self._store is not None:
            self._store.shutdown()
            self._store.server_close()
            self._store.drop()
            self._store = None


def _stored(row):
    unscaled = int(row["amount"].scaleb(2))
    size = unscaled.bit_length() // 8 + 1
    return {
        **row,
        "amount": unscaled.to_bytes(size, "big", signed=True).hex(),
        "due": (row["due"] - EPOCH) // timedelta(milliseconds=1),
    }


def _value(row):
    unscaled = int.from_bytes(bytes.fromhex(row["amount"]), "big", signed=True)
    return {
        **row,
        "amount": Decimal(unscaled).scaleb(-2),
        "due": EPOCH + timedelta(milliseconds=row["due"]),
    }
