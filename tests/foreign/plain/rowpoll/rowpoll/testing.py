"""Two tables, written without the connector."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing

TABLES = ("orders", "refunds")


class TablesEndpoint:
    def __init__(self, directory):
        self._file = directory / "shop.db"
        self._aside = directory / "shop.aside"

    def start(self):
        with closing(self._connect()) as database, database:
            for table in TABLES:
                database.execute(
                    f"CREATE TABLE {table}"
                    " (id INTEGER PRIMARY KEY AUTOINCREMENT, updated_at INTEGER, payload)"
                )
        return {"rowpoll.database": str(self._file)}

    def stop(self):
        if self._file.is_dir():
            self._file.rmdir()
        self._file.unlink(missing_ok=True)
        self._aside.unlink(missing_ok=True)

    def seed(self, values):
        """Rows alternate between the tables; time does not go back."""
        self._insert(values, lambda now, number: now + number)

    def seed_at_once(self, values):
        self._insert(values, lambda now, _: now)
        return ()

    def read_back(self):
        return [payload for _, _, payload in self._rows()]

    def read_keys(self):
        return [number for number, _, _ in self._rows()]

    def read_timestamps(self):
        return [updated_at for _, updated_at, _ in self._rows()]

    def refuse(self):
        self._file.rename(self._aside)
        self._file.mkdir()
        return ("disk I/O error",)

    def recover(self):
        self._file.rmdir()
        self._aside.rename(self._file)
        return ()

    def deny(self):
        with closing(self._connect()) as database, database:
            for table in TABLES:
                database.execute(f"ALTER TABLE {table} RENAME TO old_{table}")
        return ()

    def seed_foreign(self):
        self._insert([2.5], lambda now, _: now)
        return ("float", "id ")

    def _connect(self):
        return sqlite3.connect(self._file, timeout=60)

    def _insert(self, values, at):
        with closing(self._connect()) as database, database:
            database.execute("BEGIN IMMEDIATE")
            latest = [
                database.execute(f"SELECT max(updated_at), count(*) FROM {table}").fetchone()
                for table in TABLES
            ]
            count = sum(each for _, each in latest)
            now = max(int(time.time() * 1000), *(1 + (each or 0) for each, _ in latest))
            for number, value in enumerate(values):
                table = TABLES[(count + number) % len(TABLES)]
                database.execute(
                    f"INSERT INTO {table} (updated_at, payload) VALUES (?, ?)",
                    (at(now, number), bytes(value) if isinstance(value, bytearray) else value),
                )

    def _rows(self):
        with closing(self._connect()) as database:
            return [
                row
                for table in TABLES
                for row in database.execute(
                    f"SELECT id, updated_at, payload FROM {table} ORDER BY updated_at, id"
                )
            ]
