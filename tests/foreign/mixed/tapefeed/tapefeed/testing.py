"""The table, without the connector."""

from __future__ import annotations

import sqlite3
from contextlib import closing


class TapeEndpoint:
    """A database in a private directory; seven rows have the same time."""

    def __init__(self, directory):
        self._file = directory / "tape.db"
        self._saved = directory / "saved.db"

    def start(self):
        with closing(sqlite3.connect(self._file)) as database:
            database.execute("CREATE TABLE tape (number INTEGER PRIMARY KEY, text, at INTEGER)")
        return {"database": str(self._file)}

    def stop(self):
        for file in (self._file, self._saved):
            if file.is_dir():
                file.rmdir()
            file.unlink(missing_ok=True)

    def seed(self, values):
        self._insert(values)

    def seed_at_once(self, values):
        self._insert(values, at_once=True)
        return ()

    def _insert(self, values, *, at_once=False):
        with closing(sqlite3.connect(self._file, timeout=60)) as database, database:
            (count,) = database.execute("SELECT count(*) FROM tape").fetchone()
            database.executemany(
                "INSERT INTO tape VALUES (?, ?, ?)",
                [
                    (number + 1, value, 1_630_000_000_000 + 1_013 * ((count if at_once else number) // 7))
                    for number, value in enumerate(values, count)
                ],
            )

    def _read(self):
        with closing(sqlite3.connect(self._file, timeout=60)) as database:
            return database.execute("SELECT text, at FROM tape ORDER BY number").fetchall()

    def read_back(self):
        return [text for text, _ in self._read()]

    def read_timestamps(self):
        return [at for _, at in self._read()]

    def seeded(self, value):
        return value["text"]

    def seed_foreign(self):
        self._insert([7])
        return ("int", "expected text")

    def refuse(self):
        self._file.rename(self._saved)
        self._file.mkdir()
        return ("disk I/O error",)

    def recover(self):
        self._file.rmdir()
        self._saved.rename(self._file)
        return ()
