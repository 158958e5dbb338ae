"""The box, without the connector."""

from __future__ import annotations

import sqlite3
from contextlib import closing


class BoxEndpoint:
    """A database in a private directory."""

    def __init__(self, directory):
        self._file = directory / "box.db"
        self._saved = directory / "saved.db"

    def start(self):
        with closing(sqlite3.connect(self._file)) as database, database:
            database.execute(
                "CREATE TABLE box (id INTEGER PRIMARY KEY AUTOINCREMENT, body, at INTEGER, "
                "holder TEXT, receipt TEXT)"
            )
        return {"database": str(self._file)}

    def stop(self):
        for file in (self._file, self._saved):
            file.unlink(missing_ok=True)

    def seed(self, values):
        with closing(sqlite3.connect(self._file, timeout=60)) as database, database:
            (last,) = database.execute("SELECT coalesce(max(id), 0) FROM box").fetchone()
            database.executemany(
                "INSERT INTO box (body, at) VALUES (?, ?)",
                [
                    (value, 1_690_000_000_007 + 1_013 * number)
                    for number, value in enumerate(values, last)
                ],
            )

    def _read(self):
        with closing(sqlite3.connect(self._file, timeout=60)) as database:
            return database.execute("SELECT body, at FROM box ORDER BY id").fetchall()

    def read_back(self):
        return [body for body, _ in self._read()]

    def read_timestamps(self):
        return [at for _, at in self._read()]

    def seed_foreign(self):
        self.seed([7])
        return ("int", "expected text")

    def refuse(self):
        self._file.rename(self._saved)
        self._file.write_bytes(b"closed for repairs " * 100)
        return ("file is not a database",)

    def recover(self):
        self._file.unlink()
        self._saved.rename(self._file)
        return ()
