"""The table, without the connector."""

from __future__ import annotations

import sqlite3
from contextlib import closing


class MailEndpoint:
    """A database in a private directory."""

    def __init__(self, directory):
        self._file = directory / "mail.db"
        self._saved = directory / "saved.db"

    def start(self):
        with closing(sqlite3.connect(self._file)) as database:
            database.execute(
                "CREATE TABLE mail (id INTEGER PRIMARY KEY AUTOINCREMENT, body, at INTEGER)"
            )
        return {"database": str(self._file)}

    def stop(self):
        for file in (self._file, self._saved):
            if file.is_dir():
                file.rmdir()
            file.unlink(missing_ok=True)

    def seed(self, values):
        self._insert(values)

    def _insert(self, values):
        with closing(sqlite3.connect(self._file, timeout=60)) as database, database:
            (count,) = database.execute("SELECT count(*) FROM mail").fetchone()
            database.executemany(
                "INSERT INTO mail (body, at) VALUES (?, ?)",
                [
                    (value, 1_650_000_000_000 + 1_237 * number)
                    for number, value in enumerate(values, count)
                ],
            )

    def _read(self):
        with closing(sqlite3.connect(self._file, timeout=60)) as database:
            return database.execute("SELECT body, at FROM mail ORDER BY id").fetchall()

    def read_back(self):
        return [body for body, _ in self._read()]

    def read_timestamps(self):
        return [at for _, at in self._read()]

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
