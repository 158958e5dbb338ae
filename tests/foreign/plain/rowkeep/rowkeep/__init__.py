"""Keeps the latest row of each key in a table of an SQLite database; tombstones delete rows."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

from plugwright import (
    ConfigDef,
    ConfigError,
    ConfigType,
    ConnectError,
    DataError,
    Importance,
    NonEmptyString,
    Range,
    RetriableError,
    SinkConnector,
    SinkTask,
    Struct,
)

VERSION = "3.1.0"
TRANSIENT = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PROTOCOL,
}


def _plain_name(name, value):
    if not re.fullmatch(r"[A-Za-z_]\w*", value or ""):
        raise ConfigError(
            f"Invalid value {value} for configuration {name}: letters, digits and _ are allowed",
            code="rowkeep.name",
        )


CONFIG = (
    ConfigDef()
    .define(
        "keep.database",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Path of the database.",
    )
    .define(
        "keep.table",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=_plain_name,
        documentation="Table of the rows; it has a column for each field, and one for the key.",
    )
    .define(
        "keep.key",
        ConfigType.STRING,
        default="pk",
        importance=Importance.MEDIUM,
        validator=_plain_name,
        documentation="Primary key of the table, which has the key of the record.",
    )
    .define(
        "keep.busy.ms",
        ConfigType.INT,
        default=5000,
        importance=Importance.LOW,
        validator=Range.at_least(0),
        documentation="How long to wait while another program writes.",
    )
)


class RowKeepSinkConnector(SinkConnector):
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
        return RowKeepSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass


class RowKeepSinkTask(SinkTask):
    """Each batch is one transaction, so nothing is left to do when offsets are committed."""

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._path = config["keep.database"]
        self._table = config["keep.table"]
        self._key = config["keep.key"]
        self._busy = config["keep.busy.ms"] / 1000
        self._columns = set()

    def put(self, records):
        if not records:
            return
        bad = []
        try:
            with closing(self._connect()) as database:
                database.execute("BEGIN IMMEDIATE")
                self._apply(database, records, bad)
                database.execute("COMMIT")
        except sqlite3.Error as error:
            raise self._failure(error) from error
        reporter = self.context.errant_record_reporter()
        for record, error in bad:
            reporter.report(record, error)

    def stop(self):
        """Nothing is held: each batch has a connection of its own."""

    def _apply(self, database, records, bad):
        """Change rows in the order of the records, since a key may have several."""
        reporter = self.context.errant_record_reporter()
        for record in records:
            try:
                statement, values = self._change(record)
                database.execute(statement, values)
            except (DataError, sqlite3.IntegrityError, OverflowError) as error:
                problem = error if isinstance(error, DataError) else _refused(record, error)
                if reporter is None:
                    raise problem from error
                bad.append((record, problem))

    def _change(self, record):
        """A statement for a record, with its values."""
        key = _key(record)
        if record.value is None:
            return f'DELETE FROM "{self._table}" WHERE "{self._key}" = ?', [key]
        row = {self._key: key}
        for name, value in _fields(record).items():
            if name not in self._columns or name == self._key:
                raise DataError(
                    f"table {self._table} has no column for field {name} of {_where(record)}",
                    code="rowkeep.column",
                )
            row[name] = _stored(value, name, record)
        names = ", ".join(f'"{name}"' for name in row)
        sets = ", ".join(f'"{name}" = excluded."{name}"' for name in row)
        marks = ", ".join("?" * len(row))
        return (
            f'INSERT INTO "{self._table}" ({names}) VALUES ({marks})'
            f' ON CONFLICT ("{self._key}") DO UPDATE SET {sets}',
            list(row.values()),
        )

    def _connect(self):
        """Open the database, which has to exist, and look at the columns of the table."""
        address = f"{Path(self._path).absolute().as_uri()}?mode=rw"
        database = sqlite3.connect(address, uri=True, timeout=self._busy, isolation_level=None)
        try:
            found = database.execute("SELECT name FROM pragma_table_info(?)", (self._table,))
            self._columns = {name for (name,) in found}
            if self._key not in self._columns:
                raise ConnectError(
                    f"{self._path} has no table {self._table} with a column {self._key}",
                    code="rowkeep.table",
                    hint="create the table",
                )
        except BaseException:
            database.close()
            raise
        return database

    def _failure(self, error):
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        return (RetriableError if code in TRANSIENT else ConnectError)(
            f"cannot write to {self._path}: {error}",
            code="rowkeep.database",
            facts={"file": self._path, "sqlite": code},
        )


def _where(record):
    return (
        f"{record.original_topic}-{record.original_kafka_partition}@{record.original_kafka_offset}"
    )


def _refused(record, error):
    return DataError(f"the table refuses {_where(record)}: {error}", code="rowkeep.refused")


def _key(record):
    """A text, a number or bytes; 1 and '1' are different keys, as they are in the table."""
    key = record.key
    if isinstance(key, bool) or not isinstance(key, str | int | bytes):
        raise DataError(
            f"a key has to be text, a whole number or bytes, found {type(key).__name__} at"
            f" {_where(record)}",
            code="rowkeep.key",
        )
    return key


def _fields(record):
    if isinstance(record.value, Struct):
        record.value.validate()
    if isinstance(record.value, Struct | dict):
        return dict(record.value)
    raise DataError(
        f"a value has to have fields, found {type(record.value).__name__} at {_where(record)}",
        code="rowkeep.value",
    )


def _stored(value, name, record):
    """A value as a column has it: exact numbers, dates and instants as text."""
    match value:
        case None | int() | str() | bytes():
            return value
        case Decimal():
            return format(value, "f")
        case datetime():
            return value.astimezone(UTC).isoformat(timespec="milliseconds")
        case date():
            return value.isoformat()
    raise DataError(
        f"field {name} of {_where(record)} is {type(value).__name__}, for which there is no column",
        code="rowkeep.field",
    )
