"""Takes messages of a table on lease, and removes each when Kafka has it."""

from __future__ import annotations

import sqlite3
import threading
import uuid
from contextlib import closing, suppress

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
        documentation="Path of the database, which has a table box.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic that receives a record for each message.",
    )
    .define(
        "holder",
        ConfigType.STRING,
        default="connect",
        importance=Importance.MEDIUM,
        validator=NonEmptyString(),
        documentation="In whose name messages are leased; another connector needs another.",
    )
    .define(
        "leases.max",
        ConfigType.INT,
        default=60,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="The most messages that are under way.",
    )
)


class LeaseBoxConnector(SourceConnector):
    """One holder, one task."""

    def version(self):
        return VERSION

    def config(self):
        return CONFIG

    def start(self, props):
        CONFIG.parse(props)
        self._props = dict(props)

    def task_class(self):
        return LeaseBoxTask

    def task_configs(self, max_tasks):
        return [dict(self._props)]

    def stop(self):
        pass


class LeaseBoxTask(SourceTask):
    """A lease ends with the message, or when the holder starts again."""

    def __init__(self):
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._done = []

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._path = config["database"]
        self._topic = config["topic"]
        self._holder = config["holder"]
        self._limit = config["leases.max"]
        self._stopping.clear()
        self._done = []
        self._give_back()

    def poll(self):
        messages = self._lease()
        if not messages:
            self._stopping.wait(0.05)
            return None
        return [self._record(*message) for message in messages]

    def commit_record(self, record, metadata):
        with self._lock:
            self._done.append(record.source_offset["receipt"])
        with suppress(ConnectError, RetriableError):  # comes again with the next poll
            self._remove()

    def stop(self):
        self._stopping.set()

    def _give_back(self):
        with self._box() as database:
            database.execute(
                "UPDATE box SET receipt = NULL, holder = NULL WHERE holder = ?", (self._holder,)
            )

    def _lease(self):
        self._remove()
        with self._box() as database:
            database.execute("BEGIN IMMEDIATE")
            (held,) = database.execute(
                "SELECT count(*) FROM box WHERE holder = ?", (self._holder,)
            ).fetchone()
            rows = database.execute(
                "SELECT id, body, at FROM box WHERE holder IS NULL ORDER BY id LIMIT ?",
                (max(0, min(20, self._limit - held)),),
            ).fetchall()
            messages = []
            for number, body, at in rows:
                if not isinstance(body, str):
                    if messages:
                        break
                    raise DataError(
                        f"message {number} of {self._path} has a {type(body).__name__}, "
                        "expected text",
                        code="leasebox.body",
                    )
                receipt = uuid.uuid4().hex
                database.execute(
                    "UPDATE box SET holder = ?, receipt = ? WHERE id = ?",
                    (self._holder, receipt, number),
                )
                messages.append((receipt, body, at))
            return messages

    def _remove(self):
        with self._lock:
            done = list(self._done)
            if not done:
                return
            with self._box() as database:
                database.executemany(
                    "DELETE FROM box WHERE receipt = ?", [(receipt,) for receipt in done]
                )
            del self._done[: len(done)]

    def _box(self):
        return _Box(self._path)

    def _record(self, receipt, body, at):
        return SourceRecord(
            source_partition={"box": self._path},
            source_offset={"receipt": receipt},
            topic=self._topic,
            value=body,
            value_schema=STRING_SCHEMA,
            timestamp=at,
        )


class _Box:
    """A connection for one transaction."""

    def __init__(self, path):
        self._path = path
        self._database = None

    def __enter__(self):
        try:
            self._database = sqlite3.connect(self._path, timeout=10)
            self._database.execute("SELECT count(*) FROM box").fetchone()
        except sqlite3.Error as error:
            if self._database is not None:
                self._database.close()
            raise self._failure(error) from error
        return self._database

    def __exit__(self, kind, error, trace):
        with closing(self._database) as database:
            try:
                if error is None:
                    database.commit()
                else:
                    database.rollback()
            except sqlite3.Error as failure:
                raise self._failure(failure) from failure
        if isinstance(error, sqlite3.Error):
            raise self._failure(error) from error

    def _failure(self, error):
        busy = getattr(error, "sqlite_errorcode", 0) & 0xFF in TRANSIENT
        return (RetriableError if busy else ConnectError)(
            f"cannot use the box in {self._path}: {error}",
            code="leasebox.database",
            facts={"database": self._path},
        )
