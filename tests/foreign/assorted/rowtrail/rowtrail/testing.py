"""The trail, without the connector."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing


class TrailEndpoint:
    """A database in a private directory."""

    def __init__(self, directory):
        self._file = directory / "rows.db"
        self._saved = directory / "saved.db"

    def start(self):
        with closing(sqlite3.connect(self._file)) as database, database:
            database.execute(
                "CREATE TABLE trail (id INTEGER PRIMARY KEY AUTOINCREMENT, op TEXT, row INTEGER, "
                "before TEXT, after TEXT, at INTEGER)"
            )
        return {"database": str(self._file)}

    def stop(self):
        for file in (self._file, self._saved):
            file.unlink(missing_ok=True)

    def seed(self, values):
        """A row of three is new, one is changed, and one that was there before is removed."""
        with closing(sqlite3.connect(self._file, timeout=60)) as database, database:
            (count,) = database.execute("SELECT count(*) FROM trail").fetchone()
            for number, value in enumerate(values, count):
                old, text = json.dumps(f"old {number}"), json.dumps(value)
                op = "cud"[number % 3]
                images = {"c": (None, text), "u": (old, text), "d": (text, None)}[op]
                database.execute(
                    "INSERT INTO trail (op, row, before, after, at) VALUES (?, ?, ?, ?, ?)",
                    (op, number % 41, *images, 1_660_000_000_003 + 811 * number),
                )

    def _read(self):
        with closing(sqlite3.connect(self._file, timeout=60)) as database:
            return database.execute(
                "SELECT coalesce(after, before), at FROM trail ORDER BY id"
            ).fetchall()

    def read_back(self):
        return [json.loads(text) for text, _ in self._read()]

    def read_timestamps(self):
        return [at for _, at in self._read()]

    def read_keys(self):
        with closing(sqlite3.connect(self._file, timeout=60)) as database:
            rows = database.execute("SELECT row FROM trail ORDER BY id").fetchall()
        return [{"row": row} for (row,) in rows]

    def seeded(self, value):
        if value is None:  # a tombstone
            return None
        image = value["before"] if value["after"] is None else value["after"]
        return None if image is None else image["text"]

    def seed_foreign(self):
        self.seed([7])
        return ("int", "expected text")

    def refuse(self):
        self._file.rename(self._saved)
        self._file.write_bytes(b"closed for repairs " * 100)
        return ("file is not a database",)

    def deny(self):
        self.refuse()
        return ()

    def recover(self):
        self._file.unlink()
        self._saved.rename(self._file)
        return ()
