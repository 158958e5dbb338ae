"""The table of rows, without the connector."""

from __future__ import annotations

import sqlite3
import uuid
from contextlib import closing
from datetime import UTC, datetime
from decimal import Decimal

COLUMNS = ("number", "name", "price", "ordered", "paid", "note")


class TableEndpoint:
    def __init__(self, directory):
        self._file = directory / "keep.db"
        self._aside = directory / "keep.aside"

    def start(self):
        with closing(self._connect()) as database, database:
            database.execute(
                "CREATE TABLE orders (pk PRIMARY KEY NOT NULL, number INTEGER NOT NULL,"
                " name TEXT NOT NULL, price TEXT NOT NULL, ordered TEXT NOT NULL,"
                " paid INTEGER NOT NULL, note TEXT)"
            )
        return {"keep.database": str(self._file)}

    def stop(self):
        if self._file.is_dir():
            self._file.rmdir()
        self._file.unlink(missing_ok=True)
        self._aside.unlink(missing_ok=True)

    def seed(self, values):
        rows = []
        for value in values:
            row = dict(value)
            ordered = row["ordered"].astimezone(UTC).isoformat(timespec="milliseconds")
            rows.append(
                (
                    f"seed-{uuid.uuid4()}",
                    row["number"],
                    row["name"],
                    format(row["price"], "f"),
                    ordered,
                    int(row["paid"]),
                    row["note"],
                )
            )
        with closing(self._connect()) as database, database:
            database.executemany("INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?, ?)", rows)

    def read_back(self):
        with closing(self._connect()) as database:
            rows = database.execute(f"SELECT {', '.join(COLUMNS)} FROM orders ORDER BY rowid")
            return [
                {
                    "number": number,
                    "name": name,
                    "price": Decimal(price),
                    "ordered": datetime.fromisoformat(ordered),
                    "paid": bool(paid),
                    "note": note,
                }
                for number, name, price, ordered, paid, note in rows
            ]

    def refuse(self):
        self._file.rename(self._aside)
        self._file.mkdir()
        return ("unable to open database file",)

    def recover(self):
        self._file.rmdir()
        self._aside.rename(self._file)
        return ()

    def deny(self):
        with closing(self._connect()) as database, database:
            database.execute("ALTER TABLE orders RENAME TO old_orders")
        return ()

    def _connect(self):
        return sqlite3.connect(self._file, timeout=60)
