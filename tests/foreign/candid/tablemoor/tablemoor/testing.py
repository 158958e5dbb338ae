"""The database, read with the sqlite3 of the standard library."""

from __future__ import annotations

import datetime as dt
import sqlite3
from contextlib import closing
from decimal import Decimal

FIELDS = ("id", "name", "amount", "due", "at", "made", "scan", "paid", "note")
READ = {
    "amount": Decimal,
    "due": dt.date.fromisoformat,
    "at": dt.time.fromisoformat,
    "made": dt.datetime.fromisoformat,
    "paid": bool,
}


class MoorEndpoint:
    """A database in the directory."""

    def __init__(self, directory):
        self._file = directory / "moor.sqlite"
        self._away = directory / "moor.away"
        self._holder = None

    def __getstate__(self):
        return {**self.__dict__, "_holder": None}

    def start(self):
        with closing(sqlite3.connect(self._file)) as database:
            database.execute("PRAGMA user_version = 1")
        return {"moor.database": str(self._file)}

    def stop(self):
        self.recover()
        if self._file.is_dir():
            self._file.rmdir()
            self._away.unlink()
        self._file.unlink(missing_ok=True)

    def seed(self, values):
        names = ", ".join(f'"{name}"' for name in FIELDS)
        with closing(sqlite3.connect(self._file, timeout=30)) as database, database:
            database.execute(
                f"CREATE TABLE IF NOT EXISTS seeds (__key NOT NULL PRIMARY KEY, {names})"
            )
            (count,) = database.execute("SELECT count(*) FROM seeds").fetchone()
            for number, row in enumerate(values, count):
                cells = [_written(row.get(name)) for name in FIELDS]
                database.execute(
                    f"INSERT INTO seeds VALUES (?{', ?' * len(FIELDS)})", (number, *cells)
                )

    def read_back(self):
        return [row for _, row in self._rows()]

    def read_topics(self):
        return [table for table, _ in self._rows()]

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
        self._file.rename(self._away)
        self._file.mkdir()
        return ()

    def _rows(self):
        found = []
        with closing(sqlite3.connect(self._file, timeout=30)) as database:
            tables = database.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name = 'seeds' DESC,"
                " name"
            ).fetchall()
            for (table,) in tables:
                cursor = database.execute(f'SELECT * FROM "{table}" ORDER BY rowid')
                names = [column[0] for column in cursor.description]
                for cells in cursor:
                    row = dict(zip(names, cells, strict=True))
                    del row["__key"]
                    found.append((table, dict.fromkeys(FIELDS) | _read(row)))
        return found


def _read(row):
    return {
        name: READ[name](cell) if name in READ and cell is not None else cell
        for name, cell in row.items()
    }


def _written(value):
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    return value
