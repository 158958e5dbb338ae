"""The table of the latest rows, in a database of its own."""

from __future__ import annotations

import datetime as dt
import sqlite3
from contextlib import closing
from decimal import Decimal

READ = {
    "amount": Decimal,
    "urgent": bool,
    "seen": dt.datetime.fromisoformat,
}
FIELDS = ("name", "amount", "pieces", "urgent", "seen", "order")


class StowEndpoint:
    """The database, opened for each step; seeds are rows of a topic of their own."""

    def __init__(self, directory):
        self._file = directory / "stow.db"
        self._holder = None

    def __getstate__(self):
        return {**self.__dict__, "_holder": None}

    def start(self):
        with closing(self._open()) as database, database:
            database.execute(
                "CREATE TABLE latest (kafka_topic TEXT NOT NULL, kafka_key NOT NULL,"
                " name, amount, pieces, urgent, seen, PRIMARY KEY (kafka_topic, kafka_key))"
            )
        return {"stow.file": str(self._file), "stow.table": "latest"}

    def stop(self):
        self.recover()
        self._file.unlink(missing_ok=True)

    def seed(self, values):
        with closing(self._open()) as database, database:
            known = [each[1] for each in database.execute("PRAGMA table_info(latest)")]
            for name in FIELDS:
                if name not in known:
                    database.execute(f'ALTER TABLE latest ADD "{name}"')
            (begin,) = database.execute(
                "SELECT count(*) FROM latest WHERE kafka_topic = 'seeds'"
            ).fetchone()
            for number, value in enumerate(values, begin):
                cells = [_written(value.get(name)) for name in FIELDS]
                database.execute(
                    "INSERT INTO latest (kafka_topic, kafka_key, name, amount, pieces, urgent,"
                    ' seen, "order") VALUES (\'seeds\', ?, ?, ?, ?, ?, ?, ?)',
                    (number, *cells),
                )

    def read_back(self):
        found = []
        with closing(self._open()) as database:
            rows = database.execute("SELECT * FROM latest ORDER BY rowid")
            names = [each[0] for each in rows.description][2:]
            for _, _, *cells in rows:
                value = dict.fromkeys(FIELDS)
                for name, cell in zip(names, cells, strict=True):
                    if name in FIELDS or cell is not None:
                        value[name] = cell if cell is None else READ.get(name, _same)(cell)
                found.append(value)
        return found

    def read_topics(self):
        with closing(self._open()) as database:
            rows = database.execute("SELECT kafka_topic FROM latest ORDER BY rowid").fetchall()
        return [topic for (topic,) in rows]

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
            database.execute("ALTER TABLE latest RENAME TO hidden")
        return ()

    def _open(self):
        return sqlite3.connect(self._file, timeout=30)


def _same(cell):
    return cell


def _written(content):
    if isinstance(content, Decimal):
        return format(content, "f")
    if isinstance(content, dt.datetime):
        return content.astimezone(dt.UTC).isoformat(" ")
    return content
