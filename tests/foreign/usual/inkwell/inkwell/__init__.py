"""Appends every record to a table of SQLite, with its type, its key and its headers.

The place of a record in Kafka is the primary key, and a batch is one transaction, so a record that
comes again changes nothing.
"""

from __future__ import annotations

import base64
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

VERSION = "1.0.0"
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
            f"{name} must be a name of letters, digits and underscores", code="inkwell.table"
        )


CONFIG = (
    ConfigDef()
    .define(
        "ink.file",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyStringWithoutControlChars(),
        documentation="Path of the database.",
    )
    .define(
        "ink.table",
        ConfigType.STRING,
        default="entries",
        importance=Importance.HIGH,
        validator=LambdaValidator.with_(_check_table, lambda: "letters, digits and underscores"),
        documentation="Table to append to. It has to exist, with columns source, part and place,"
        " its primary key, and topic, at, key, kind, body and headers.",
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


class InkWellSinkConnector(SinkConnector):
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
        return InkWellSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass


class InkWellSinkTask(SinkTask):
    """What was put is committed when put returns, so there is nothing to flush."""

    def __init__(self):
        self._lock = threading.Lock()
        self._database = None

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._file = config["ink.file"]
        self._insert = (
            f'INSERT INTO "{config["ink.table"]}"'
            " (source, part, place, topic, at, key, kind, body, headers)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (source, part, place) DO NOTHING"
        )
        self._patience_s = config["lock.timeout.ms"] / 1000

    def put(self, records):
        if not records:
            return
        reporter = self.context.errant_record_reporter()
        rows, bad = [], []
        for record in records:
            try:
                rows.append(_row(record))
            except DataError as error:
                if reporter is None:
                    raise
                bad.append((record, error))
        with self._lock:
            self._write(rows)
        for record, error in bad:
            reporter.report(record, error)

    def stop(self):
        with self._lock:
            self._leave()

    def _write(self, rows):
        """Write all rows in one transaction."""
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
            self._database.executemany(self._insert, rows)
            self._database.execute("COMMIT")
        except (sqlite3.Error, OSError) as error:
            self._leave()
            raise self._failure(error) from error
        except BaseException:
            self._leave()  # which rolls back
            raise

    def _failure(self, error):
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_IOERR) & 0xFF
        kind = RetriableError if code in PASSING else ConnectError
        return kind(
            f"{self._file} cannot be written: {error}",
            code="inkwell.database",
            facts={"file": self._file},
        )

    def _leave(self):
        if self._database is not None:
            self._database.close()
            self._database = None


def _row(record):
    """The cells of a record."""
    where = (
        f"{record.original_topic}-{record.original_kafka_partition}@{record.original_kafka_offset}"
    )
    kind, body = _typed(record.value, where)
    headers = [[header.key, *_written(header.value, where)] for header in record.headers]
    return (
        record.original_topic,
        record.original_kafka_partition,
        record.original_kafka_offset,
        record.topic,
        record.timestamp,
        json.dumps(_written(record.key, where)),
        kind,
        body,
        json.dumps(headers),
    )


def _typed(value, where):
    """The name of a value's type, and the value as a cell."""
    match value:
        case None:
            return "null", None
        case bool():
            return "boolean", "true" if value else "false"
        case int():
            return "integer", str(value)
        case float():
            return "float", repr(value)
        case str():
            return "text", _text(value, where)
        case bytes():
            return "bytes", value
        case Decimal():
            return "decimal", str(value)
        case dt.datetime():
            return "timestamp", value.isoformat()
        case dt.date():
            return "date", value.isoformat()
        case dt.time():
            return "time", value.isoformat()
        case dict() | list() | Struct():
            return "json", json.dumps(_plain(value, where), ensure_ascii=False, allow_nan=False)
    raise DataError(
        f"a value cannot be {type(value).__name__} at {where}",
        code="inkwell.value",
        facts={"type": type(value).__name__},
    )


def _written(value, where):
    """The name of a value's type, and the value as JSON can hold it."""
    kind, body = _typed(value, where)
    return kind, base64.b64encode(body).decode("ascii") if kind == "bytes" else body


def _plain(value, where):
    """A map or a list as JSON has it."""
    match value:
        case None | bool() | int():
            return value
        case float() if math.isfinite(value):
            return value
        case str():
            return _text(value, where)
        case Struct():
            return {name: _plain(each, where) for name, each in dict(value).items()}
        case dict() if all(isinstance(name, str) for name in value):
            return {_text(name, where): _plain(each, where) for name, each in value.items()}
        case list():
            return [_plain(each, where) for each in value]
    raise DataError(
        f"JSON cannot have {type(value).__name__} {str(value)[:60]!r} at {where}",
        code="inkwell.json",
    )


def _text(value, where):
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:  # half of a surrogate pair
        raise DataError(f"a text at {where} is none: {error}", code="inkwell.text") from error
    return value
