"""The database, without the connector's code."""

from __future__ import annotations

import sqlite3
import zlib
from contextlib import closing


class TableEndpoint:
    def __init__(self, directory):
        self.file = directory / "feed.db"

    def start(self):
        with closing(sqlite3.connect(self.file)) as db, db:
            db.execute(
                "CREATE TABLE IF NOT EXISTS events (id INTEGER PRIMARY KEY AUTOINCREMENT,"
                " body, kind TEXT NOT NULL, created_ms INTEGER NOT NULL)"
            )
        return {"database": str(self.file)}

    def stop(self):
        if self.file.is_dir():
            self.file.rmdir()
        self.file.unlink(missing_ok=True)

    def seed(self, values):
        with closing(sqlite3.connect(self.file)) as db, db:
            (count,) = db.execute("SELECT count(*) FROM events").fetchone()
            db.executemany(
                "INSERT INTO events (body, kind, created_ms) VALUES (?, ?, ?)",
                [
                    (value, f"kind-{zlib.crc32(value.encode()) % 3}", 1_700_000_000_123 + 1001 * n)
                    for n, value in enumerate(values, count)
                ],
            )

    def read_back(self):
        with closing(sqlite3.connect(self.file)) as db:
            return [text for (text,) in db.execute("SELECT body FROM events ORDER BY id")]

    def read_timestamps(self):
        with closing(sqlite3.connect(self.file)) as db:
            return [ms for (ms,) in db.execute("SELECT created_ms FROM events ORDER BY id")]

    def seeded(self, value):
        return value["body"]

    def refuse(self):
        self.file.rename(self.file.with_suffix(".away"))
        self.file.mkdir()
        return ("unable to open database file",)

    def deny(self):
        with closing(sqlite3.connect(self.file)) as db, db:
            db.execute("DROP TABLE events")
        return ()

    def recover(self):
        self.file.rmdir()
        self.file.with_suffix(".away").rename(self.file)
        return ()

    def seed_foreign(self):
        with closing(sqlite3.connect(self.file)) as db, db:
            db.execute("INSERT INTO events (body, kind, created_ms) VALUES (?, 'x', 5)", (b"\x00",))
        return ("bytes", "expected text")
