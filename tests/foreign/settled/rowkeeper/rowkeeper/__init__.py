"""Keeps the latest row of each key in a table of SQLite, and the version from which it is.

A version is the place of a record in Kafka. A row, and also its removal, is stored together with
its version in one transaction, so neither a record that comes again nor one that comes late from a
task that has lost its partitions changes what is newer.
"""

from __future__ import annotations

import datetime as dt
import json
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

VERSION = "1.6.0"
OWN = ("_topic", "_key", "_at")
PASSING = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_INTERRUPT,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_SCHEMA,
}


def _check_name(name, value):
    if not isinstance(value, str) or not value.isidentifier() or value.startswith("sqlite_"):
        raise ConfigError(
            f"{name} must be a name of letters, digits and underscores", code="rowkeeper.name"
        )


CONFIG = (
    ConfigDef()
    .define(
        "keeper.file",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyStringWithoutControlChars(),
        documentation="Path of the database.",
    )
    .define(
        "keeper.table",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=LambdaValidator.with_(_check_name, lambda: "letters, digits and underscores"),
        documentation="Table of the rows, with columns _topic, _key and _at beside their fields.",
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


class RowKeeperSinkConnector(SinkConnector):
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
        return RowKeeperSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass


class RowKeeperSinkTask(SinkTask):
    """What was put is committed when put returns, so there is nothing to flush."""

    def __init__(self):
        self._lock = threading.Lock()
        self._database = None

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._file = config["keeper.file"]
        self._table = config["keeper.table"]
        self._patience_s = config["lock.timeout.ms"] / 1000

    def put(self, records):
        if not records:
            return
        reporter = self.context.errant_record_reporter()
        with self._lock:
            bad = self._write(records, tolerant=reporter is not None)
        for record, error in bad:
            reporter.report(record, error)

    def stop(self):
        with self._lock:
            self._leave()

    def _write(self, records, tolerant):
        """Write all records in one transaction; returns those that do not fit, with the errors."""
        bad = []
        try:
            if self._database is None:
                self._database = sqlite3.connect(
                    f"{Path(self._file).absolute().as_uri()}?mode=rw",  # which does not make one
                    uri=True,
                    timeout=self._patience_s,
                    isolation_level=None,
                    check_same_thread=False,
                )
            self._database.execute("BEGIN IMMEDIATE")
            columns = self._columns()
            for record in records:
                try:
                    self._apply(record, columns)
                except DataError as error:
                    if not tolerant:
                        raise
                    bad.append((record, error))
            self._database.execute("COMMIT")
        except (sqlite3.Error, OSError) as error:
            self._leave()
            raise self._failure(error) from error
        except BaseException:
            self._leave()  # which rolls back
            raise
        return bad

    def _columns(self):
        """The columns for fields; makes the table of versions."""
        self._database.execute(
            f'CREATE TABLE IF NOT EXISTS "{self._table}_versions" '
            "(topic TEXT, key TEXT, source TEXT, place INTEGER, PRIMARY KEY (topic, key))"
        )
        self._database.execute(f'SELECT 1 FROM "{self._table}" LIMIT 0')  # it has to be there
        found = self._database.execute("SELECT name FROM pragma_table_info(?)", (self._table,))
        return {name for (name,) in found} - set(OWN)

    def _apply(self, record, columns):
        """Store the row of a record, or remove that of its key, unless a newer one was stored."""
        where = (
            f"{record.original_topic}-{record.original_kafka_partition}"
            f"@{record.original_kafka_offset}"
        )
        key = _key(record.key, where)
        cells = None if record.value is None else _cells(record.value, columns, where)
        self._database.execute("SAVEPOINT one")
        try:
            if self._is_newer(record, key):
                self._store(record, key, cells)
        except (sqlite3.IntegrityError, sqlite3.DataError, OverflowError) as error:
            self._database.execute("ROLLBACK TO one")
            raise DataError(
                f"{self._table} does not take the record at {where}: {error}",
                code="rowkeeper.row",
                facts={"file": self._file, "table": self._table},
            ) from error
        finally:
            if self._database.in_transaction:
                self._database.execute("RELEASE one")

    def _is_newer(self, record, key):
        """Raise the version of a key; whether it was raised."""
        source = f"{record.original_topic}-{record.original_kafka_partition}"
        changed = self._database.execute(
            f'INSERT INTO "{self._table}_versions" VALUES (?, ?, ?, ?) '
            "ON CONFLICT (topic, key) DO UPDATE SET source = excluded.source, "
            "place = excluded.place WHERE source <> excluded.source OR place < excluded.place",
            (record.topic, key, source, record.original_kafka_offset),
        )
        return changed.rowcount == 1

    def _store(self, record, key, cells):
        self._database.execute(
            f'DELETE FROM "{self._table}" WHERE _topic = ? AND _key = ?', (record.topic, key)
        )
        if cells is None:
            return
        names = ", ".join(_quoted(name) for name in (*OWN, *cells))
        marks = ", ".join("?" for _ in (*OWN, *cells))
        self._database.execute(
            f'INSERT INTO "{self._table}" ({names}) VALUES ({marks})',
            (record.topic, key, record.timestamp, *cells.values()),
        )

    def _failure(self, error):
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_IOERR) & 0xFF
        kind = RetriableError if code in PASSING else ConnectError
        return kind(
            f"{self._table} cannot be written in {self._file}: {error}",
            code="rowkeeper.database",
            facts={"file": self._file, "table": self._table},
        )

    def _leave(self):
        if self._database is not None:
            self._database.close()
            self._database = None


def _quoted(name):
    return '"' + name.replace('"', '""') + '"'


def _key(key, where):
    """The key of a record as text; equal keys have equal texts."""
    if key is None:
        raise DataError(f"a key is needed, found none at {where}", code="rowkeeper.key")
    return json.dumps(_plain(key, where), sort_keys=True, ensure_ascii=False)


def _plain(key, where):
    match key:
        case bool() | int():
            return key
        case str() if _is_text(key):
            return key
        case Struct():
            return {name: _plain(each, where) for name, each in dict(key).items()}
        case dict() if all(isinstance(name, str) for name in key):
            return {name: _plain(each, where) for name, each in key.items()}
        case list():
            return [_plain(each, where) for each in key]
        case None:
            return None
    raise DataError(
        f"a key cannot have {type(key).__name__} {str(key)[:60]!r} at {where}",
        code="rowkeeper.key",
    )


def _cells(value, columns, where):
    """The cells of a row by the names of their columns."""
    if not isinstance(value, Struct):
        raise DataError(
            f"a row must be a struct, found {type(value).__name__} at {where}",
            code="rowkeeper.struct",
            hint="use a converter with schemas",
        )
    names = [field.name for field in value.schema.fields]
    if unknown := [name for name in names if name not in columns]:
        raise DataError(
            f"the table has no column {', '.join(unknown)}, for the record at {where}",
            code="rowkeeper.column",
        )
    return {name: _cell(value[name], name, where) for name in names}


def _cell(value, name, where):
    """A value as SQLite stores it without loss."""
    match value:
        case None | int() | bytes():
            return value
        case str() if _is_text(value):
            return value
        case float() if not math.isnan(value):
            return value
        case Decimal() if value.is_finite():
            return format(value, "f")
        case dt.date() | dt.time():
            return value.isoformat()
    raise DataError(
        f"column {name} cannot hold {type(value).__name__} {str(value)[:60]!r} at {where}",
        code="rowkeeper.cell",
    )


def _is_text(value):
    """Whether it can be written as UTF-8; half of a surrogate pair cannot."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
