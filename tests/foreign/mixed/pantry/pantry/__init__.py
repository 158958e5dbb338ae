"""Keeps the latest text of each key in SQLite; records without a key are kept one by one."""

from __future__ import annotations

import json
import sqlite3

from plugwright import (
    ConfigDef,
    ConfigType,
    ConnectError,
    DataError,
    Importance,
    NonEmptyString,
    RetriableError,
    SinkConnector,
    SinkTask,
)

VERSION = "1.0.0"
BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
PUT = (
    "INSERT INTO items VALUES (?, ?, ?, ?) ON CONFLICT (topic, id) "
    "DO UPDATE SET value = excluded.value, at = excluded.at"
)
DELETE = "DELETE FROM items WHERE topic = ? AND id = ?"
TABLE = (
    "CREATE TABLE IF NOT EXISTS items (topic TEXT NOT NULL, id TEXT NOT NULL, "
    "value TEXT NOT NULL, at INTEGER, PRIMARY KEY (topic, id))"
)
CONFIG = ConfigDef().define(
    "database",
    ConfigType.STRING,
    importance=Importance.HIGH,
    validator=NonEmptyString(),
    documentation="Path of the SQLite database.",
)


class PantrySinkConnector(SinkConnector):
    """Any number of tasks share one database."""

    def __init__(self):
        self._props = {}

    def version(self):
        return VERSION

    def config(self):
        return CONFIG

    def start(self, props):
        CONFIG.parse(props)
        self._props = dict(props)

    def task_class(self):
        return PantrySinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass

    def alter_offsets(self, props, offsets):
        return True


class PantrySinkTask(SinkTask):
    """Writes each batch in one transaction."""

    def __init__(self):
        self._database = None

    def version(self):
        return VERSION

    def start(self, props):
        self._props = dict(props)
        self._path = CONFIG.parse(props)["database"]
        self._connect()

    def put(self, records):
        rows = self._rows(records)
        if not rows:
            return
        try:
            if self._database is None:
                self._connect()
            with self._database:
                for row in rows:
                    self._apply(row)
        except sqlite3.Error as error:
            raise self._failure(error) from error

    def stop(self):
        database, self._database = self._database, None
        if database is not None:
            database.close()

    def _connect(self):
        database = None
        try:
            database = sqlite3.connect(self._path, timeout=5, check_same_thread=False)
            database.execute("PRAGMA synchronous = FULL")
            with database:
                database.execute(TABLE)
        except sqlite3.Error as error:
            if database is not None:
                database.close()
            raise self._failure(error) from error
        self._database = database

    def _apply(self, row):
        if row[2] is None:
            self._database.execute(DELETE, row[:2])
        else:
            self._database.execute(PUT, row)

    def _rows(self, records):
        reporter = self.context.errant_record_reporter()
        rows = []
        for record in records:
            try:
                row = self._row(record)
            except DataError as error:
                if reporter is None:
                    raise
                reporter.report(record, error)
            else:
                rows.append(row)
        return rows

    def _row(self, record):
        where = (
            f"{record.original_topic}-{record.original_kafka_partition}"
            f"@{record.original_kafka_offset}"
        )
        if record.value is not None and not isinstance(record.value, str):
            kind = type(record.value).__name__
            raise DataError(f"a value is text, found {kind} at {where}", code="pantry.value")
        return (self._topic(record), self._id(record, where), record.value, record.timestamp)

    def _topic(self, record):
        return record.topic

    def _id(self, record, where):
        key = record.key
        if key is None:
            return f"@{where}"
        if isinstance(key, bytes):
            return "x" + key.hex()
        if not isinstance(key, str | int | float):
            kind = type(key).__name__
            raise DataError(
                f"a key is text, bytes or a number, found {kind} at {where}", code="pantry.key"
            )
        return json.dumps(key)

    def _failure(self, error):
        busy = getattr(error, "sqlite_errorcode", 0) & 0xFF in BUSY
        return (RetriableError if busy else ConnectError)(
            f"cannot write to {self._path}: {error}",
            code="pantry.write",
            facts={"database": self._path},
        )
