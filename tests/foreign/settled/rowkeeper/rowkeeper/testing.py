"""A table of wares in a database of its own."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from decimal import Decimal

FIELDS = ("sku", "price", "stock", "listed", "note", "photo")
MAKE = """
    CREATE TABLE wares (
        _topic TEXT NOT NULL, _key TEXT NOT NULL, _at INTEGER,
        sku TEXT NOT NULL, price TEXT NOT NULL, stock INTEGER NOT NULL, listed INTEGER NOT NULL,
        note TEXT, photo BLOB, PRIMARY KEY (_topic, _key)
    )
"""


class KeeperEndpoint:
    """The database, opened for each step; seeds are rows of a topic of their own."""

    def __init__(self, directory):
        self._file = directory / "wares.db"
        self._holder = None

    def start(self):
        with closing(sqlite3.connect(self._file)) as database, database:
            database.execute(MAKE)
        return {"keeper.file": str(self._file), "keeper.table": "wares"}

    def stop(self):
        self.recover()
        self._file.unlink(missing_ok=True)

    def seed(self, values):
        marks = ", ".join("?" for _ in FIELDS)
        with closing(sqlite3.connect(self._file, timeout=30)) as database, database:
            (begin,) = database.execute("SELECT count(*) FROM wares").fetchone()
            for at, value in enumerate(values, begin):
                cells = [value.get(name) for name in FIELDS]
                cells[1] = format(cells[1], "f")
                database.execute(
                    f"INSERT INTO wares VALUES ('seeds', ?, NULL, {marks})", [f'"{at}"', *cells]
                )

    def read_back(self):
        found = []
        for row in self._rows(", ".join(FIELDS)):
            value = dict(zip(FIELDS, row, strict=True))
            price, listed = Decimal(value["price"]), bool(value["listed"])
            found.append({**value, "price": price, "listed": listed})
        return found

    def read_timestamps(self):
        return [at for (at,) in self._rows("_at")]

    def read_topics(self):
        return [topic for (topic,) in self._rows("_topic")]

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
            database.execute("ALTER TABLE wares RENAME TO hidden")
        return ()

    def _rows(self, columns):
        with closing(sqlite3.connect(self._file, timeout=30)) as database:
            return database.execute(f"SELECT {columns} FROM wares ORDER BY rowid").fetchall()
