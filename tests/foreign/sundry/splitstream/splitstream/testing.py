"""The stream, without the connector."""

from __future__ import annotations

import sqlite3
import zlib
from contextlib import closing

ROOTS = ("p", "q", "r")
SHARD = 17


class StreamEndpoint:
    """Three shards; one that has seventeen entries is closed, and a child goes on."""

    def __init__(self, directory):
        self._file = directory / "stream.db"
        self._saved = directory / "saved.db"

    def start(self):
        with closing(sqlite3.connect(self._file)) as database, database:
            database.execute(
                "CREATE TABLE shards (name TEXT PRIMARY KEY, parent TEXT, closed INTEGER)"
            )
            database.execute("CREATE TABLE entries (shard TEXT, number INTEGER, body, at INTEGER)")
            database.executemany(
                "INSERT INTO shards VALUES (?, NULL, 0)", [(root,) for root in ROOTS]
            )
        return {"stream": str(self._file)}

    def stop(self):
        for file in (self._file, self._saved):
            file.unlink(missing_ok=True)

    def seed(self, values):
        with closing(sqlite3.connect(self._file, timeout=60)) as database, database:
            for value in values:
                self._add(database, ROOTS[zlib.crc32(value.encode()) % 3], value)

    def _add(self, database, root, value):
        (last,) = database.execute("SELECT count(*) FROM entries").fetchone()
        shard = self._open_shard(database, root, last)
        at = 1_660_000_000_011 + 1_709 * last
        database.execute("INSERT INTO entries VALUES (?, ?, ?, ?)", (shard, 7 + last, value, at))

    def _open_shard(self, database, root, last):
        (leaf,) = database.execute(
            "SELECT name FROM shards WHERE closed = 0 AND substr(name, 1, 1) = ?", (root,)
        ).fetchone()
        (size,) = database.execute(
            "SELECT count(*) FROM entries WHERE shard = ?", (leaf,)
        ).fetchone()
        if size < SHARD:
            return leaf
        database.execute("UPDATE shards SET closed = 1 WHERE name = ?", (leaf,))
        child = f"{root}{last:06d}"
        database.execute("INSERT INTO shards VALUES (?, ?, 0)", (child, leaf))
        return child

    def _read(self):
        with closing(sqlite3.connect(self._file, timeout=60)) as database:
            return database.execute("SELECT body, at FROM entries ORDER BY number").fetchall()

    def read_back(self):
        return [body for body, _ in self._read()]

    def read_timestamps(self):
        return [at for _, at in self._read()]

    def seed_foreign(self):
        with closing(sqlite3.connect(self._file, timeout=60)) as database, database:
            for root in ROOTS:
                self._add(database, root, 7)
        return ("int", "expected text")

    def refuse(self):
        self._file.rename(self._saved)
        self._file.write_bytes(b"closed for repairs " * 100)
        return ("file is not a database",)

    def recover(self):
        self._file.unlink()
        self._saved.rename(self._file)
        return ()
