"""Keeps the latest value of each key in a SQLite table; a tombstone deletes its row."""

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
    Range,
    RetriableError,
    SinkConnector,
    SinkTask,
)

VERSION = "1.2.0"
CONFIG = (
    ConfigDef()
    .define(
        "database",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Path of the SQLite database.",
    )
    .define(
        "table.prefix",
        ConfigType.STRING,
        default="",
        importance=Importance.LOW,
        documentation="Put before the name of each topic to make the name of its table.",
    )
    .define(
        "batch.size",
        ConfigType.INT,
        default=500,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="The most rows that one statement writes.",
    )
    .define(
        "busy.timeout.ms",
        ConfigType.INT,
        default=5000,
        importance=Importance.LOW,
        validator=Range.at_least(0),
        documentation="Milliseconds to wait for other writers before the batch is tried again.",
    )
)


class LedgerSinkConnector(SinkConnector):
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
        return LedgerSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass

    def alter_offsets(self, props, offsets):
        return True


class LedgerSinkTask(SinkTask):
    """Writes each batch in one transaction."""

    def __init__(self):
        self._database = None
        self._tables = set()

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._path = config["database"]
        self._prefix = config["table.prefix"]
        self._size = config["batch.size"]
        self._timeout = config["busy.timeout.ms"] / 1000
        self._tables = set()
        self._connect()

    def put(self, records):
        if not records:
            return
        rows = self._rows(records)
        try:
            if self._database is None:
                self._connect()
            with self._database:
                self._write(rows)
        except sqlite3.Error as error:
            self._tables = set()
            busy = getattr(error, "sqlite_errorcode", 0) & 0xFF in {
                sqlite3.SQLITE_BUSY,
                sqlite3.SQLITE_LOCKED,
            }
            kind = RetriableError if busy else ConnectError
            raise kind(
                f"cannot write to {self._path}: {error}",
                code="ledgerlite.write",
                facts={"database": self._path},
            ) from error

    def stop(self):
        database, self._database = self._database, None
        if database is not None:
            database.close()

    def _connect(self):
        try:
            self._database = sqlite3.connect(
                self._path, timeout=self._timeout, check_same_thread=False
            )
            self._database.execute("PRAGMA synchronous = FULL")
        except sqlite3.Error as error:
            raise ConnectError(
                f"cannot open {self._path}: {error}",
                code="ledgerlite.open",
                facts={"database": self._path},
            ) from error

    def _rows(self, records):
        reporter = self.context.errant_record_reporter()
        rows = []
        for record in records:
            try:
                rows.append(self._row(record))
            except DataError as error:
                if reporter is None:
                    raise
                reporter.report(record, error)
        return rows

    def _row(self, record):
        where = (
            f"{record.original_topic}-{record.original_kafka_partition}"
            f"@{record.original_kafka_offset}"
        )
        if record.key is None:
            raise DataError(f"a row needs a key, found none at {where}", code="ledgerlite.key")
        if not isinstance(record.key, str | int | float):
            raise DataError(
                f"a key is text or a number, found {type(record.key).__name__} at {where}",
                code="ledgerlite.key",
            )
        if record.value is not None and not isinstance(record.value, str):
            raise DataError(
                f"a value is text, found {type(record.value).__name__} at {where}",
                code="ledgerlite.value",
            )
        text = record.value
        if text is not None:
            try:
                text.encode()
            except UnicodeEncodeError as error:
                raise DataError(f"no UTF-8 at {where}: {error}", code="ledgerlite.text") from error
        return (self._prefix + record.topic, json.dumps(record.key), text, record.timestamp)

    def _write(self, rows):
        start = 0
        while start < len(rows):
            end = start + 1
            kind = (rows[start][0], rows[start][2] is None)
            while end < len(rows) and end - start < self._size:
                if (rows[end][0], rows[end][2] is None) != kind:
                    break
                end += 1
            self._run(kind, rows[start:end])
            start = end

    def _run(self, kind, rows):
        topic, deleted = kind
        table = '"' + topic.replace('"', '""') + '"'
        if topic not in self._tables:
            self._database.execute(
                f"CREATE TABLE IF NOT EXISTS {table} "
                "(key TEXT PRIMARY KEY, value TEXT NOT NULL, at INTEGER)"
            )
            self._tables.add(topic)
        if deleted:
            self._database.executemany(
                f"DELETE FROM {table} WHERE key = ?", [(row[1],) for row in rows]
            )
        else:
            self._database.executemany(
                f"INSERT INTO {table} VALUES (?, ?, ?) ON CONFLICT (key) "
                "DO UPDATE SET value = excluded.value, at = excluded.at",
                [row[1:] for row in rows],
            )
