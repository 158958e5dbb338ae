"""Two tables with their log, written as the application does, by a clock that is ahead of UTC."""

from __future__ import annotations

import datetime as dt
import json
import sqlite3
from contextlib import closing
from decimal import Decimal

TABLES = ("orders", "returns")
ZONE = dt.timezone(dt.timedelta(hours=8))
BEGIN = dt.datetime(2026, 4, 2, 23, 59, 58, tzinfo=ZONE)
FIELDS = ("name", "amount", "pieces", "urgent", "due", "note")
MAKE = """
    CREATE TABLE {table} (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL, amount DECIMAL(38, 2) NOT NULL,
        pieces INTEGER NOT NULL, urgent BOOLEAN NOT NULL, due DATETIME, note TEXT
    )
"""
LOG = """
    CREATE TABLE changes (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, tab TEXT NOT NULL, op TEXT NOT NULL,
        id INTEGER NOT NULL, at TEXT NOT NULL, image TEXT
    )
"""


class ShadowEndpoint:
    """The database, opened for each step."""

    def __init__(self, directory):
        self._file = directory / "shop.db"
        self._holder = None

    def __getstate__(self):
        return {**self.__dict__, "_holder": None}

    def start(self):
        with closing(self._open()) as database, database:
            for table in TABLES:
                database.execute(MAKE.format(table=table))
            database.execute(LOG)
        return {
            "shadow.file": str(self._file),
            "shadow.tables": ",".join(TABLES),
            "shadow.zone": "+08:00",
        }

    def stop(self):
        self.recover()
        self._file.unlink(missing_ok=True)

    def seed(self, values):
        """Insert rows into the tables in turn, and delete every third of them again."""
        with closing(self._open()) as database, database:
            for value in values:
                number = self._count(database)
                table, row = TABLES[number % 2], number + 1
                image = {name: _written(content) for name, content in value.items()}
                if (added := self._added(database)) is not None:
                    image[added[0]] = added[1]
                places = ", ".join("?" for _ in image)
                database.execute(
                    f"INSERT INTO {table} (id, {', '.join(image)}) VALUES (?, {places})",
                    (row, *image.values()),
                )
                self._log(database, table, "c", row, json.dumps(image))
                if number % 3 == 2:
                    database.execute(f"DELETE FROM {table} WHERE id = ?", (row,))
                    self._log(database, table, "d", row, None)

    def seed_foreign(self):
        wrong = {"name": 12, "amount": "1.00", "pieces": 1, "urgent": True}
        with closing(self._open()) as database, database:
            number = self._count(database)
            self._log(database, TABLES[number % 2], "c", number + 1, json.dumps(wrong))
        return ("name",)

    def seed_corrupt(self):
        with closing(self._open()) as database, database:
            number = self._count(database)
            table = TABLES[number % 2]
            place = self._log(database, table, "c", number + 1, '{"name": "half')
        return (table, f"change {place}")

    def add_field(self, name, text):
        with closing(self._open()) as database, database:
            for table in TABLES:
                database.execute(f'ALTER TABLE {table} ADD COLUMN "{name}" TEXT')
            database.execute("CREATE TABLE IF NOT EXISTS added (name TEXT, content TEXT)")
            database.execute("DELETE FROM added")
            database.execute("INSERT INTO added VALUES (?, ?)", (name, text))
        return ()

    def read_back(self):
        return [value for value, _, _ in self._found()]

    def read_keys(self):
        return [key for _, key, _ in self._found()]

    def read_timestamps(self):
        return [time for _, _, time in self._found()]

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
        with closing(self._open()) as database, database:
            database.execute("ALTER TABLE changes RENAME TO hidden")
        return ()

    def _open(self):
        return sqlite3.connect(self._file, timeout=30)

    def _count(self, database):
        (count,) = database.execute("SELECT count(*) FROM changes WHERE op = 'c'").fetchone()
        return count

    def _added(self, database):
        known = database.execute("SELECT 1 FROM sqlite_master WHERE name = 'added'").fetchone()
        return known and database.execute("SELECT name, content FROM added").fetchone()

    def _log(self, database, table, operation, row, image):
        at = (BEGIN + dt.timedelta(milliseconds=row * 333)).replace(tzinfo=None)
        made = database.execute(
            "INSERT INTO changes (tab, op, id, at, image) VALUES (?, ?, ?, ?, ?)",
            (table, operation, row, at.isoformat(" ", "milliseconds"), image),
        )
        return made.lastrowid

    def _found(self):
        """Row, key and time of each row that was created and can be read."""
        with closing(self._open()) as database:
            entries = database.execute(
                "SELECT tab, id, at, image FROM changes WHERE op = 'c' ORDER BY seq"
            ).fetchall()
        found = []
        for table, row, at, image in entries:
            try:
                value = json.loads(image)
            except ValueError:
                continue
            if not isinstance(value["name"], str):
                continue
            value["amount"] = Decimal(value["amount"])
            for name in FIELDS[4:]:
                value.setdefault(name, None)
            if value["due"] is not None:
                value["due"] = _instant(value["due"])
            time = _instant(at) - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
            key = {"table": table, "id": row}
            found.append((value, key, time // dt.timedelta(milliseconds=1)))
        return found


def _written(content):
    if isinstance(content, Decimal):
        return format(content, "f")
    if isinstance(content, dt.datetime):
        try:
            return content.astimezone(ZONE).replace(tzinfo=None).isoformat(" ")
        except OverflowError:  # at the end of the calendar
            return content.isoformat(" ")
    return content


def _instant(text):
    time = dt.datetime.fromisoformat(text)
    return (time if time.tzinfo else time.replace(tzinfo=ZONE)).astimezone(dt.UTC)
