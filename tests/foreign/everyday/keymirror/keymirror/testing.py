"""A database with mirrored tables, without the connector."""

from __future__ import annotations

import sqlite3
import uuid
from contextlib import closing
from datetime import UTC, date, datetime
from decimal import Decimal

TYPES = {
    "stock": "INTEGER",
    "sku": "TEXT",
    "cost": "TEXT",
    "changed": "TEXT",
    "listed": "INTEGER",
    "since": "TEXT",
    "remark": "TEXT",
}


class MirrorEndpoint:
    def __init__(self, directory):
        self._file = directory / "mirror.db"
        self._aside = directory / "mirror.aside"

    def start(self):
        with closing(self._connect()) as database:
            database.execute("PRAGMA user_version = 1")
        return {"mirror.database": str(self._file)}

    def stop(self):
        if self._file.is_dir():
            self._file.rmdir()
        self._file.unlink(missing_ok=True)
        self._aside.unlink(missing_ok=True)

    def seed(self, values):
        with closing(self._connect()) as database:
            database.execute("BEGIN IMMEDIATE")
            columns = ", ".join(f"{name} {kind}" for name, kind in TYPES.items())
            database.execute(f"CREATE TABLE IF NOT EXISTS seed (_key PRIMARY KEY, {columns})")
            for value in values:
                changed = value["changed"].astimezone(UTC).isoformat(timespec="milliseconds")
                row = {
                    **value,
                    "cost": format(value["cost"], "f"),
                    "changed": changed,
                    "since": value["since"].isoformat(),
                }
                database.execute(
                    "INSERT INTO seed VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    (f"seed-{uuid.uuid4()}", *(row.get(name) for name in TYPES)),
                )
            database.execute("COMMIT")

    def read_back(self):
        return [_value(row) for _, row in self._rows()]

    def read_topics(self):
        return [table for table, _ in self._rows()]

    def refuse(self):
        self._file.rename(self._aside)
        self._file.mkdir()
        return ("unable to open database file",)

    def recover(self):
        self._file.rmdir()
        self._aside.rename(self._file)
        return ()

    def _rows(self):
        rows = []
        with closing(self._connect()) as database:
            database.row_factory = sqlite3.Row
            tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            for (table,) in tables.fetchall():
                for row in database.execute(f'SELECT * FROM "{table}" ORDER BY rowid'):
                    rows.append((table, {name: row[name] for name in row.keys() if name != "_key"}))
        return rows

    def _connect(self):
        return sqlite3.connect(self._file, timeout=60, isolation_level=None)


def _value(row):
    return {
        **row,
        "cost": Decimal(row["cost"]),
        "changed": datetime.fromisoformat(row["changed"]),
        "listed": bool(row["listed"]),
        "since": date.fromisoformat(row["since"]),
    }
