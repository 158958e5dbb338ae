"""Reads the entries of a log in the order of their local times; an entry has a note, or none."""

from __future__ import annotations

import re
import sqlite3
import threading
from contextlib import closing
from datetime import datetime, timedelta, timezone
from urllib.parse import quote

from plugwright import (
    INT64_SCHEMA,
    OPTIONAL_STRING_SCHEMA,
    STRING_SCHEMA,
    ConfigDef,
    ConfigType,
    ConnectError,
    DataError,
    ExactlyOnceSupport,
    Importance,
    NonEmptyString,
    Range,
    RetriableError,
    SchemaBuilder,
    SourceConnector,
    SourceRecord,
    SourceTask,
    Struct,
)

VERSION = "1.0.0"
TRANSIENT = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
LOCAL = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
KEY = SchemaBuilder.struct().name("shiftlog.Key").field("id", INT64_SCHEMA).build()
ENTRY = (
    SchemaBuilder.struct()
    .name("shiftlog.Entry")
    .field("id", INT64_SCHEMA)
    .field("body", STRING_SCHEMA)
    .field("note", OPTIONAL_STRING_SCHEMA)
    .build()
)
CONFIG = (
    ConfigDef()
    .define(
        "log",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Path of the database, which has a table entries.",
    )
    .define(
        "log.zone.minutes",
        ConfigType.INT,
        default=0,
        importance=Importance.MEDIUM,
        validator=Range.between(-1439, 1439),
        documentation="How far the clock of the log is ahead of UTC, in minutes.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic that receives a record for each entry.",
    )
    .define(
        "batch.max.entries",
        ConfigType.INT,
        default=24,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="The most entries of one poll.",
    )
)


class ShiftLogConnector(SourceConnector):
    """One log, one task."""

    def version(self):
        return VERSION

    def config(self):
        return CONFIG

    def start(self, props):
        CONFIG.parse(props)
        self._props = dict(props)

    def task_class(self):
        return ShiftLogTask

    def task_configs(self, max_tasks):
        return [dict(self._props)]

    def stop(self):
        pass

    def exactly_once_support(self, props):
        return ExactlyOnceSupport.SUPPORTED

    def alter_offsets(self, props, offsets):
        for _, offset in offsets:
            if offset is not None:
                _position(offset)
        return False


class ShiftLogTask(SourceTask):
    """Goes on behind the time and the number of the last entry."""

    def __init__(self):
        self._stopping = threading.Event()

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._path = config["log"]
        self._zone = timezone(timedelta(minutes=config["log.zone.minutes"]))
        self._topic = config["topic"]
        self._limit = config["batch.max.entries"]
        stored = self.context.offset_storage_reader.offset({"log": "entries"})
        self._place = ("", 0) if stored is None else _position(stored)
        self._stopping.clear()

    def poll(self):
        records = []
        for row in self._rows():
            try:
                records.append(self._record(row))
            except DataError:
                if records:
                    break
                raise
            self._place = (row[3], row[0])
        if not records:
            self._stopping.wait(0.05)
            return None
        return records

    def stop(self):
        self._stopping.set()

    def _rows(self):
        try:
            with closing(_opened(self._path)) as database:
                return database.execute(
                    "SELECT id, body, note, changed FROM entries WHERE (changed, id) > (?, ?) "
                    "ORDER BY changed, id LIMIT ?",
                    (*self._place, self._limit),
                ).fetchall()
        except sqlite3.Error as error:
            raise _failure(self._path, error) from error

    def _record(self, row):
        number, body, note, changed = row
        if not isinstance(body, str):
            raise DataError(
                f"entry {number} has a {type(body).__name__}, expected text", code="shiftlog.body"
            )
        key, entry = Struct(KEY), Struct(ENTRY)
        key["id"] = entry["id"] = number
        entry["body"] = body
        entry["note"] = note
        return SourceRecord(
            source_partition={"log": "entries"},
            source_offset={"changed": changed, "id": number},
            topic=self._topic,
            key=key,
            key_schema=KEY,
            value=entry,
            value_schema=ENTRY,
            timestamp=self._milliseconds(changed),
        )

    def _milliseconds(self, changed):
        local = datetime.strptime(changed, "%Y-%m-%d %H:%M:%S").replace(tzinfo=self._zone)
        return int(local.timestamp()) * 1000


def _opened(path):
    return sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True, timeout=10)


def _failure(path, error):
    busy = getattr(error, "sqlite_errorcode", 0) & 0xFF in TRANSIENT
    return (RetriableError if busy else ConnectError)(
        f"cannot read the log in {path}: {error}", code="shiftlog.read", facts={"database": path}
    )


def _position(offset):
    """The time and the number in an offset, which an operator may have written."""
    changed, number = offset.get("changed"), offset.get("id")
    well = isinstance(changed, str) and LOCAL.fullmatch(changed) and type(number) is int
    if set(offset) != {"changed", "id"} or not well or number < 0:
        raise ConnectError(
            "an offset must be {'changed': local time, 'id': whole number from 0}, "
            f"found {dict(offset)!r}",
            code="shiftlog.offset",
        )
    return changed, number
