"""Keeps a table for each topic, with a row for each key; new fields become new columns."""

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
PLAIN = (str, bool, int, float, bytes, type(None))
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
CONFIG = ConfigDef().define(
    "board",
    ConfigType.STRING,
    importance=Importance.HIGH,
    validator=NonEmptyString(),
    documentation="Path of the database.",
)


class WideBoardSinkConnector(SinkConnector):
    """Any number of tasks write to the board."""

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
        return WideBoardSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass


class WideBoardSinkTask(SinkTask):
    """A batch is one transaction, in the order of its records."""

    def version(self):
        return VERSION

    def start(self, props):
        self._path = CONFIG.parse(props)["board"]

    def put(self, records):
        changes = []
        for record in records:
            try:
                changes.append(_change(record))
            except DataError as error:
                self._report(record, error)
        if not changes:
            return
        try:
            with closing(sqlite3.connect(self._path, timeout=10, isolation_level=None)) as board:
                board.execute("BEGIN IMMEDIATE")
                for change in changes:
                    self._apply(board, *change)
                board.execute("COMMIT")
        except sqlite3.Error as error:
            busy = getattr(error, "sqlite_errorcode", 0) & 0xFF in TRANSIENT
            raise (RetriableError if busy else ConnectError)(
                f"cannot write to the board {self._path}: {error}",
                code="wideboard.write",
                facts={"database": self._path},
            ) from error

    def stop(self):
        pass

    def _apply(self, board, table, key, fields, at):
        known = {row[1] for row in board.execute(f"PRAGMA table_info({table})")}
        if not known:
            board.execute(f"CREATE TABLE {table} (key TEXT PRIMARY KEY, at INTEGER, shape TEXT)")
        if fields is None:
            board.execute(f"DELETE FROM {table} WHERE key = ?", (key,))
            return
        columns = {name: _name("c", name) for name in fields}
        for name, column in columns.items():
            if column not in known:
                board.execute(f"ALTER TABLE {table} ADD COLUMN {column}")
        shape = json.dumps({name: fields[name][0] for name in fields})
        values = [fields[name][1] for name in fields]
        names = ", ".join(["key", "at", "shape", *columns.values()])
        marks = ", ".join("?" for _ in range(3 + len(values)))
        board.execute(
            f"INSERT OR REPLACE INTO {table} ({names}) VALUES ({marks})", (key, at, shape, *values)
        )

    def _report(self, record, error):
        reporter = self.context.errant_record_reporter()
        if reporter is None:
            raise error
        reporter.report(record, error)


def _change(record):
    """The table, the key, the fields and the time of a record; no fields if it deletes."""
    place = record.original_topic, record.original_kafka_partition, record.original_kafka_offset
    where = "{}-{}@{}".format(*place)
    fields = _fields(record.value, where)
    key = _key(record.key, where)
    try:
        for text in [key, *(v for _, v in (fields or {}).values() if isinstance(v, str))]:
            text.encode()
    except UnicodeEncodeError as error:
        raise DataError(f"{where} is no UTF-8: {error}", code="wideboard.text") from error
    return _name("t", record.topic), key, fields, record.timestamp


def _name(kind, name):
    """The name of a table or a column: no two names share one, whatever their characters."""
    return f"{kind}_" + "".join(c if c in LETTERS else f"_{ord(c):x}_" for c in name)


def _key(key, where):
    if isinstance(key, bytes | bytearray):
        return "x" + bytes(key).hex()
    if key is None or not isinstance(key, str | int | float):
        raise DataError(
            f"a row needs a key of text, bytes or a number, found {type(key).__name__} at {where}",
            code="wideboard.key",
        )
    return json.dumps(key)


def _fields(value, where):
    """The kind and the value of each field; a text is a field without a name."""
    if value is None:
        return None
    if isinstance(value, str):
        return {"": ("str", value)}
    if not isinstance(value, Struct):
        raise DataError(
            f"a row is text or a struct, found {type(value).__name__} at {where}",
            code="wideboard.value",
        )
    items = {f.name: value.get_without_default(f.name) for f in value.schema.fields}
    odd = [name for name, item in items.items() if not isinstance(item, PLAIN)]
    if odd:
        raise DataError(f"fields {odd} at {where} cannot be stored", code="wideboard.field")
    return {name: (type(item).__name__, _cell(item)) for name, item in items.items()}


def _cell(item):
    """A float is stored as text, for the database knows no NaN."""
    return repr(item) if isinstance(item, float) else item
