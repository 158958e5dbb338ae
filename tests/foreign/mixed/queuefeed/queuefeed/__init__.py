"""Reads a growing SQLite table in a thread of its own, which fills a queue."""

from __future__ import annotations

import queue
import sqlite3
import threading
from pathlib import Path

from plugwright import (
    STRING_SCHEMA,
    ConfigDef,
    ConfigType,
    ConnectError,
    DataError,
    Importance,
    NonEmptyString,
    Range,
    RetriableError,
    SourceConnector,
    SourceRecord,
    SourceTask,
)

VERSION = "1.0.0"
TRANSIENT = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
CONFIG = (
    ConfigDef()
    .define(
        "database",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Path of the database, which has a table mail.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic that receives a record for each row.",
    )
    .define(
        "batch.max.rows",
        ConfigType.INT,
        default=40,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="The most records of one poll.",
    )
)


class QueueFeedConnector(SourceConnector):
    """One table, one task."""

    def version(self):
        return VERSION

    def config(self):
        return CONFIG

    def start(self, props):
        CONFIG.parse(props)
        self.props = dict(props)

    def task_class(self):
        return QueueFeedTask

    def task_configs(self, max_tasks):
        return [dict(self.props)]

    def stop(self):
        pass


class QueueFeedTask(SourceTask):
    """The thread reads ahead by as much as the queue holds."""

    def __init__(self):
        self._stopping = threading.Event()
        self._thread = None

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._path = config["database"]
        self._topic = config["topic"]
        self._limit = config["batch.max.rows"]
        self._partition = {"database": self._path}
        stored = self.context.offset_storage_reader.offset(self._partition)
        self._last = 0 if stored is None else _position(stored)
        self._queue = queue.Queue(maxsize=100)
        self._error = None
        self._stopping.clear()
        self._thread = threading.Thread(target=self._run, name="queuefeed", daemon=True)
        self._thread.start()

    def poll(self):
        rows = []
        try:
            rows.append(self._queue.get(timeout=0.1))
            while len(rows) < self._limit:
                rows.append(self._queue.get_nowait())
        except queue.Empty:
            pass
        if rows:
            return [self._record(*row) for row in rows]
        error, alive = self._error, self._thread.is_alive()
        if error is not None and self._queue.empty():
            if alive:
                self._error = None
            raise error
        return None

    def stop(self):
        self._stopping.set()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join()

    def _run(self):
        last = self._last
        while not self._stopping.is_set():
            try:
                last = self._read(last)
                self._stopping.wait(0.05)
            except RetriableError as error:
                self._error = error
                self._stopping.wait(0.25)
            except Exception as error:
                self._error = error
                return

    def _read(self, last):
        try:
            database = sqlite3.connect(Path(self._path).absolute().as_uri() + "?mode=ro", uri=True)
            try:
                rows = database.execute(
                    "SELECT id, body, at FROM mail WHERE id > ? ORDER BY id LIMIT 100", (last,)
                ).fetchall()
            finally:
                database.close()
        except sqlite3.Error as error:
            busy = getattr(error, "sqlite_errorcode", 0) & 0xFF in TRANSIENT
            raise (RetriableError if busy else ConnectError)(
                f"cannot read {self._path}: {error}",
                code="queuefeed.read",
                facts={"database": self._path},
            ) from error
        for row in rows:
            if not isinstance(row[1], str):
                raise DataError(
                    f"row {row[0]} of {self._path} has a body of {type(row[1]).__name__}, "
                    "expected text",
                    code="queuefeed.body",
                )
            while not self._offer(row):
                if self._stopping.is_set():
                    return last
            last = row[0]
        return last

    def _offer(self, row):
        try:
            self._queue.put(row, timeout=0.1)
        except queue.Full:
            return False
        return True

    def _record(self, number, body, at):
        return SourceRecord(
            source_partition=dict(self._partition),
            source_offset={"id": number},
            topic=self._topic,
            value=body,
            value_schema=STRING_SCHEMA,
            timestamp=at,
        )


def _position(offset):
    """The id in a stored offset, which an operator may have written."""
    if set(offset) != {"id"} or type(offset["id"]) is not int or offset["id"] < 0:
        raise ConnectError(
            f"an offset must be {{'id': whole number from 0}}, found {dict(offset)!r}",
            code="queuefeed.offset",
        )
    return offset["id"]
