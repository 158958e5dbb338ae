"""Reads the changes of a table from its trail, with the row before and after each change."""

from __future__ import annotations

import json
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

from plugwright import (
    INT64_SCHEMA,
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
KEY = SchemaBuilder.struct().name("rowtrail.Key").field("row", INT64_SCHEMA).build()
ROW = (
    SchemaBuilder.struct()
    .name("rowtrail.Row")
    .optional()
    .field("row", INT64_SCHEMA)
    .field("text", STRING_SCHEMA)
    .build()
)
CHANGE = (
    SchemaBuilder.struct()
    .name("rowtrail.Change")
    .field("op", STRING_SCHEMA)
    .field("before", ROW)
    .field("after", ROW)
    .field("place", INT64_SCHEMA)
    .build()
)
CONFIG = (
    ConfigDef()
    .define(
        "database",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Path of the database, which has a table trail.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic that receives a record for each change.",
    )
    .define(
        "tombstones.on.delete",
        ConfigType.BOOLEAN,
        default=False,
        importance=Importance.MEDIUM,
        documentation="Whether a record with a key and without a value follows each deletion.",
    )
    .define(
        "batch.max.changes",
        ConfigType.INT,
        default=32,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="The most changes of one poll.",
    )
)


class RowTrailConnector(SourceConnector):
    """One trail, one task."""

    def version(self):
        return VERSION

    def config(self):
        return CONFIG

    def start(self, props):
        CONFIG.parse(props)
        self._props = dict(props)

    def task_class(self):
        return RowTrailTask

    def task_configs(self, max_tasks):
        return [dict(self._props)]

    def stop(self):
        pass

    def exactly_once_support(self, props):
        return ExactlyOnceSupport.SUPPORTED


class RowTrailTask(SourceTask):
    """Follows the trail by its number."""

    def __init__(self):
        self._stopping = threading.Event()

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._path = config["database"]
        self._topic = config["topic"]
        self._tombstones = config["tombstones.on.delete"]
        self._limit = config["batch.max.changes"]
        self._stopping.clear()
        stored = self.context.offset_storage_reader.offset({"trail": self._path})
        self._place, self._owes = (0, False) if stored is None else _position(stored)

    def poll(self):
        records = []
        for place, op, row, before, after, at in self._rows():
            try:
                change = self._change(place, op, row, before, after)
            except DataError:
                if records:
                    break
                raise
            key = Struct(KEY)
            key["row"] = row
            if not (self._owes and place == self._place):
                follows = op == "d" and self._tombstones
                records.append(self._record(place, follows, key, change, CHANGE, at))
            if op == "d" and self._tombstones:
                records.append(self._record(place, False, key, None, None, at))
            self._place, self._owes = place, False
        if not records:
            self._stopping.wait(0.05)
        return records or None

    def stop(self):
        self._stopping.set()

    def _rows(self):
        first = self._place if self._owes else self._place + 1
        try:
            uri = Path(self._path).absolute().as_uri() + "?mode=ro"
            with closing(sqlite3.connect(uri, uri=True)) as database:
                return database.execute(
                    "SELECT id, op, row, before, after, at FROM trail WHERE id >= ? "
                    "ORDER BY id LIMIT ?",
                    (first, self._limit),
                ).fetchall()
        except sqlite3.Error as error:
            busy = getattr(error, "sqlite_errorcode", 0) & 0xFF in TRANSIENT
            raise (RetriableError if busy else ConnectError)(
                f"cannot read the trail in {self._path}: {error}",
                code="rowtrail.read",
                facts={"database": self._path},
            ) from error

    def _change(self, place, op, row, before, after):
        change = Struct(CHANGE)
        change["op"] = op
        change["before"] = self._image(place, row, before)
        change["after"] = self._image(place, row, after)
        change["place"] = place
        return change

    def _image(self, place, row, text):
        if text is None:
            return None
        value = json.loads(text)
        if not isinstance(value, str):
            raise DataError(
                f"change {place} in {self._path} has a {type(value).__name__}, expected text",
                code="rowtrail.text",
            )
        image = Struct(ROW)
        image["row"] = row
        image["text"] = value
        return image

    def _record(self, place, owes, key, value, schema, at):
        return SourceRecord(
            {"trail": self._path},
            {"place": place, "owes": owes},
            self._topic,
            value,
            schema,
            key=key,
            key_schema=KEY,
            timestamp=at,
        )


def _position(offset):
    """The place in a stored offset, and whether the tombstone of it is still to come."""
    place, owes = offset.get("place"), offset.get("owes")
    valid = type(place) is int and place >= 0 and isinstance(owes, bool)
    if set(offset) != {"place", "owes"} or not valid:
        raise ConnectError(
            "an offset must be {'place': whole number from 0, 'owes': boolean}, "
            f"found {dict(offset)!r}",
            code="rowtrail.offset",
        )
    return place, owes
