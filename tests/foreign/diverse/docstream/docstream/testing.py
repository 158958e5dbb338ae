"""A database of documents with a log of changes, without the connector."""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import closing

TABLES = """
    CREATE TABLE documents (collection TEXT, id TEXT, body TEXT, txn INTEGER, idx INTEGER,
        at INTEGER, PRIMARY KEY (collection, id));
    CREATE TABLE changes (txn INTEGER, idx INTEGER, collection TEXT, id TEXT, body TEXT,
        at INTEGER, PRIMARY KEY (txn, idx));
    CREATE TABLE forgotten (txn INTEGER);
"""


class StreamEndpoint:
    def __init__(self, directory):
        self._file = directory / "documents.db"
        self._aside = directory / "documents.aside"

    def start(self):
        with closing(self._connect()) as database:
            database.executescript(TABLES)
        return {"stream.database": str(self._file)}

    def stop(self):
        if self._file.is_dir():
            self._file.rmdir()
        self._file.unlink(missing_ok=True)
        self._aside.unlink(missing_ok=True)

    def seed(self, values):
        self._insert([json.dumps({"text": value}) for value in values])

    def seeded(self, value):
        return json.loads(value)["text"]

    def read_back(self):
        return [json.loads(body)["text"] for _, body, _ in self._all()]

    def read_keys(self):
        return [document for document, _, _ in self._all()]

    def read_timestamps(self):
        return [at for _, _, at in self._all()]

    def seed_corrupt(self):
        txn = self._insert(['{"text": "half of a doc'])
        return ("orders", f"{txn}.0")

    def seed_foreign(self):
        txn = self._insert(["7"])
        return ("int", f"{txn}.0")

    def refuse(self):
        self._file.rename(self._aside)
        self._file.mkdir()
        return ("disk I/O error",)

    def recover(self):
        self._file.rmdir()
        self._aside.rename(self._file)
        return ()

    def deny(self):
        with closing(self._connect()) as database:
            database.execute("ALTER TABLE documents RENAME TO old_documents")
            database.execute("ALTER TABLE changes RENAME TO old_changes")
        return ()

    def _insert(self, bodies):
        """Add documents in one transaction, each with its change."""
        now = int(time.time() * 1000)
        with closing(self._connect()) as database:
            database.execute("BEGIN IMMEDIATE")
            (txn,) = database.execute("SELECT coalesce(max(txn), 0) + 1 FROM changes").fetchone()
            (count,) = database.execute("SELECT count(*) FROM documents").fetchone()
            for idx, body in enumerate(bodies):
                document = f"{count + idx:012d}"
                database.execute(
                    "INSERT INTO documents VALUES ('orders', ?, ?, ?, ?, ?)",
                    (document, body, txn, idx, now + idx),
                )
                database.execute(
                    "INSERT INTO changes VALUES (?, ?, 'orders', ?, ?, ?)",
                    (txn, idx, document, body, now + idx),
                )
            database.execute("COMMIT")
        return txn

    def _all(self):
        with closing(self._connect()) as database:
            return database.execute("SELECT id, body, at FROM documents ORDER BY id").fetchall()

    def _connect(self):
        return sqlite3.connect(self._file, timeout=60, isolation_level=None)
