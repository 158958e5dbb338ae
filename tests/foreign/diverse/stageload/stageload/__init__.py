"""Loads records into a table of a warehouse: as files on a stage, then by one merge of them.

A file has the rows of one partition. A merge keeps the last row of each key, and deletes the rows
of tombstones. Offsets are committed for what was merged, and for nothing else.
"""

from __future__ import annotations

import json
import logging
import os
import sqlite3
from contextlib import closing, suppress
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

from plugwright import (
    ConfigDef,
    ConfigError,
    ConfigType,
    ConnectError,
    DataError,
    Importance,
    LambdaValidator,
    NonEmptyString,
    Range,
    RetriableError,
    SinkConnector,
    SinkTask,
    Struct,
    TopicPartition,
)

VERSION = "4.0.2"
LOG = logging.getLogger(__name__)
TRANSIENT = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PROTOCOL,
}


def _check_name(name, value):
    if not isinstance(value, str) or not value.isidentifier() or not value.isascii():
        raise ConfigError(
            f"Invalid value {value} for configuration {name}: letters, digits and _ are allowed",
            code="stageload.name",
        )


PLAIN_NAME = LambdaValidator.with_(_check_name, lambda: "letters, digits and _")
CONFIG = (
    ConfigDef()
    .define(
        "warehouse.database",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Path of the database.",
    )
    .define(
        "warehouse.table",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=PLAIN_NAME,
        documentation="Table to load; it has a column for each field.",
    )
    .define(
        "warehouse.key",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=PLAIN_NAME,
        documentation="Primary key of the table, which has the key of the record.",
    )
    .define(
        "warehouse.stage",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Directory of the files to load; the tasks share it.",
    )
    .define(
        "load.records",
        ConfigType.INT,
        default=1000,
        importance=Importance.MEDIUM,
        validator=Range.at_least(1),
        documentation="How many records may wait; they are also loaded before each commit.",
    )
    .define(
        "load.busy.ms",
        ConfigType.INT,
        default=5000,
        importance=Importance.LOW,
        validator=Range.at_least(0),
        documentation="How long to wait while another program writes.",
    )
)


class StageLoadSinkConnector(SinkConnector):
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
        return StageLoadSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass


class StageLoadSinkTask(SinkTask):
    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._path = config["warehouse.database"]
        self._table = config["warehouse.table"]
        self._key = config["warehouse.key"]
        self._stage = Path(config["warehouse.stage"])
        self._most = config["load.records"]
        self._busy = config["load.busy.ms"] / 1000
        self._columns = {}
        self._waiting = {}
        self._taken = {}
        self._loaded = {}
        self._late = False

    def open(self, partitions):
        """Remove files of these partitions which a task left that was killed."""
        prefixes = tuple(f"{place.topic}+{place.partition}+" for place in partitions)
        with suppress(OSError):
            for file in self._stage.iterdir():
                if file.name.startswith(prefixes):
                    file.unlink(missing_ok=True)

    def close(self, partitions):
        for place in partitions:
            for state in (self._waiting, self._taken, self._loaded):
                state.pop(place, None)

    def put(self, records):
        if self._late:  # raises before any record is taken
            self._load(list(self._waiting))
        for record in records:
            self._take(record)
        if sum(len(rows) for rows in self._waiting.values()) >= self._most:
            self._load_if_possible(list(self._waiting))

    def pre_commit(self, offsets):
        self._load_if_possible(offsets)
        safe = {}
        for place, offset in offsets.items():
            if not self._waiting.get(place):
                safe[place] = offset
            elif place in self._loaded:
                safe[place] = self._loaded[place]
        return safe

    def stop(self):
        """Nothing is held; what waits was not committed, and comes again."""

    def _take(self, record):
        place = TopicPartition(record.original_topic, record.original_kafka_partition)
        offset = record.original_kafka_offset
        if offset < self._taken.get(place, 0):  # it waits, or is loaded
            return
        try:
            row = (offset, _key(record), self._row(record))
        except DataError as error:
            reporter = self.context.errant_record_reporter()
            if reporter is None:
                raise
            reporter.report(record, error)
        else:
            self._waiting.setdefault(place, []).append(row)
        self._taken[place] = offset + 1

    def _row(self, record):
        """The columns of a record, or None for a tombstone."""
        if record.value is None:
            return None
        if not isinstance(record.value, Struct):
            raise DataError(
                f"a row is made of a struct, found {type(record.value).__name__} at"
                f" {_where(record)}",
                code="stageload.value",
            )
        record.value.validate()
        names = set(record.value)
        if not names <= set(self._columns):
            self._look_at_columns()
        unknown = sorted(name for name in names if name not in self._columns or name == self._key)
        if unknown:
            raise DataError(
                f"table {self._table} has no column for {', '.join(unknown)} of {_where(record)}",
                code="stageload.column",
            )
        row = {name: _stored(record.value[name], name, record) for name in record.value}
        missing = [name for name, needed in self._columns.items() if needed]
        missing = [name for name in missing if row.get(name) is None and name != self._key]
        if missing:
            raise DataError(
                f"{', '.join(missing)} of {_where(record)} must not be null",
                code="stageload.null",
            )
        return row

    def _look_at_columns(self):
        """Read the names of the columns, and which of them must have a value."""
        try:
            with closing(self._connect()) as database:
                found = database.execute(
                    'SELECT name, "notnull" FROM pragma_table_info(?)', (self._table,)
                ).fetchall()
        except sqlite3.Error as error:
            raise self._failure(error) from error
        self._columns = {name: bool(needed) for name, needed in found}
        if self._key not in self._columns:
            raise ConnectError(
                f"{self._path} has no table {self._table} with a column {self._key}",
                code="stageload.table",
                hint="create the table",
            )

    def _load_if_possible(self, places):
        """Load now, or before the next records are taken."""
        try:
            self._load(places)
        except RetriableError as error:
            LOG.warning("%d partitions are loaded later: %s", len(places), error)

    def _load(self, places):
        batches = {place: self._waiting[place] for place in places if self._waiting.get(place)}
        self._late = bool(batches)
        if not batches:
            return
        files = [self._write(place, rows) for place, rows in batches.items()]
        try:
            with closing(self._connect()) as database:
                database.execute("BEGIN IMMEDIATE")
                for file in files:
                    self._merge(database, _rows(file))
                database.execute("COMMIT")
        except sqlite3.Error as error:
            raise self._failure(error) from error
        except OSError as error:
            raise self._stage_failure(error) from error
        for place, rows in batches.items():
            self._loaded[place] = rows[-1][0] + 1
            del self._waiting[place]
        self._late = False
        for file in files:
            with suppress(OSError):  # the next task removes it
                file.unlink(missing_ok=True)

    def _write(self, place, rows):
        """Write a file; it appears under its name when it is complete."""
        name = f"{place.topic}+{place.partition}+{rows[0][0]:020d}.jsonl"
        draft = self._stage / f"{name}.part"
        try:
            with draft.open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(json.dumps(row) + "\n" for row in rows)
            os.replace(draft, self._stage / name)
        except OSError as error:
            raise self._stage_failure(error) from error
        return self._stage / name

    def _merge(self, database, rows):
        for key, row in {key: row for _, key, row in rows}.items():
            if row is None:
                database.execute(f'DELETE FROM "{self._table}" WHERE "{self._key}" = ?', (key,))
                continue
            columns = {self._key: key, **row}
            names = ", ".join(f'"{name}"' for name in columns)
            sets = ", ".join(f'"{name}" = excluded."{name}"' for name in columns)
            database.execute(
                f'INSERT INTO "{self._table}" ({names}) VALUES ({", ".join("?" * len(columns))})'
                f' ON CONFLICT ("{self._key}") DO UPDATE SET {sets}',
                list(columns.values()),
            )

    def _connect(self):
        address = f"{Path(self._path).absolute().as_uri()}?mode=rw"
        return sqlite3.connect(address, uri=True, timeout=self._busy, isolation_level=None)

    def _failure(self, error):
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        return (RetriableError if code in TRANSIENT else ConnectError)(
            f"cannot load {self._path}: {error}",
            code="stageload.database",
            facts={"file": self._path, "sqlite": code},
        )

    def _stage_failure(self, error):
        final = isinstance(error, PermissionError | FileNotFoundError | NotADirectoryError)
        return (ConnectError if final else RetriableError)(
            f"cannot stage files in {self._stage}: {error}", code="stageload.stage"
        )


def _rows(file):
    with file.open(encoding="utf-8", newline="\n") as lines:
        return [json.loads(line) for line in lines]


def _where(record):
    return (
        f"{record.original_topic}-{record.original_kafka_partition}@{record.original_kafka_offset}"
    )


def _key(record):
    if isinstance(record.key, bool) or not isinstance(record.key, str | int):
        raise DataError(
            f"a key has to be text or a whole number, found {type(record.key).__name__} at"
            f" {_where(record)}",
            code="stageload.key",
        )
    return record.key


def _stored(value, name, record):
    """A value as it is staged and loaded: exact numbers and instants as text."""
    match value:
        case None | bool() | int() | str():
            return value
        case Decimal():
            return format(value, "f")
        case datetime():
            return value.astimezone(UTC).isoformat(timespec="milliseconds")
        case date():
            return value.isoformat()
    raise DataError(
        f"field {name} of {_where(record)} is {type(value).__name__}, for which there is no column",
        code="stageload.field",
    )
