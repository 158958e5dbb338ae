"""The database of a service with an outbox, without the connector."""

from __future__ import annotations

import base64
import sqlite3
from contextlib import closing

AGGREGATES = ("order", "parcel", "refund")
TABLE = """
CREATE TABLE outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    aggregate TEXT NOT NULL,
    event_key TEXT,
    event_type TEXT NOT NULL,
    payload_kind TEXT NOT NULL,
    payload TEXT,
    created_ms INTEGER NOT NULL
)
"""
ADD = (
    "INSERT INTO outbox (aggregate, event_key, event_type, payload_kind, payload, created_ms)"
    " VALUES (?, ?, ?, ?, ?, ?)"
)


class OutboxEndpoint:
    """The service adds events of three aggregates by turns; others are not asked for."""

    def __init__(self, directory):
        self._file = directory / "service.db"
        self._aside = directory / "service.aside"

    def start(self):
        with closing(self._connect()) as database:
            database.execute(TABLE)
        return {
            "outbox.database": str(self._file),
            "outbox.aggregates": ",".join(AGGREGATES),
        }

    def stop(self):
        if self._file.is_dir():
            self._file.rmdir()
        self._file.unlink(missing_ok=True)
        self._aside.unlink(missing_ok=True)

    def seed(self, values):
        self._add([_payload(value) for value in values])

    def read_back(self):
        return [_value(kind, payload) for _, kind, payload, _ in self._events()]

    def read_keys(self):
        return [key for key, _, _, _ in self._events()]

    def read_timestamps(self):
        return [created for _, _, _, created in self._events()]

    def seed_foreign(self):
        self._add([("money", "12 EUR")])
        return ("money", "12 EUR")

    def seed_corrupt(self):
        number = self._add([("long", "twelve")])
        return (f"event {number}", "twelve")

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
            database.execute("ALTER TABLE outbox RENAME TO outbox_of_old")
        return ()

    def _add(self, payloads):
        with closing(self._connect()) as database:
            database.execute("BEGIN IMMEDIATE")
            (number,) = database.execute("SELECT coalesce(max(id), 0) FROM outbox").fetchone()
            for kind, payload in payloads:
                number += 1
                if number % 9 == 0:
                    self._one(database, "audit", number, "text", "not asked for")
                    number += 1
                self._one(database, AGGREGATES[number * number % 7 % 3], number, kind, payload)
            database.execute("COMMIT")
        return number

    def _one(self, database, aggregate, number, kind, payload):
        key = f"{aggregate}-{number}" if number % 4 else None
        created = 1_700_000_000_250 + 731 * number
        database.execute(ADD, (aggregate, key, f"{aggregate}.changed", kind, payload, created))

    def _events(self):
        with closing(self._connect()) as database:
            return database.execute(
                "SELECT event_key, payload_kind, payload, created_ms FROM outbox"
                " WHERE aggregate <> 'audit' ORDER BY id"
            ).fetchall()

    def _connect(self):
        return sqlite3.connect(self._file, timeout=60, isolation_level=None)


def _payload(value):
    match value:
        case bool():
            return "boolean", "true" if value else "false"
        case int():
            return "long", str(value)
        case float():
            return "double", repr(value)
        case bytes():
            return "bytes", base64.b64encode(value).decode()
    return "text", value


def _value(kind, payload):
    match kind:
        case "boolean":
            return payload == "true"
        case "long":
            return int(payload)
        case "double":
            return float(payload)
        case "bytes":
            return base64.b64decode(payload)
    return payload
