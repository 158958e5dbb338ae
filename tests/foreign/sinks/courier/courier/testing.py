"""The database, without the connector."""

from __future__ import annotations

import sqlite3
from contextlib import closing


class CourierEndpoint:
    """A table of deliveries."""

    def __init__(self, directory):
        self._file = directory / "courier.db"
        self._saved = directory / "saved.db"

    def start(self):
        with closing(sqlite3.connect(self._file)) as database:
            database.execute("CREATE TABLE deliveries (topic, part, place, text, at)")
        return {"database": str(self._file)}

    def stop(self):
        for file in (self._file, self._saved):
            if file.is_dir():
                file.rmdir()
            file.unlink(missing_ok=True)

    def seed(self, values):
        with closing(sqlite3.connect(self._file)) as database, database:
            database.executemany(
                "INSERT INTO deliveries VALUES ('seed', 0, 0, ?, NULL)",
                [(value,) for value in values],
            )

    def read_back(self):
        with closing(sqlite3.connect(self._file)) as database:
            return [t for (t,) in database.execute("SELECT text FROM deliveries ORDER BY rowid")]

    def read_timestamps(self):
        with closing(sqlite3.connect(self._file)) as database:
            return [t for (t,) in database.execute("SELECT at FROM deliveries ORDER BY rowid")]

    def refuse(self):
        self._file.rename(self._saved)
        self._file.mkdir()
        return ("unable to open database file",)

    def recover(self):
        self._file.rmdir()
        self._saved.rename(self._file)
        return ()
