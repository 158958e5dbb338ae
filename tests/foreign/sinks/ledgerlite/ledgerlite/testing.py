"""The database, without the connector."""

from __future__ import annotations

import json
import sqlite3
import uuid
from contextlib import closing


class LedgerEndpoint:
    """A database in a private directory."""

    def __init__(self, directory):
        self._file = directory / "ledger.db"
        self._saved = directory / "saved.db"

    def start(self):
        with closing(sqlite3.connect(self._file)) as database:
            database.execute("CREATE TABLE seeds (key TEXT PRIMARY KEY, value TEXT, at INTEGER)")
        return {"database": str(self._file)}

    def stop(self):
        for file in (self._file, self._saved):
            if file.is_dir():
                file.rmdir()
            file.unlink(missing_ok=True)

    def seed(self, values):
        with closing(sqlite3.connect(self._file)) as database, database:
            database.executemany(
                "INSERT INTO seeds VALUES (?, ?, NULL)",
                [(json.dumps(uuid.uuid4().hex), value) for value in values],
            )

    def _read(self):
        with closing(sqlite3.connect(self._file)) as database:
            tables = [
                name
                for (name,) in database.execute(
                    "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
                )
            ]
            rows = []
            for table in tables:
                quoted = '"' + table.replace('"', '""') + '"'
                rows += database.execute(f"SELECT value, at FROM {quoted} ORDER BY rowid")
            return rows

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
