"""A warehouse with a stage, without the connector."""

from __future__ import annotations

import shutil
import sqlite3
import uuid
from contextlib import closing
from datetime import UTC, datetime
from decimal import Decimal

COLUMNS = ("units", "shop", "amount", "sold", "online", "remark")


class WarehouseEndpoint:
    def __init__(self, directory):
        self._file = directory / "warehouse.db"
        self._aside = directory / "warehouse.aside"
        self._stage = directory / "stage"

    def start(self):
        self._stage.mkdir()
        with closing(self._connect()) as database:
            database.execute(
                "CREATE TABLE sales (sale PRIMARY KEY NOT NULL, units INTEGER NOT NULL,"
                " shop TEXT NOT NULL, amount TEXT NOT NULL, sold TEXT NOT NULL,"
                " online INTEGER NOT NULL, remark TEXT)"
            )
        return {"warehouse.database": str(self._file), "warehouse.stage": str(self._stage)}

    def stop(self):
        if self._file.is_dir():
            self._file.rmdir()
        self._file.unlink(missing_ok=True)
        self._aside.unlink(missing_ok=True)
        shutil.rmtree(self._stage, ignore_errors=True)

    def seed(self, values):
        rows = []
        for value in values:
            amount = format(value["amount"], "f")
            sold = value["sold"].astimezone(UTC).isoformat(timespec="milliseconds")
            row = {**value, "amount": amount, "sold": sold, "online": int(value["online"])}
            rows.append((f"seed-{uuid.uuid4()}", *(row[name] for name in COLUMNS)))
        with closing(self._connect()) as database:
            database.execute("BEGIN IMMEDIATE")
            database.executemany("INSERT INTO sales VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
            database.execute("COMMIT")

    def read_back(self):
        with closing(self._connect()) as database:
            rows = database.execute(f"SELECT {', '.join(COLUMNS)} FROM sales ORDER BY rowid")
            return [
                {
                    "units": units,
                    "shop": shop,
                    "amount": Decimal(amount),
                    "sold": datetime.fromisoformat(sold),
                    "online": bool(online),
                    "remark": remark,
                }
                for units, shop, amount, sold, online, remark in rows
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
        with closing(self._connect()) as database:
            database.execute("ALTER TABLE sales RENAME TO old_sales")
        return ()

    def _connect(self):
        return sqlite3.connect(self._file, timeout=60, isolation_level=None)
