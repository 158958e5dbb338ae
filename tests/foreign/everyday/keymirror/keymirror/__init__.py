"""Mirrors topics in tables of SQLite: a record replaces the row of its key, a tombstone deletes it.

There is a table for each topic. It is made of the schema of the first value, and gets a column for
each field that values have later. A batch is one transaction.
"""

from __future__ import annotations

import math
import sqlite3
import threading
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal

from plugwright import (
    ConfigDef,
    ConfigType,
    ConnectError,
    DataError,
    Importance,
    NonEmptyString,
    Range,
    RetriableError,
    SchemaType,
    SinkConnector,
    SinkTask,
    Struct,
)

VERSION = "1.2.0"
KEY = "_key"
PASSING = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_READONLY_DBMOVED,  # the file was replaced, so it is opened anew
}
TYPES = {
    SchemaType.INT8: "INTEGER",
    SchemaType.INT16: "INTEGER",
    SchemaType.INT32: "INTEGER",
    SchemaType.INT64: "INTEGER",
    SchemaType.BOOLEAN: "INTEGER",
    SchemaType.FLOAT32: "REAL",
    SchemaType.FLOAT64: "REAL",
    SchemaType.STRING: "TEXT",
    SchemaType.BYTES: "BLOB",
}

CONFIG = (
    ConfigDef()
    .define(
        "mirror.database",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Path of the database.",
    )
    .define(
        "mirror.busy.ms",
        ConfigType.INT,
        default=5000,
        importance=Importance.LOW,
        validator=Range.at_least(0),
        documentation="How long to wait while others write to the database.",
    )
)


@dataclass(frozen=True)
class Change:
    """What a record does to the row of its key."""

    record: object
    key: str | int
    types: dict[str, str]
    values: dict[str, object]

    @property
    def deletes(self):
        return self.record.value is None


class KeyMirrorSinkConnector(SinkConnector):
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
        return KeyMirrorSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass


class KeyMirrorSinkTask(SinkTask):
    """What was put is committed when put returns, so there is nothing to flush."""

    def __init__(self):
        self._lock = threading.Lock()
        self._database = None
        self._tables = {}

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._path = config["mirror.database"]
        self._busy = config["mirror.busy.ms"] / 1000

    def put(self, records):
        if not records:
            return
        reporter = self.context.errant_record_reporter()
        changes, bad = [], []
        for record in records:
            try:
                changes.append(_change(record))
            except DataError as error:
                if reporter is None:
                    raise
                bad.append((record, error))
        with self._lock:
            bad += self._write(changes, reporter is None)
        for record, error in bad:
            reporter.report(record, error)

    def stop(self):
        with self._lock:
            self._close()

    def _write(self, changes, strict):
        """Make the changes in one transaction; the result are those that the table refuses."""
        try:
            database = self._open()
            database.execute("BEGIN IMMEDIATE")
            bad = self._apply(database, changes, strict)
            database.execute("COMMIT")
        except sqlite3.Error as error:
            self._close()
            code = getattr(error, "sqlite_errorcode", 0)
            kind = RetriableError if code in PASSING or code & 0xFF in PASSING else ConnectError
            raise kind(
                f"cannot write to {self._path}: {error}",
                code="keymirror.database",
                facts={"database": self._path},
            ) from error
        except BaseException:
            self._close()
            raise
        return bad

    def _apply(self, database, changes, strict):
        bad = []
        for change in changes:
            try:
                if change.deletes:
                    self._delete(database, change)
                else:
                    self._upsert(database, change)
            except sqlite3.IntegrityError as error:
                problem = DataError(f"{_where(change.record)}: {error}", code="keymirror.row")
                if strict:
                    raise problem from error
                bad.append((change.record, problem))
        return bad

    def _delete(self, database, change):
        table = change.record.topic
        if self._columns(database, table):
            database.execute(f"DELETE FROM {_quoted(table)} WHERE {KEY} = ?", (change.key,))

    def _upsert(self, database, change):
        table, names = change.record.topic, list(change.values)
        self._prepare(database, table, change.types)
        columns = ", ".join(map(_quoted, [KEY, *names]))
        marks = ", ".join("?" for _ in [KEY, *names])
        updates = ", ".join(f"{_quoted(name)} = excluded.{_quoted(name)}" for name in names)
        database.execute(
            f"INSERT INTO {_quoted(table)} ({columns}) VALUES ({marks})"
            f" ON CONFLICT ({KEY}) DO UPDATE SET {updates}",
            (change.key, *change.values.values()),
        )

    def _prepare(self, database, table, types):
        """Make the table, or add columns to it that it lacks."""
        columns = self._columns(database, table)
        missing = [name for name in types if name not in columns]
        if missing and columns:  # another task may have added them
            self._tables.pop(table)
            columns = self._columns(database, table)
            missing = [name for name in types if name not in columns]
        if not columns:
            parts = [f"{KEY} PRIMARY KEY NOT NULL"]
            parts += [f"{_quoted(name)} {types[name]}" for name in types]
            database.execute(f"CREATE TABLE {_quoted(table)} ({', '.join(parts)})")
        else:
            for name in missing:
                database.execute(
                    f"ALTER TABLE {_quoted(table)} ADD COLUMN {_quoted(name)} {types[name]}"
                )
        if missing:
            self._tables.pop(table, None)

    def _columns(self, database, table):
        """The columns of a table; none if it does not exist, which is not remembered."""
        if table not in self._tables:
            rows = database.execute("SELECT name FROM pragma_table_info(?)", (table,)).fetchall()
            if not rows:
                return set()
            self._tables[table] = {name for (name,) in rows}
        return self._tables[table]

    def _open(self):
        if self._database is None:
            self._database = sqlite3.connect(
                self._path, timeout=self._busy, isolation_level=None, check_same_thread=False
            )
        return self._database

    def _close(self):
        """Close the database, which rolls back what was begun; the tables may differ next time."""
        self._tables = {}
        if self._database is not None:
            self._database.close()
            self._database = None


def _where(record):
    return (
        f"{record.original_topic}-{record.original_kafka_partition}@{record.original_kafka_offset}"
    )


def _quoted(name):
    return '"' + name.replace('"', '""') + '"'


def _change(record):
    if isinstance(record.key, bool) or not isinstance(record.key, str | int):
        raise DataError(
            f"a row needs a text or a whole number as key, found {type(record.key).__name__} at"
            f" {_where(record)}",
            code="keymirror.key",
        )
    key = _stored(record.key, "the key", record)
    if record.value is None:
        return Change(record, key, {}, {})
    if not isinstance(record.value, Struct) or not record.value.schema.fields:
        raise DataError(
            f"a row is made of a struct with fields, found {type(record.value).__name__} at"
            f" {_where(record)}",
            code="keymirror.value",
        )
    record.value.validate()
    types, values = {}, {}
    for field in record.value.schema.fields:
        types[field.name] = "TEXT" if field.schema.name else TYPES.get(field.schema.type, "TEXT")
        values[field.name] = _stored(
            record.value.get_without_default(field.name), field.name, record
        )
    return Change(record, key, types, values)


def _stored(value, name, record):
    """A value as SQLite has it: decimals and times as text, times in UTC."""
    match value:
        case None | int() | bytes():  # truth values are whole numbers, too
            return value
        case float() if not math.isnan(value):  # which SQLite would take for NULL
            return value
        case str() if _is_text(value):
            return value
        case Decimal():
            return format(value, "f")
        case datetime():
            return value.astimezone(UTC).isoformat(timespec="milliseconds")
        case date() | time():
            return value.isoformat()
    raise DataError(
        f"{name} of {_where(record)} cannot be stored: {type(value).__name__}",
        code="keymirror.field",
        facts={"field": name},
    )


def _is_text(value):
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
