"""The database, without the connector."""

from __future__ import annotations

import sqlite3
import uuid
from contextlib import closing


class PantryEndpoint:
    """A database in a private directory."""

    def __init__(self, directory):
        self._file = directory / "pantry.db"
        self._saved = directory / "saved.db"

    def start(self):
        with closing(sqlite3.connect(self._file)) as database:
            database.execute(
                "CREATE TABLE items (topic TEXT NOT NULL, id TEXT NOT NULL, "
                "value TEXT NOT NULL, at INTEGER, PRIMARY KEY (topic, id))"
            )
        return {"database": str(self._file)}

    def stop(self):
        for file in (self._file, self._saved):
            if file.is_dir():
                file.rmdir()
            file.unlink(missing_ok=True)

    def seed(self, values):
        with closing(sqlite3.connect(self._file)) as database, database:
            database.executemany(
                "INSERT INTO items VALUES ('seed', ?, ?, NULL)",
                [(uuid.uuid4().hex, value) for value in values],
            )

    def _read(self):
        with closing(sqlite3.connect(self._file)) as database:
            return database.execute("SELECT value, at FROM items ORDER BY rowid").fetchall()

    def read_back(self):
        return [value for value, _ in self._read()]

    def read_timestamps(self):
        return [at for _, at in self._read()]

    def refuse(self):
        self._file.rename(self._saved)
        self._file.mkdir()
        return ("unable to open database file",)

    def recover(self):
        self._file.rmdir()
        self._saved.rename(self._file)
        return ()
