"""The log, without the connector."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import datetime, timedelta, timezone

ZONE = 540
BEGIN = datetime(2024, 3, 9, 21, 15, 3)


class LogEndpoint:
    """A table whose times are those of Seoul; seven entries in a row have one time."""

    def __init__(self, directory):
        self._file = directory / "log.db"
        self._saved = directory / "saved.db"

    def start(self):
        with closing(sqlite3.connect(self._file)) as database, database:
            database.execute(
                "CREATE TABLE entries (id INTEGER PRIMARY KEY, body, note TEXT, changed TEXT)"
            )
        return {"log": str(self._file), "log.zone.minutes": str(ZONE)}

    def stop(self):
        for file in (self._file, self._saved):
            file.unlink(missing_ok=True)

    def seed(self, values):
        self._add(values, lambda number: number // 7)

    def seed_at_once(self, values):
        self._add(values, lambda _: self._count() // 7)
        return ()

    def _count(self):
        with closing(sqlite3.connect(self._file, timeout=60)) as database:
            return database.execute("SELECT count(*) FROM entries").fetchone()[0]

    def _add(self, values, second):
        with closing(sqlite3.connect(self._file, timeout=60)) as database, database:
            (last,) = database.execute("SELECT coalesce(max(id), 0) FROM entries").fetchone()
            (latest,) = database.execute("SELECT max(changed) FROM entries").fetchone()
            for number, value in enumerate(values, last + 1):
                changed = (BEGIN + timedelta(seconds=second(number))).strftime("%Y-%m-%d %H:%M:%S")
                note = f"shift {number}" if number % 5 else None
                row = (number, value, note, max(changed, latest or ""))
                database.execute("INSERT INTO entries VALUES (?, ?, ?, ?)", row)

    def _read(self):
        with closing(sqlite3.connect(self._file, timeout=60)) as database:
            return database.execute(
                "SELECT id, body, changed FROM entries ORDER BY changed, id"
            ).fetchall()

    def read_back(self):
        return [body for _, body, _ in self._read()]

    def read_keys(self):
        return [{"id": number} for number, _, _ in self._read()]

    def read_timestamps(self):
        zone = timezone(timedelta(minutes=ZONE))
        times = [datetime.fromisoformat(at).replace(tzinfo=zone) for _, _, at in self._read()]
        return [int(at.timestamp()) * 1000 for at in times]

    def seeded(self, value):
        return value["body"]

    def seed_foreign(self):
        self.seed([7])
        return ("int", "expected text")

    def refuse(self):
        self._file.rename(self._saved)
        self._file.write_bytes(b"closed for repairs " * 100)
        return ("file is not a database",)

    def recover(self):
        self._file.unlink()
        self._saved.rename(self._file)
        return ()
