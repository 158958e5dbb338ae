"""A table of entries in a database of its own."""

from __future__ import annotations

import base64
import datetime as dt
import json
import sqlite3
from contextlib import closing
from decimal import Decimal

MAKE = """
    CREATE TABLE entries (
        source TEXT NOT NULL, part INTEGER NOT NULL, place INTEGER NOT NULL, topic TEXT NOT NULL,
        at INTEGER, key TEXT NOT NULL, kind TEXT NOT NULL, body, headers TEXT NOT NULL,
        PRIMARY KEY (source, part, place)
    )
"""
WRITE = {
    dt.datetime: ("timestamp", dt.datetime.isoformat),
    dt.date: ("date", dt.date.isoformat),
    dt.time: ("time", dt.time.isoformat),
    bool: ("boolean", lambda value: "true" if value else "false"),
    int: ("integer", str),
    float: ("float", repr),
    str: ("text", str),
    bytes: ("bytes", bytes),
    Decimal: ("decimal", str),
    type(None): ("null", lambda _: None),
    dict: ("json", json.dumps),
    list: ("json", json.dumps),
}
READ = {
    "timestamp": dt.datetime.fromisoformat,
    "date": dt.date.fromisoformat,
    "time": dt.time.fromisoformat,
    "boolean": lambda text: text == "true",
    "integer": int,
    "float": float,
    "text": str,
    "bytes": bytes,
    "decimal": Decimal,
    "null": lambda _: None,
    "json": json.loads,
}


class InkEndpoint:
    """The database, opened for each step; seeds are rows of a topic of their own."""

    def __init__(self, directory):
        self._file = directory / "ink.db"
        self._holder = None

    def __getstate__(self):
        return {**self.__dict__, "_holder": None}

    def start(self):
        with closing(sqlite3.connect(self._file)) as database, database:
            database.execute(MAKE)
        return {"ink.file": str(self._file), "ink.table": "entries"}

    def stop(self):
        self.recover()
        self._file.unlink(missing_ok=True)

    def seed(self, values):
        with closing(sqlite3.connect(self._file, timeout=30)) as database, database:
            (begin,) = database.execute(
                "SELECT count(*) FROM entries WHERE source = 'seeds'"
            ).fetchone()
            for at, value in enumerate(values, begin):
                kind, write = WRITE[type(value)]
                database.execute(
                    "INSERT INTO entries VALUES ('seeds', 0, ?, 'seeds', NULL, ?, ?, ?, '[]')",
                    (at, '["null", null]', kind, write(value)),
                )

    def read_back(self):
        return [READ[kind](body) for kind, body in self._rows("kind, body")]

    def read_timestamps(self):
        return [at for (at,) in self._rows("at")]

    def read_topics(self):
        return [topic for (topic,) in self._rows("topic")]

    def read_headers(self):
        found = []
        for (text,) in self._rows("headers"):
            found.append([(name, _header(kind, body)) for name, kind, body in json.loads(text)])
        return found

    def refuse(self):
        self._holder = sqlite3.connect(
            self._file, timeout=30, isolation_level=None, check_same_thread=False
        )
        self._holder.execute("BEGIN EXCLUSIVE")
        return ("database is locked",)

    def recover(self):
        if self._holder is not None:
            self._holder.close()
            self._holder = None
        return ()

    def deny(self):
        with closing(sqlite3.connect(self._file, timeout=30)) as database, database:
            database.execute("ALTER TABLE entries RENAME TO hidden")
        return ()

    def _rows(self, columns):
        with closing(sqlite3.connect(self._file, timeout=30)) as database:
            return database.execute(f"SELECT {columns} FROM entries ORDER BY rowid").fetchall()


def _header(kind, body):
    return base64.b64decode(body) if kind == "bytes" else READ[kind](body)
