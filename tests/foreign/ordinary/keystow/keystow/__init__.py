"""Keeps the latest row of every key in a table of SQLite, and deletes it at a tombstone.

The table has the columns ``kafka_topic`` and ``kafka_key``, its primary key, and a column for each
field of the rows; columns that are missing are added. A field that a row does not have leaves its
column as it is. A batch is one transaction.
"""

from __future__ import annotations

import datetime as dt
import math
import sqlite3
import threading
from decimal import Decimal
from pathlib import Path

from plugwright import (
    ConfigDef,
    ConfigError,
    ConfigType,
    ConnectError,
    DataError,
    Importance,
    LambdaValidator,
    NonEmptyStringWithoutControlChars,
    Range,
    RetriableError,
    SinkConnector,
    SinkTask,
    Struct,
)

VERSION = "1.0.0"
PLACE = ("kafka_topic", "kafka_key")
PASSING = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_INTERRUPT,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_SCHEMA,
}


def _check_table(name, value):
    if not isinstance(value, str) or not value.isidentifier() or value.startswith("sqlite_"):
        raise ConfigError(
            f"{name} must be a name of letters, digits and underscores", code="keystow.table"
        )


CONFIG = (
    ConfigDef()
    .define(
        "stow.file",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyStringWithoutControlChars(),
        documentation="Path of the database, which has to exist.",
    )
    .define(
        "stow.table",
        ConfigType.STRING,
        default="latest",
        importance=Importance.HIGH,
        validator=LambdaValidator.with_(_check_table, lambda: "letters, digits and underscores"),
        documentation="Table to write to, which has to exist.",
    )
    .define(
        "lock.timeout.ms",
        ConfigType.INT,
        default=5000,
        importance=Importance.LOW,
        validator=Range.between(0, 60_000),
        documentation="How long to wait for a database that others have locked.",
    )
)


class KeyStowSinkConnector(SinkConnector):
    """Any number of tasks write; the database lets one after the other do so."""

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
        return KeyStowSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass


class KeyStowSinkTask(SinkTask):
    """What was put is committed when put returns, so there is nothing to flush."""

    def __init__(self):
        self._lock = threading.Lock()
        self._database = None

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._file = config["stow.file"]
        self._table = config["stow.table"]
        self._patience_s = config["lock.timeout.ms"] / 1000

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
            self._write(changes)
        for record, error in bad:
            reporter.report(record, error)

    def stop(self):
        with self._lock:
            self._leave()

    def _write(self, changes):
        """Apply all changes in one transaction, in the order of the records."""
        try:
            if self._database is None:
                self._database = self._opened()
            self._database.execute("BEGIN IMMEDIATE")
            columns = self._columns()
            for place, row in changes:
                if row is None:
                    self._delete(place)
                else:
                    self._upsert(place, self._fitted(columns, row))
            self._database.execute("COMMIT")
        except (sqlite3.Error, OSError) as error:
            self._leave()
            raise self._failure(error) from error
        except BaseException:
            self._leave()  # which rolls back
            raise

    def _opened(self):
        return sqlite3.connect(
            f"{Path(self._file).absolute().as_uri()}?mode=rw",  # which does not make one
            uri=True,
            timeout=self._patience_s,
            isolation_level=None,
            check_same_thread=False,
        )

    def _columns(self):
        """The columns of the table, by their names as the database compares them."""
        found = self._database.execute(f'PRAGMA table_info("{self._table}")').fetchall()
        columns = {_folded(each[1]): each[1] for each in found}
        if not columns.keys() >= set(PLACE):
            raise ConnectError(
                f"{self._file} needs a table {self._table} with the columns {' and '.join(PLACE)}",
                code="keystow.columns",
                facts={"file": self._file, "table": self._table},
            )
        return columns

    def _fitted(self, columns, row):
        """A row by the names of the table's columns, of which those that are missing are added."""
        fitted = {}
        for name, cell in row.items():
            column = columns.get(_folded(name))
            if column is None:
                self._database.execute(f"ALTER TABLE {_quoted(self._table)} ADD {_quoted(name)}")
                column = columns[_folded(name)] = name
            fitted[column] = cell
        return fitted

    def _upsert(self, place, row):
        names = ", ".join(_quoted(name) for name in (*PLACE, *row))
        marks = ", ".join("?" for _ in range(len(PLACE) + len(row)))
        sets = ", ".join(f"{_quoted(name)} = excluded.{_quoted(name)}" for name in row)
        self._database.execute(
            f"INSERT INTO {_quoted(self._table)} ({names}) VALUES ({marks})"
            f" ON CONFLICT ({', '.join(PLACE)}) DO {f'UPDATE SET {sets}' if sets else 'NOTHING'}",
            (*place, *row.values()),
        )

    def _delete(self, place):
        self._database.execute(
            f"DELETE FROM {_quoted(self._table)} WHERE {PLACE[0]} = ? AND {PLACE[1]} = ?", place
        )

    def _failure(self, error):
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_IOERR) & 0xFF
        kind = RetriableError if code in PASSING else ConnectError
        return kind(
            f"{self._table} in {self._file} cannot be written: {error}",
            code="keystow.database",
            facts={"file": self._file, "table": self._table},
        )

    def _leave(self):
        if self._database is not None:
            self._database.close()
            self._database = None


def _change(record):
    """The place of a record in the table, and its row; nothing if it is to be deleted."""
    where = (
        f"{record.original_topic}-{record.original_kafka_partition}@{record.original_kafka_offset}"
    )
    key = record.key
    if isinstance(key, bool) or not isinstance(key, str | int | bytes):
        raise DataError(
            f"a key must be text, a whole number or bytes, found {type(key).__name__} at {where}",
            code="keystow.key",
        )
    place = record.topic, _cell(key, where, "the key")
    if record.value is None:
        return place, None
    if not isinstance(record.value, Struct):
        raise DataError(
            f"a value must be a row, found {type(record.value).__name__} at {where}",
            code="keystow.value",
        )
    row = {name: _cell(content, where, name) for name, content in dict(record.value).items()}
    names = [_folded(name) for name in row]
    if len({*names, *PLACE}) < len(names) + len(PLACE) or not all(map(_is_name, names)):
        raise DataError(
            f"the fields at {where} cannot all be columns: {', '.join(row)}",
            code="keystow.fields",
        )
    return place, row


def _cell(content, where, name):
    """A value as SQLite keeps it: decimals and times as text, times in UTC."""
    match content:
        case None | bool() | bytes():
            return content
        case int() if -(2**63) <= content < 2**63:
            return content
        case float() if not math.isnan(content):  # which would become NULL
            return content
        case str():
            try:
                content.encode("utf-8")
            except UnicodeEncodeError as error:  # half of a surrogate pair
                raise DataError(
                    f"{name} at {where} is no text: {error}", code="keystow.text"
                ) from error
            return content
        case Decimal():
            return format(content, "f")
        case dt.datetime():
            return content.astimezone(dt.UTC).isoformat(" ")
        case dt.date() | dt.time():
            return content.isoformat()
    raise DataError(
        f"{name} at {where} cannot be a cell: {type(content).__name__} {str(content)[:60]!r}",
        code="keystow.cell",
    )


def _is_name(name):
    return bool(name) and "\0" not in name


def _folded(name):
    """A name as SQLite compares it, which knows only the letters of ASCII."""
    return "".join(each.lower() if each.isascii() else each for each in name)


def _quoted(name):
    return '"' + name.replace('"', '""') + '"'
