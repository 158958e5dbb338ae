"""A ledger with a journal that triggers fill; some entries are removed at once."""

from __future__ import annotations

import sqlite3
from contextlib import closing

FIELDS = ("customer", "quantity", "discount", "paid", "note", "scan")
CELLS = """
    customer TEXT NOT NULL, quantity INTEGER NOT NULL, discount INTEGER, paid BOOLEAN NOT NULL,
    note TEXT, scan BLOB
"""
LOOSE = CELLS.replace(" NOT NULL", "")
FIRST = 6_000_000_000
TIME = 1_690_000_000_000
MAKE = f"""
    CREATE TABLE entries (entry INTEGER PRIMARY KEY AUTOINCREMENT, {LOOSE});
    CREATE TABLE journal (
        change INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT, entry INTEGER, at INTEGER, {CELLS}
    );
    INSERT INTO sqlite_sequence VALUES ('journal', {FIRST});
"""
ENTERED = f"""
    CREATE TRIGGER entered AFTER INSERT ON entries BEGIN
        INSERT INTO journal (kind, entry, at, {", ".join(FIELDS)})
        VALUES ('+', new.entry, {TIME} + new.entry, {", ".join(f"new.{n}" for n in FIELDS)});
    END
"""
REMOVED = f"""
    CREATE TRIGGER removed AFTER DELETE ON entries BEGIN
        INSERT INTO journal (kind, entry, at, customer, quantity, paid)
        VALUES ('-', old.entry, {TIME} + old.entry, old.customer, old.quantity, old.paid);
    END
"""


class LedgerEndpoint:
    """The database, opened for each step."""

    def __init__(self, directory):
        self._file = directory / "the ledger.db"
        self._holder = None

    def start(self):
        with closing(sqlite3.connect(self._file)) as database, database:
            database.executescript(MAKE)
            database.execute(ENTERED)
            database.execute(REMOVED)
        return {"ledger.file": str(self._file)}

    def stop(self):
        self.recover()
        self._file.unlink(missing_ok=True)

    def seed(self, values):
        marks = ", ".join("?" for _ in FIELDS)
        with closing(sqlite3.connect(self._file, timeout=30)) as database, database:
            for value in values:
                made = database.execute(
                    f"INSERT INTO entries ({', '.join(FIELDS)}) VALUES ({marks})",
                    [value.get(name) for name in FIELDS],
                ).lastrowid
                if made % 5 == 0:
                    database.execute("DELETE FROM entries WHERE entry = ?", (made,))

    def seed_foreign(self):
        return self._add("quantity", "'seven'")

    def seed_corrupt(self):
        return self._add("kind", "'?'")

    def read_back(self):
        found = []
        for row in self._made(", ".join(FIELDS)):
            value = dict(zip(FIELDS, row, strict=True))
            found.append({**value, "paid": bool(value["paid"])})
        return found

    def read_timestamps(self):
        return [at for (at,) in self._made("at")]

    def read_keys(self):
        return [{"entry": entry} for (entry,) in self._made("entry")]

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
        with closing(sqlite3.connect(self._file, timeout=30)) as database, database:
            database.execute("ALTER TABLE journal RENAME TO hidden")
        return ()

    def _add(self, name, text):
        """Add a change of which one cell is wrong."""
        cells = {
            "kind": "'+'",
            "entry": "1",
            "at": str(TIME),
            "customer": "'x'",
            "quantity": "1",
            "paid": "0",
            name: text,
        }
        with closing(sqlite3.connect(self._file, timeout=30)) as database, database:
            number = database.execute(
                f"INSERT INTO journal ({', '.join(cells)}) VALUES ({', '.join(cells.values())})"
            ).lastrowid
        return (name, f"change {number}")

    def _made(self, columns):
        with closing(sqlite3.connect(self._file, timeout=30)) as database:
            return database.execute(
                f"SELECT {columns} FROM journal WHERE kind = '+' ORDER BY change"
            ).fetchall()
