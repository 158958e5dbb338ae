"""A database with three tables, whose triggers write three audit tables."""

from __future__ import annotations

import sqlite3
from contextlib import closing

NAMES = ("stock", "price", "buyer")
BEGIN = 1_770_000_000_000
SCRIPT = """
    CREATE TABLE {0} (pk TEXT PRIMARY KEY, content TEXT);
    CREATE TABLE {0}_audit (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, op TEXT, pk TEXT, old TEXT, new TEXT,
        at INTEGER DEFAULT 1770000000000
    );
    CREATE TRIGGER {0}_c AFTER INSERT ON {0} BEGIN
        INSERT INTO {0}_audit (op, pk, old, new) VALUES ('c', new.pk, NULL, new.content);
    END;
    CREATE TRIGGER {0}_u AFTER UPDATE ON {0} BEGIN
        INSERT INTO {0}_audit (op, pk, old, new) VALUES ('u', new.pk, old.content, new.content);
    END;
    CREATE TRIGGER {0}_d AFTER DELETE ON {0} BEGIN
        INSERT INTO {0}_audit (op, pk, old, new) VALUES ('d', old.pk, old.content, NULL);
    END;
"""


class AuditEndpoint:
    """Values are inserted, and every fifth takes the place of one that was there before."""

    def __init__(self, directory):
        self._file = directory / "shop.sqlite"
        self._holder = None

    def __getstate__(self):
        return {**self.__dict__, "_holder": None}

    def start(self):
        with closing(sqlite3.connect(self._file)) as database:
            for name in NAMES:
                database.executescript(SCRIPT.format(name))
        return {
            "database.file": str(self._file),
            "audit.tables": ",".join(f"{name}_audit" for name in NAMES),
        }

    def stop(self):
        self.recover()
        self._file.unlink(missing_ok=True)

    def seed(self, values):
        with self._open() as database, database:
            number = sum(
                database.execute(f"SELECT count(*) FROM {name}_audit").fetchone()[0]
                for name in NAMES
            )
            for at, value in enumerate(values, number):
                name, pk = NAMES[at % 3], f"row {at}"
                if at % 5 != 4:
                    database.execute(f"INSERT INTO {name} VALUES (?, ?)", (pk, value))
                elif at % 2:
                    self._before(database, name, pk, "what was there before")
                    database.execute(f"UPDATE {name} SET content = ? WHERE pk = ?", (value, pk))
                else:
                    self._before(database, name, pk, value)
                    database.execute(f"DELETE FROM {name} WHERE pk = ?", (pk,))

    def seed_corrupt(self):
        with self._open() as database, database:
            cursor = database.execute(
                "INSERT INTO price_audit (op, pk, old, new) VALUES ('x', 'row', NULL, 'half')"
            )
        return (f"change {cursor.lastrowid}", "price_audit")

    def seeded(self, value):
        if value is None:
            return None
        return (value["after"] or value["before"])["content"]

    def read_back(self):
        found = []
        with self._open() as database:
            for name in NAMES:
                found += database.execute(
                    f"SELECT CASE op WHEN 'd' THEN old ELSE new END FROM {name}_audit"
                    " WHERE op IN ('c', 'u', 'd') ORDER BY seq"
                )
        return [content for (content,) in found]

    def read_keys(self):
        found = []
        with self._open() as database:
            for name in NAMES:
                found += database.execute(
                    f"SELECT '{name}_audit/' || pk FROM {name}_audit WHERE op IN ('c', 'u', 'd') ORDER BY seq"
                )
        return [pk for (pk,) in found]

    def read_timestamps(self):
        return [BEGIN for _ in self.read_keys()]

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
        with self._open() as database, database:
            for name in NAMES:
                database.execute(f"ALTER TABLE {name}_audit RENAME TO {name}_hidden")
        return ()

    def _before(self, database, name, pk, content):
        """A row from before the triggers were there."""
        database.execute(f"DROP TRIGGER {name}_c")
        database.execute(f"INSERT INTO {name} VALUES (?, ?)", (pk, content))
        database.execute(
            f"CREATE TRIGGER {name}_c AFTER INSERT ON {name} BEGIN INSERT INTO {name}_audit"
            " (op, pk, old, new) VALUES ('c', new.pk, NULL, new.content); END"
        )

    def _open(self):
        return closing(sqlite3.connect(self._file, timeout=30))
