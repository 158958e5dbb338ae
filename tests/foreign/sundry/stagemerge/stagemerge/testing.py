"""The warehouse, without the connector."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing


class WarehouseEndpoint:
    """A database in a private directory."""

    def __init__(self, directory):
        self._file = directory / "warehouse.db"
        self._saved = directory / "saved.db"

    def start(self):
        with closing(sqlite3.connect(self._file)) as database, database:
            database.execute("CREATE TABLE t_seed (key TEXT, doc TEXT, at INTEGER)")
        return {"warehouse": str(self._file)}

    def stop(self):
        for file in (self._file, self._saved):
            file.unlink(missing_ok=True)

    def seed(self, values):
        with closing(sqlite3.connect(self._file, timeout=60)) as database, database:
            database.executemany(
                "INSERT INTO t_seed (doc) VALUES (?)",
                [(json.dumps({"text": value}),) for value in values],
            )

    def _read(self):
        with closing(sqlite3.connect(self._file, timeout=60)) as database:
            tables = database.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 't_*'"
            ).fetchall()
            return [
                row
                for (table,) in sorted(tables)
                for row in database.execute(f"SELECT doc, at FROM {table}").fetchall()
            ]

    def read_back(self):
        docs = [json.loads(doc) for doc, _ in self._read()]
        return [doc["row"] if "row" in doc else doc["text"] for doc in docs]

    def read_timestamps(self):
        return [at for _, at in self._read()]

    def refuse(self):
        self._file.rename(self._saved)
        self._file.write_bytes(b"closed for repairs " * 100)
        return ("file is not a database",)

    def recover(self):
        self._file.unlink()
        self._saved.rename(self._file)
        return ()
