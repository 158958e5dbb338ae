"""Reads a stream whose shards split: the children of a shard follow when all of it is read."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections import deque
from contextlib import closing
from urllib.parse import quote

from plugwright import (
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
    SourceConnector,
    SourceRecord,
    SourceTask,
    group_partitions,
)

VERSION = "1.0.0"
TRANSIENT = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
CONFIG = (
    ConfigDef()
    .define(
        "stream",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Path of the database, which has tables shards and entries.",
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


class SplitStreamConnector(SourceConnector):
    """Shards without a parent are shared out; a task has their descendants, too."""

    def version(self):
        return VERSION

    def config(self):
        return CONFIG

    def start(self, props):
        CONFIG.parse(props)
        self._props = dict(props)

    def task_class(self):
        return SplitStreamTask

    def task_configs(self, max_tasks):
        roots = _roots(self._props["stream"])
        if not roots:
            return []
        groups = group_partitions(roots, min(max_tasks, len(roots)))
        return [{**self._props, "roots": json.dumps(group)} for group in groups]

    def stop(self):
        pass

    def exactly_once_support(self, props):
        return ExactlyOnceSupport.SUPPORTED

    def alter_offsets(self, props, offsets):
        for _, offset in offsets:
            if offset is not None:
                _position(offset)
        return False


class SplitStreamTask(SourceTask):
    """Walks from its roots to their children, and starts with another root each time."""

    def __init__(self):
        self._stopping = threading.Event()

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._path = config["stream"]
        self._topic = config["topic"]
        self._limit = config["batch.max.entries"]
        self._roots = json.loads(props["roots"])
        self._positions = {}
        self._turn = 0
        self._stopping.clear()

    def poll(self):
        self._turn = (self._turn + 1) % len(self._roots)
        try:
            with closing(_opened(self._path)) as database:
                database.execute("BEGIN")
                records, positions = self._read(database)
        except sqlite3.Error as error:
            raise _failure(self._path, error) from error
        self._positions.update(positions)
        if not records:
            self._stopping.wait(0.05)
            return None
        return records

    def stop(self):
        self._stopping.set()

    def _read(self, database):
        shards = database.execute(
            "SELECT name, parent, closed FROM shards ORDER BY name"
        ).fetchall()
        closed = {name for name, _, is_closed in shards if is_closed}
        roots = self._roots[self._turn :] + self._roots[: self._turn]
        waiting = deque((root, root) for root in roots)
        records, positions = [], {}
        while waiting and len(records) < self._limit:
            root, name = waiting.popleft()
            rows = self._rows(database, name, self._limit - len(records))
            is_read = len(records) + len(rows) < self._limit
            for number, body, at in rows:
                try:
                    text = self._text(name, number, body)
                except DataError:
                    if records:
                        return records, positions
                    raise
                positions[name] = number
                records.append(self._record(root, name, number, text, at))
            if is_read and name in closed:
                waiting.extendleft((root, child) for child, parent, _ in shards if parent == name)
        return records, positions

    def _rows(self, database, name, limit):
        return database.execute(
            "SELECT number, body, at FROM entries WHERE shard = ? AND number > ? "
            "ORDER BY number LIMIT ?",
            (name, self._begin(name), limit),
        ).fetchall()

    def _begin(self, name):
        if name not in self._positions:
            stored = self.context.offset_storage_reader.offset({"shard": name})
            self._positions[name] = 0 if stored is None else _position(stored)
        return self._positions[name]

    def _text(self, name, number, body):
        if isinstance(body, str):
            return body
        raise DataError(
            f"entry {number} of shard {name} has a {type(body).__name__}, expected text",
            code="splitstream.body",
        )

    def _record(self, root, name, number, text, at):
        return SourceRecord(
            source_partition={"shard": name},
            source_offset={"number": number},
            topic=self._topic,
            value=text,
            value_schema=STRING_SCHEMA,
            key=root,
            key_schema=STRING_SCHEMA,
            timestamp=at,
        )


def _roots(path):
    try:
        with closing(_opened(path)) as database:
            rows = database.execute(
                "SELECT name FROM shards WHERE parent IS NULL ORDER BY name"
            ).fetchall()
    except sqlite3.Error as error:
        raise _failure(path, error) from error
    return [name for (name,) in rows]


def _opened(path):
    return sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True, timeout=10)


def _failure(path, error):
    busy = getattr(error, "sqlite_errorcode", 0) & 0xFF in TRANSIENT
    return (RetriableError if busy else ConnectError)(
        f"cannot read the stream in {path}: {error}",
        code="splitstream.database",
        facts={"database": path},
    )


def _position(offset):
    """The number in an offset, which an operator may have written."""
    value = offset.get("number")
    if set(offset) != {"number"} or type(value) is not int or value < 0:
        raise ConnectError(
            f"an offset must be {{'number': whole number from 0}}, found {dict(offset)!r}",
            code="splitstream.offset",
        )
    return value
