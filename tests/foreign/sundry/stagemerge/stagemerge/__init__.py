"""Stages rows beside the tables of a warehouse, and merges them by their keys with each commit."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

from plugwright import (
    ConfigDef,
    ConfigType,
    ConnectError,
    DataError,
    Importance,
    NonEmptyString,
    RetriableError,
    SinkConnector,
    SinkTask,
    Struct,
)

VERSION = "1.0.0"
TRANSIENT = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
PLAIN = (str, bool, int, float, type(None))
CONFIG = ConfigDef().define(
    "warehouse",
    ConfigType.STRING,
    importance=Importance.HIGH,
    validator=NonEmptyString(),
    documentation="Path of the database, which receives a table for each topic.",
)


class StageMergeSinkConnector(SinkConnector):
    """Each task has a number, and a stage of its own."""

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
        return StageMergeSinkTask

    def task_configs(self, max_tasks):
        return [{**self._props, "stage.number": str(number)} for number in range(max_tasks)]

    def stop(self):
        pass


class StageMergeSinkTask(SinkTask):
    """Rows are staged by put, and durable with the merge of a commit."""

    def version(self):
        return VERSION

    def start(self, props):
        self._path = CONFIG.parse(props)["warehouse"]
        self._stage = f"stage_{int(props['stage.number'])}"
        with self._warehouse() as database:
            database.execute(
                f"CREATE TABLE IF NOT EXISTS {self._stage} (topic TEXT, part INTEGER, "
                "place INTEGER, target TEXT, key TEXT, doc TEXT, at INTEGER, "
                "PRIMARY KEY (topic, part, place))"
            )
            database.execute(f"DELETE FROM {self._stage}")  # all of it comes again

    def put(self, records):
        rows = []
        for record in records:
            try:
                rows.append(self._row(record))
            except DataError as error:
                self._report(record, error)
        if rows:
            with self._warehouse() as database:
                database.executemany(
                    f"INSERT OR IGNORE INTO {self._stage} VALUES (?, ?, ?, ?, ?, ?, ?)", rows
                )

    def flush(self, offsets):
        with self._warehouse() as database:
            rows = database.execute(
                f"SELECT target, key, doc, at FROM {self._stage} ORDER BY rowid"
            ).fetchall()
            latest = {(target, key): (doc, at) for target, key, doc, at in rows}
            for target in {target for target, _ in latest}:
                database.execute(
                    f"CREATE TABLE IF NOT EXISTS {_table(target)} "
                    "(key TEXT PRIMARY KEY, doc TEXT, at INTEGER)"
                )
            for (target, key), (doc, at) in latest.items():
                if doc is None:
                    database.execute(f"DELETE FROM {_table(target)} WHERE key = ?", (key,))
                else:
                    database.execute(
                        f"INSERT OR REPLACE INTO {_table(target)} VALUES (?, ?, ?)", (key, doc, at)
                    )
            database.execute(f"DELETE FROM {self._stage}")

    def close(self, partitions):
        if partitions:
            with self._warehouse() as database:
                database.executemany(
                    f"DELETE FROM {self._stage} WHERE topic = ? AND part = ?", list(partitions)
                )

    def stop(self):
        pass

    def _warehouse(self):
        return _Transaction(self._path)

    def _report(self, record, error):
        reporter = self.context.errant_record_reporter()
        if reporter is None:
            raise error
        reporter.report(record, error)

    def _row(self, record):
        place = (
            record.original_topic,
            record.original_kafka_partition,
            record.original_kafka_offset,
        )
        where = "{}-{}@{}".format(*place)
        key = _key(record.key, where)
        return (*place, record.topic, key, _doc(record.value, where), record.timestamp)


class _Transaction:
    """A connection for one transaction."""

    def __init__(self, path):
        self._path = path
        self._database = None

    def __enter__(self):
        try:
            self._database = sqlite3.connect(self._path, timeout=10, isolation_level=None)
            self._database.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            if self._database is not None:
                self._database.close()
            raise self._failure(error) from error
        return self._database

    def __exit__(self, kind, error, trace):
        with closing(self._database) as database:
            try:
                database.execute("COMMIT" if error is None else "ROLLBACK")
            except sqlite3.Error as failure:
                raise self._failure(failure) from failure
        if isinstance(error, sqlite3.Error):
            raise self._failure(error) from error

    def _failure(self, error):
        busy = getattr(error, "sqlite_errorcode", 0) & 0xFF in TRANSIENT
        return (RetriableError if busy else ConnectError)(
            f"cannot use the warehouse {self._path}: {error}",
            code="stagemerge.database",
            facts={"database": self._path},
        )


def _table(topic):
    """The table of a topic: no two topics share one, whatever their characters."""
    plain = "abcdefghijklmnopqrstuvwxyz0123456789"
    return "t_" + "".join(c if c in plain else f"_{ord(c):x}_" for c in topic)


def _key(key, where):
    if isinstance(key, bytes | bytearray):
        return "x" + bytes(key).hex()
    if key is None or not isinstance(key, str | int | float):
        raise DataError(
            f"a row needs a key of text, bytes or a number, found {type(key).__name__} at {where}",
            code="stagemerge.key",
        )
    return json.dumps(key)


def _doc(value, where):
    if value is None:
        return None
    if isinstance(value, str):
        return json.dumps({"text": value})
    if isinstance(value, Struct):
        row = {field.name: value[field.name] for field in value.schema.fields}
        odd = [name for name, item in row.items() if not isinstance(item, PLAIN)]
        if not odd:
            return json.dumps({"row": row})
        raise DataError(f"fields {odd} at {where} cannot be stored", code="stagemerge.field")
    raise DataError(
        f"a row is text or a struct, found {type(value).__name__} at {where}",
        code="stagemerge.value",
    )
