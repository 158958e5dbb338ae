"""Keeps a table of SQLite for each topic: a row for each key, a column for each field.

Records are collected in ``put`` and written in ``flush``, in one transaction. Tables and columns are
made when they are first needed. The columns have no type of their own, so that SQLite does not
change what it is given: decimals, dates and times are text, everything else is what it is.
"""

from __future__ import annotations

import datetime as dt
import math
import sqlite3
import string
import threading
from contextlib import closing
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    TopicPartition,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from plugwright import SinkRecord

KEY = "__key"
FOLD = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
PASSING = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_SCHEMA,
        sqlite3.SQLITE_INTERRUPT,
    }
)


def _check_format(name: str, value: object) -> None:
    if not isinstance(value, str) or "${topic}" not in value or "\0" in value:
        raise ConfigError(f"{name} must contain ${{topic}}, found {value!r}")


CONFIG = (
    ConfigDef()
    .define(
        "moor.database",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyStringWithoutControlChars(),
        documentation="Path of the database; it is created if it does not exist.",
    )
    .define(
        "table.name.format",
        ConfigType.STRING,
        default="${topic}",
        importance=Importance.MEDIUM,
        validator=LambdaValidator.with_(_check_format, lambda: "text with ${topic}"),
        documentation="Name of the table of a topic.",
    )
    .define(
        "max.waiting",
        ConfigType.INT,
        default=10_000,
        importance=Importance.LOW,
        validator=Range.between(1, 1_000_000),
        documentation="Records in memory after which they are written before the next commit.",
    )
    .define(
        "lock.wait.ms",
        ConfigType.INT,
        default=3000,
        importance=Importance.LOW,
        validator=Range.between(0, 60_000),
        documentation="How long to wait while others write to the database.",
    )
)


class TableMoorSinkConnector(SinkConnector):
    """Several tasks take turns in writing."""

    def __init__(self) -> None:
        self._props: dict[str, str] = {}

    def version(self) -> str:
        return "3.3.3"

    def config(self) -> ConfigDef:
        return CONFIG

    def start(self, props: Mapping[str, str]) -> None:
        CONFIG.parse(props)
        self._props = dict(props)

    def task_class(self) -> type[SinkTask]:
        return TableMoorSinkTask

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self) -> None:
        self._props.clear()


@dataclass(frozen=True, slots=True)
class Change:
    """What one record does to a table: it sets a row, or removes it."""

    home: TopicPartition
    table: str
    key: str | int | bytes
    row: Mapping[str, Any] | None


class TableMoorSinkTask(SinkTask):
    """Opens the database for each transaction, so that nothing is held in between."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[Change] = []

    def version(self) -> str:
        return "3.3.3"

    def start(self, props: Mapping[str, str]) -> None:
        config = CONFIG.parse(props)
        self._file: str = config["moor.database"]
        self._format: str = config["table.name.format"]
        self._most: int = config["max.waiting"]
        self._patience_s: float = config["lock.wait.ms"] / 1000

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Take changes; first write those that wait if they are many.

        Raises:
            DataError: if a record is no row, and bad records are not reported.
            RetriableError: if the database cannot be written now.
        """
        if not records:
            return
        reporter = self.context.errant_record_reporter()
        changes, bad = [], []
        for record in records:
            try:
                changes.append(self._change(record))
            except DataError as error:
                if reporter is None:
                    raise
                bad.append((record, error))
        with self._lock:
            if len(self._waiting) >= self._most:
                self._write()
            self._waiting += changes
        for record, error in bad:
            reporter.report(record, error)

    def flush(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Write everything that waits.

        Raises:
            ConnectError: if nothing was written; it still waits.
        """
        with self._lock:
            self._write()

    def close(self, partitions: Collection[TopicPartition]) -> None:
        """Forget what could not be written: the next owner of the partitions gets it again."""
        lost = {TopicPartition(*each) for each in partitions}
        with self._lock:
            self._waiting = [change for change in self._waiting if change.home not in lost]

    def stop(self) -> None:
        with self._lock:
            self._waiting = []

    def _change(self, record: SinkRecord) -> Change:
        home = TopicPartition(record.original_topic, record.original_kafka_partition)
        place = f"{home.topic}-{home.partition}@{record.original_kafka_offset}"
        key, value = record.key, record.value
        if isinstance(key, bytearray | memoryview):
            key = bytes(key)
        if isinstance(key, bool) or not isinstance(key, str | int | bytes):
            raise _unfit(place, f"a key is text, a whole number or bytes, found {_kind(key)}")
        key = _cell(key, place, "the key")
        row = None
        if isinstance(value, Struct):
            row = {name: _cell(value[name], place, f"field {name!r}") for name in value}
            folded = {_folded(name) for name in row} | {KEY}
            if len(folded) <= len(row) or any("\0" in name or not name for name in row):
                raise _unfit(place, f"{list(row)} cannot be the columns of a table")
        elif value is not None:
            raise _unfit(place, f"a row is a struct, found {_kind(value)}")
        return Change(home, self._format.replace("${topic}", record.topic), key, row)

    def _write(self) -> None:
        """Write what waits in one transaction."""
        if not self._waiting:
            return
        try:
            uri = f"{Path(self._file).absolute().as_uri()}?mode=rwc"
            with closing(
                sqlite3.connect(uri, timeout=self._patience_s, isolation_level=None, uri=True)
            ) as database:
                database.execute("PRAGMA synchronous = FULL")
                database.execute("BEGIN IMMEDIATE")  # an error closes, and so rolls back
                columns: dict[str, set[str]] = {}
                for change in self._waiting:
                    if change.table not in columns:
                        columns[change.table] = _table(database, change.table)
                    _apply(database, change, columns[change.table])
                database.execute("COMMIT")
        except (sqlite3.Error, OSError) as error:
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_IOERR) & 0xFF
            raise (RetriableError if code in PASSING else ConnectError)(
                f"the database {self._file} cannot be written: {error}",
                code="tablemoor.database",
                facts={"file": self._file},
            ) from error
        self._waiting = []


def _table(database: sqlite3.Connection, table: str) -> set[str]:
    """The columns of a table in lower case, which is made if it is not there.

    Raises:
        ConnectError: if there is one whose name differs in case, as SQLite takes it for the same.
    """
    database.execute(f"CREATE TABLE IF NOT EXISTS {_quoted(table)} ({KEY} NOT NULL PRIMARY KEY)")
    found = database.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND lower(name) = lower(?)", (table,)
    ).fetchall()
    if (table,) not in found:
        raise ConnectError(
            f"table {table!r} cannot be told from {found[0][0]!r}" if found
            else f"{table!r} is no table",
            code="tablemoor.table",
            hint="set table.name.format so that the names differ",
        )
    rows = database.execute(f"PRAGMA table_info({_quoted(table)})")
    return {_folded(row[1]) for row in rows}


def _apply(database: sqlite3.Connection, change: Change, columns: set[str]) -> None:
    table = _quoted(change.table)
    if change.row is None:
        database.execute(f"DELETE FROM {table} WHERE {KEY} = ?", (change.key,))
        return
    for name in change.row:
        if _folded(name) not in columns:
            database.execute(f"ALTER TABLE {table} ADD COLUMN {_quoted(name)}")
            columns.add(_folded(name))
    names = ", ".join([KEY, *map(_quoted, change.row)])
    marks = ", ".join("?" * (1 + len(change.row)))
    database.execute(
        f"INSERT OR REPLACE INTO {table} ({names}) VALUES ({marks})",
        (change.key, *change.row.values()),
    )


def _folded(name: str) -> str:
    """A name as SQLite compares it: only the letters of ASCII have no case."""
    return name.translate(FOLD)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _cell(value: Any, place: str, what: str) -> Any:
    """A value as SQLite can have it.

    Raises:
        DataError: if it cannot.
    """
    if value is None or isinstance(value, bytes):
        return value
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int) and -(2**63) <= value < 2**63:
        return value
    if isinstance(value, float) and not math.isnan(value):
        return value
    if isinstance(value, bytearray | memoryview):
        return bytes(value)
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, dt.datetime):
        return value.astimezone(dt.UTC).isoformat()
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as error:
            raise _unfit(place, f"{what} is not text that can be stored: {error}") from error
        return value
    shown = "NaN" if isinstance(value, float) else _kind(value)
    raise _unfit(place, f"{what} has {shown}, which SQLite cannot store")


def _kind(value: object) -> str:
    return "nothing" if value is None else type(value).__name__


def _unfit(place: str, what: str) -> DataError:
    return DataError(
        f"the record at {place} does not fit into a table: {what}",
        code="tablemoor.record",
        facts={"place": place},
    )
