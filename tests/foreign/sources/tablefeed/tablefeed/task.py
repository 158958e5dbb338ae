"""The task: rows with an id beyond the last one."""

from __future__ import annotations

import sqlite3
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

from plugwright import (
    INT64_SCHEMA,
    OPTIONAL_STRING_SCHEMA,
    STRING_SCHEMA,
    ConnectError,
    DataError,
    Headers,
    RetriableError,
    SchemaBuilder,
    SourceRecord,
    SourceTask,
    Struct,
    Timestamp,
)
from tablefeed.connector import CONFIG, VERSION

ROW = (
    SchemaBuilder.struct()
    .name("tablefeed.Row")
    .version(1)
    .field("id", INT64_SCHEMA)
    .field("body", OPTIONAL_STRING_SCHEMA)
    .field("created", Timestamp.SCHEMA)
    .build()
)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
TRANSIENT = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR}


def last_id(offset):
    """The id in a stored offset, which an operator may have written."""
    value = offset.get("id")
    if set(offset) != {"id"} or type(value) is not int or value < 0:
        raise ConnectError(
            f"an offset must be {{'id': whole number from 0}}, found {dict(offset)!r}",
            code="tablefeed.bad-offset",
        )
    return value


class TableFeedTask(SourceTask):
    """Keeps one connection to the database, opened where it is needed."""

    def __init__(self):
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._database = None

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._path = config["database"]
        self._table = config["table"]
        self._topic = config["topic"]
        self._limit = config["batch.max.rows"]
        self._wait_s = config["poll.interval.ms"] / 1000
        self._partition = {"database": self._path, "table": self._table}
        stored = self.context.offset_storage_reader.offset(self._partition)
        self._last = 0 if stored is None else last_id(stored)
        self._stopping.clear()

    def poll(self):
        with self._lock:
            if self._stopping.is_set():
                return None
            try:
                rows = self._read()
            except sqlite3.Error as error:
                self._close()
                raise self._failure(error) from error
            except OSError as error:
                self._close()
                raise self._failure(error) from error
            records = self._records(rows)
        if not records:
            self._stopping.wait(self._wait_s)
            return None
        return records

    def stop(self):
        self._stopping.set()
        with self._lock:
            self._close()

    def _read(self):
        if self._database is None:
            uri = Path(self._path).absolute().as_uri() + "?mode=ro"
            self._database = sqlite3.connect(uri, uri=True, timeout=1, check_same_thread=False)
        return self._database.execute(
            f"SELECT id, body, kind, created_ms FROM {self._table} WHERE id > ? ORDER BY id LIMIT ?",
            (self._last, self._limit),
        ).fetchall()

    def _records(self, rows):
        records = []
        for row in rows:
            try:
                record = self._record(*row)
            except DataError:
                if records:
                    break
                raise
            records.append(record)
            self._last = row[0]
        return records

    def _record(self, row_id, body, kind, created_ms):
        if body is not None and not isinstance(body, str):
            raise DataError(
                f"row {row_id} of {self._table} has {type(body).__name__} as its body, expected text",
                code="tablefeed.not-text",
                facts={"id": row_id},
            )
        value = Struct(ROW)
        value["id"] = row_id
        value["body"] = body
        value["created"] = EPOCH + timedelta(milliseconds=created_ms)
        headers = Headers()
        headers.add("kind", kind, STRING_SCHEMA)
        return SourceRecord(
            self._partition,
            {"id": row_id},
            self._topic,
            value,
            ROW,
            key=row_id,
            key_schema=INT64_SCHEMA,
            timestamp=created_ms,
            headers=headers,
        )

    def _failure(self, error):
        code = getattr(error, "sqlite_errorcode", None)
        passing = isinstance(error, OSError) or (code is not None and code & 0xFF in TRANSIENT)
        if passing:
            self._stopping.wait(self._wait_s)
        return (RetriableError if passing else ConnectError)(
            f"table {self._table} of {self._path} cannot be read: {error}",
            code="tablefeed.unreadable",
            facts={"database": self._path, "table": self._table},
        )

    def _close(self):
        if self._database is not None:
            self._database.close()
            self._database = None
