"""Reads the rows of a SQLite table in the order of their times, as structs with keys."""

from __future__ import annotations

import datetime as dt
import sqlite3
import threading
from pathlib import Path

from plugwright import (
    INT64_SCHEMA,
    STRING_SCHEMA,
    ConfigDef,
    ConfigType,
    ConnectError,
    DataError,
    Importance,
    NonEmptyString,
    Range,
    RetriableError,
    SchemaBuilder,
    SourceConnector,
    SourceRecord,
    SourceTask,
    Struct,
    Timestamp,
)

VERSION = "1.0.0"
TRANSIENT = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
ROW = (
    SchemaBuilder.struct()
    .name("tapefeed.Row")
    .field("number", INT64_SCHEMA)
    .field("text", STRING_SCHEMA)
    .field("at", Timestamp.SCHEMA)
    .build()
)
CONFIG = (
    ConfigDef()
    .define(
        "database",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Path of the database, which has a table tape.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic that receives a record for each row.",
    )
    .define(
        "page.rows",
        ConfigType.INT,
        default=30,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="The most rows of one query.",
    )
)


class TapeFeedConnector(SourceConnector):
    """One table, one task."""

    def version(self):
        return VERSION

    def config(self):
        return CONFIG

    def start(self, props):
        CONFIG.parse(props)
        self.props = dict(props)

    def task_class(self):
        return TapeFeedTask

    def task_configs(self, max_tasks):
        return [dict(self.props)]

    def stop(self):
        pass


class TapeFeedTask(SourceTask):
    """Goes on after the time and the number of the last row."""

    def __init__(self):
        self._stopping = threading.Event()

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._path = config["database"]
        self._topic = config["topic"]
        self._rows = config["page.rows"]
        self._partition = {"tape": self._path}
        stored = self.context.offset_storage_reader.offset(self._partition)
        self._at, self._number = (-1, 0) if stored is None else _position(stored)
        self._stopping.clear()

    def poll(self):
        rows = self._page()
        records = []
        for row in rows:
            try:
                records.append(self._record(*row))
            except DataError:
                if records:
                    break
                raise
            self._at, self._number = row[2], row[0]
        if not records:
            self._stopping.wait(0.05)
        return records or None

    def stop(self):
        self._stopping.set()

    def _page(self):
        query = (
            "SELECT number, text, at FROM tape WHERE at > ? OR (at = ? AND number > ?) "
            "ORDER BY at, number LIMIT ?"
        )
        values = (self._at, self._at, self._number, self._rows)
        try:
            database = sqlite3.connect(Path(self._path).absolute().as_uri() + "?mode=ro", uri=True)
            try:
                return database.execute(query, values).fetchall()
            finally:
                database.close()
        except sqlite3.Error as error:
            busy = getattr(error, "sqlite_errorcode", 0) & 0xFF in TRANSIENT
            raise (RetriableError if busy else ConnectError)(
                f"cannot read {self._path}: {error}",
                code="tapefeed.read",
                facts={"database": self._path},
            ) from error

    def _record(self, number, text, at):
        if not isinstance(text, str):
            raise DataError(
                f"row {number} of {self._path} is a {type(text).__name__}, expected text",
                code="tapefeed.text",
            )
        value = Struct(ROW)
        value["number"] = number
        value["text"] = text
        value["at"] = EPOCH + dt.timedelta(milliseconds=at)
        return SourceRecord(
            source_partition=dict(self._partition),
            source_offset={"at": at, "number": number},
            topic=self._topic,
            value=value,
            value_schema=ROW,
            key=f"row-{number}",
            key_schema=STRING_SCHEMA,
            timestamp=at,
        )


def _position(offset):
    """Time and number in a stored offset, which an operator may have written."""
    found = [offset.get(name) for name in ("at", "number")]
    if set(offset) != {"at", "number"} or any(type(n) is not int for n in found):
        raise ConnectError(
            f"an offset must be {{'at': ..., 'number': ...}}, whole numbers, found {dict(offset)!r}",
            code="tapefeed.offset",
        )
    return found
