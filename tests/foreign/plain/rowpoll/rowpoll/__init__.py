"""Polls tables of an SQLite database for rows that are new or were updated."""

from __future__ import annotations

import re
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

from plugwright import (
    BYTES_SCHEMA,
    INT64_SCHEMA,
    STRING_SCHEMA,
    ConfigDef,
    ConfigError,
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

VERSION = "2.0.1"
TRANSIENT = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PROTOCOL,
}
QUERY = """
    SELECT updated_at, id, payload FROM "{table}"
    WHERE updated_at > :time OR (updated_at = :time AND id > :id)
    ORDER BY updated_at, id LIMIT :limit
"""


def _names(name, value):
    """Tables have plain names, since they become part of a query."""
    if not value or not all(re.fullmatch(r"[A-Za-z_]\w*", each) for each in value):
        raise ConfigError(
            f"Invalid value {value} for configuration {name}: names of tables are needed",
            code="rowpoll.tables",
        )


CONFIG = (
    ConfigDef()
    .define(
        "rowpoll.database",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Path of the database.",
    )
    .define(
        "rowpoll.tables",
        ConfigType.LIST,
        importance=Importance.HIGH,
        validator=_names,
        documentation="Tables with the columns id, updated_at (milliseconds) and payload.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic of the records.",
    )
    .define(
        "rowpoll.batch.rows",
        ConfigType.INT,
        default=200,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="The most rows that a query returns.",
    )
    .define(
        "rowpoll.interval.ms",
        ConfigType.INT,
        default=250,
        importance=Importance.MEDIUM,
        validator=Range.at_least(1),
        documentation="How long to wait when there was nothing new.",
    )
)


class RowPollSourceConnector(SourceConnector):
    """Tables are divided among tasks, so there are no more tasks than tables."""

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
        return RowPollSourceTask

    def task_configs(self, max_tasks):
        tables = sorted(set(CONFIG.parse(self._props)["rowpoll.tables"]))
        groups = group_partitions(tables, min(max_tasks, len(tables)))
        return [{**self._props, "rowpoll.tables": ",".join(group)} for group in groups]

    def stop(self):
        pass

    def exactly_once_support(self, props):
        return ExactlyOnceSupport.SUPPORTED

    def alter_offsets(self, props, offsets):
        for partition, offset in offsets:
            if set(partition) != {"table"} or not isinstance(partition["table"], str):
                raise ConnectError(f"a partition is {{'table': NAME}}, found {dict(partition)!r}")
            if offset is not None:
                _position(offset)
        return True


class RowPollSourceTask(SourceTask):
    """Asks its tables in turn; a position is the time and the id of the last row."""

    def __init__(self):
        self._stopping = threading.Event()

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._stopping.clear()
        self._path = Path(config["rowpoll.database"])
        self._topic = config["topic"]
        self._limit = config["rowpoll.batch.rows"]
        self._interval = config["rowpoll.interval.ms"] / 1000
        self._tables = list(config["rowpoll.tables"])
        self._positions = {}
        for table in self._tables:
            stored = self.context.offset_storage_reader.offset({"table": table})
            self._positions[table] = (-(2**63), 0) if stored is None else _position(stored)

    def poll(self):
        try:
            records = self._next_records()
        except sqlite3.Error as error:
            self._stopping.wait(self._interval)
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
            raise (RetriableError if code in TRANSIENT else ConnectError)(
                f"cannot read {self._path}: {error}",
                code="rowpoll.database",
                facts={"file": str(self._path), "sqlite": code},
            ) from error
        if not records:
            self._stopping.wait(self._interval)
            return None
        return records

    def stop(self):
        self._stopping.set()

    def _next_records(self):
        """Rows of the first table that has any; it is the last to be asked the next time."""
        with closing(self._connect()) as database:
            for table in list(self._tables):
                rows = self._rows(database, table)
                if rows:
                    self._tables.remove(table)
                    self._tables.append(table)
                    return self._records(table, rows)
        return []

    def _rows(self, database, table):
        time, number = self._positions[table]
        values = {"time": time, "id": number, "limit": self._limit}
        return database.execute(QUERY.format(table=table), values).fetchall()

    def _records(self, table, rows):
        """Records up to the first row that cannot be one, which is an error the next time."""
        records = []
        for row in rows:
            try:
                records.append(self._record(table, *row))
            except DataError:
                if records:
                    break
                raise
            self._positions[table] = row[:2]
        return records

    def _record(self, table, time, number, payload):
        schema, value = _typed(payload, f"{table}, id {number}")
        return SourceRecord(
            {"table": table},
            {"updated_at": time, "id": number},
            self._topic,
            value,
            schema,
            key=number,
            key_schema=INT64_SCHEMA,
            timestamp=time,
        )

    def _connect(self):
        """For reading only, so that a wrong path does not make a database."""
        return sqlite3.connect(f"{self._path.absolute().as_uri()}?mode=ro", uri=True, timeout=2)


def _typed(payload, where):
    """The schema and the value of a column that may have values of several types."""
    if payload is None:
        return None, None
    if isinstance(payload, int):
        return INT64_SCHEMA, payload
    if isinstance(payload, str):
        return STRING_SCHEMA, payload
    if isinstance(payload, bytes):
        return BYTES_SCHEMA, payload
    raise DataError(
        f"{where}: a payload is an integer, a text or a blob, found {type(payload).__name__}",
        code="rowpoll.payload",
    )


def _position(offset):
    position = offset.get("updated_at"), offset.get("id")
    if set(offset) != {"updated_at", "id"} or any(type(each) is not int for each in position):
        raise ConnectError(
            f"an offset is {{'updated_at': milliseconds, 'id': number}}, found {dict(offset)!r}",
            code="rowpoll.offset",
            hint="reset the offsets of the connector",
        )
    return position
