"""The table, without the connector."""

from __future__ import annotations

import datetime as dt
import sqlite3
from contextlib import closing
from decimal import Decimal

HIDDEN = ("_topic", "_partition", "_offset", "_value")
READ = {"amount": Decimal, "score": float, "seen": dt.datetime.fromisoformat, "open": bool}


class RowBookEndpoint:
    """A database in a private directory."""

    def __init__(self, directory):
        self._file = directory / "book.db"
        self._saved = directory / "saved.db"

    def start(self):
        with closing(sqlite3.connect(self._file)) as database:
            database.execute(
                "CREATE TABLE book (_topic TEXT, _partition INTEGER, _offset INTEGER, "
                "_value TEXT, PRIMARY KEY (_topic, _partition, _offset))"
            )
        return {"database": str(self._file)}

    def stop(self):
        for file in (self._file, self._saved):
            if file.is_dir():
                file.rmdir()
            file.unlink(missing_ok=True)

    def seed(self, values):
        with closing(sqlite3.connect(self._file)) as database, database:
            (first,) = database.execute("SELECT count(*) FROM book").fetchone()
            database.executemany(
                "INSERT INTO book (_topic, _partition, _offset, _value) VALUES ('seed', 0, ?, ?)",
                list(enumerate(values, first)),
            )

    def read_back(self):
        with closing(sqlite3.connect(self._file)) as database:
            found = database.execute(
                "SELECT * FROM book ORDER BY _topic, _partition, _offset"
            )
            names = [column[0] for column in found.description]
            return [_value(dict(zip(names, row, strict=True))) for row in found]

    def refuse(self):
        self._file.rename(self._saved)
        self._file.mkdir()
        return ("unable to open database file",)

    def recover(self):
        self._file.rmdir()
        self._saved.rename(self._file)
        return ()


def _value(row):
    fields = {name: item for name, item in row.items() if name not in HIDDEN}
    if row["_value"] is not None or all(item is None for item in fields.values()):
        return row["_value"]
    return {
        name: READ[name](item) if name in READ and item is not None else item
        for name, item in fields.items()
    }
