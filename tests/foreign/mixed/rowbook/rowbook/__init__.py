"""Adds rows to a SQLite table, with a column for each field, each record once."""

from __future__ import annotations

import datetime as dt
import sqlite3
from decimal import Decimal

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
    Struct,
)

VERSION = "1.0.0"
BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
TABLE = (
    "CREATE TABLE IF NOT EXISTS book (_topic TEXT, _partition INTEGER, _offset INTEGER, "
    "_value TEXT, PRIMARY KEY (_topic, _partition, _offset))"
)
CONFIG = ConfigDef().define(
    "database",
    ConfigType.STRING,
    importance=Importance.HIGH,
    validator=NonEmptyString(),
    documentation="Path of the SQLite database.",
)


class RowBookSinkConnector(SinkConnector):
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
        return RowBookSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass

    def alter_offsets(self, props, offsets):
        return True


class RowBookSinkTask(SinkTask):
    """Writes each batch in one transaction; what is there already is left as it is."""

    def __init__(self):
        self._database = None

    def version(self):
        return VERSION

    def start(self, props):
        self._path = CONFIG.parse(props)["database"]
        self._connect()

    def put(self, records):
        rows = [self._row(record) for record in records]
        if not rows:
            return
        try:
            if self._database is None:
                self._connect()
            with self._database:
                self._write(rows)
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

    def _write(self, rows):
        self._database.execute("BEGIN IMMEDIATE")
        present = {row[1] for row in self._database.execute("PRAGMA table_info(book)")}
        for row in rows:
            for name in row:
                if name not in present:
                    self._database.execute(f"ALTER TABLE book ADD COLUMN {_quoted(name)}")
                    present.add(name)
            names = ", ".join(map(_quoted, row))
            marks = ", ".join("?" * len(row))
            self._database.execute(
                f"INSERT OR IGNORE INTO book ({names}) VALUES ({marks})", list(row.values())
            )

    def _row(self, record):
        where = (
            f"{record.original_topic}-{record.original_kafka_partition}"
            f"@{record.original_kafka_offset}"
        )
        row = {
            "_topic": record.original_topic,
            "_partition": record.original_kafka_partition,
            "_offset": record.original_kafka_offset,
        }
        value = record.value
        if value is None or isinstance(value, str):
            return {**row, "_value": value}
        if not isinstance(value, Struct):
            kind = type(value).__name__
            raise DataError(f"a value is text or a row, found {kind} at {where}", code="rowbook.value")
        names = [field.name for field in value.schema.fields]
        return {**row, **{name: _stored(value[name], name, where) for name in names}}

    def _failure(self, error):
        busy = getattr(error, "sqlite_errorcode", 0) & 0xFF in BUSY
        return (RetriableError if busy else ConnectError)(
            f"cannot write to {self._path}: {error}",
            code="rowbook.write",
            facts={"database": self._path},
        )


def _quoted(name):
    return '"' + name.replace('"', '""') + '"'


def _stored(item, name, where):
    """A field as SQLite holds it, which takes a number that is none for null."""
    if isinstance(item, float) and item != item:
        return "nan"
    if item is None or isinstance(item, bool | int | float | str | bytes):
        return item
    if isinstance(item, Decimal):
        return str(item)
    if isinstance(item, dt.datetime):
        return item.isoformat(timespec="milliseconds")
    if isinstance(item, dt.date):
        return item.isoformat()
    raise DataError(
        f"field {name} is a {type(item).__name__}, which a column cannot hold, at {where}",
        code="rowbook.field",
    )
