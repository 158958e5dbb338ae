"""Follows audit tables, in which triggers of a database note what happens to other tables.

Each row of an audit table is one change: what a row was before it and what it was after it. A
change becomes an envelope with both, and a removal is followed by a tombstone, so that a compacted
topic forgets the key, which is the name of the table and the primary key of the row.

The columns of an audit table are ``seq INTEGER PRIMARY KEY AUTOINCREMENT``, ``op`` (``c``, ``u`` or
``d``), ``pk``, ``old``, ``new`` and ``at``, the time in milliseconds.
"""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

from plugwright import (
    OPTIONAL_STRING_SCHEMA,
    STRING_SCHEMA,
    ConfigDef,
    ConfigError,
    ConfigType,
    ConnectError,
    DataError,
    ExactlyOnceSupport,
    Headers,
    Importance,
    LambdaValidator,
    NonEmptyString,
    NonEmptyStringWithoutControlChars,
    Range,
    RetriableError,
    SchemaBuilder,
    SourceConnector,
    SourceRecord,
    SourceTask,
    Struct,
    group_partitions,
)

IMAGE = (
    SchemaBuilder.struct()
    .name("auditvine.Image")
    .field("pk", STRING_SCHEMA)
    .field("content", OPTIONAL_STRING_SCHEMA)
    .optional()
    .build()
)
CHANGE = (
    SchemaBuilder.struct()
    .name("auditvine.Change")
    .field("op", STRING_SCHEMA)
    .field("before", IMAGE)
    .field("after", IMAGE)
    .build()
)
ENVELOPE, TOMBSTONE = 0, 1
TEMPORARY = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_INTERRUPT,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_SCHEMA,
}


def _tables(name, value):
    names = value if isinstance(value, list) else []
    if not names or len(set(names)) != len(names):
        raise ConfigError(f"{name} must be tables, at least one and none twice")
    for each in names:
        if not isinstance(each, str) or not each.isascii() or not each.isidentifier():
            raise ConfigError(f"{name}: {each!r} is not the name of a table")


CONFIG = ConfigDef()
CONFIG.define(
    "database.file",
    ConfigType.STRING,
    importance=Importance.HIGH,
    validator=NonEmptyStringWithoutControlChars(),
    documentation="Path of the SQLite database.",
)
CONFIG.define(
    "audit.tables",
    ConfigType.LIST,
    importance=Importance.HIGH,
    validator=LambdaValidator.with_(_tables, lambda: "names of tables"),
    documentation="The audit tables to follow, divided among the tasks.",
)
CONFIG.define(
    "topic",
    ConfigType.STRING,
    importance=Importance.HIGH,
    validator=NonEmptyString(),
    documentation="Topic of all changes; a header names the table.",
)
CONFIG.define(
    "tombstones.on.delete",
    ConfigType.BOOLEAN,
    default=True,
    importance=Importance.MEDIUM,
    documentation="Whether a removal is followed by a record without a value.",
)
CONFIG.define(
    "max.changes",
    ConfigType.INT,
    default=500,
    importance=Importance.LOW,
    validator=Range.between(1, 5000),
    documentation="How many changes to read in one query.",
)
CONFIG.define(
    "poll.interval.ms",
    ConfigType.INT,
    default=1000,
    importance=Importance.LOW,
    validator=Range.between(5, 60_000),
    documentation="Pause after all tables had nothing new.",
)


class AuditVineSourceConnector(SourceConnector):
    """Shares out the tables."""

    _props = {}

    def version(self):
        return "4.0"

    def config(self):
        return CONFIG

    def start(self, props):
        CONFIG.parse(props)
        self._props = dict(props)

    def task_class(self):
        return AuditVineSourceTask

    def task_configs(self, max_tasks):
        tables = CONFIG.parse(self._props)["audit.tables"]
        shares = group_partitions(tables, min(len(tables), max_tasks))
        return [self._props | {"audit.tables": ",".join(share)} for share in shares]

    def stop(self):
        pass

    def exactly_once_support(self, props):
        return ExactlyOnceSupport.SUPPORTED

    def alter_offsets(self, props, offsets):
        for partition, offset in offsets:
            if set(partition) != {"database", "table"} or not all(
                isinstance(each, str) for each in partition.values()
            ):
                raise ConnectError(
                    "a partition of auditvine is a database and a table, found "
                    f"{dict(partition)!r}",
                    code="auditvine.partition",
                )
            if offset is not None:
                Position.of(offset)
        return False


class Position:
    """Behind which change a table was read, and whether that change's tombstone is still due."""

    def __init__(self, seq, *, due=False):
        self.seq, self.due = seq, due

    @classmethod
    def of(cls, offset):
        seq, due = offset.get("seq"), offset.get("tombstone_due")
        if set(offset) != {"seq", "tombstone_due"} or type(seq) is not int or seq < 0:
            raise cls._error(offset)
        if type(due) is not bool:
            raise cls._error(offset)
        return cls(seq, due=due)

    def offset(self):
        return {"seq": self.seq, "tombstone_due": self.due}

    @staticmethod
    def _error(offset):
        return ConnectError(
            "an offset of auditvine is {'seq': number, 'tombstone_due': boolean}, found "
            f"{dict(offset)!r}",
            code="auditvine.offset",
        )


class AuditVineSourceTask(SourceTask):
    """Queries one table after the other, each from its own position on."""

    def __init__(self):
        self._stop = threading.Event()
        self._using = threading.Lock()
        self._database = None

    def version(self):
        return "4.0"

    def start(self, props):
        config = CONFIG.parse(props)
        self._file, self._topic = config["database.file"], config["topic"]
        self._most, self._pause_s = config["max.changes"], config["poll.interval.ms"] / 1000
        self._tombstones = config["tombstones.on.delete"]
        partitions = [
            {"database": self._file, "table": table} for table in config["audit.tables"]
        ]
        stored = self.context.offset_storage_reader.offsets(partitions)
        self._at = {
            partition["table"]: Position(0) if offset is None else Position.of(offset)
            for partition, offset in stored
        }

    def poll(self):
        for _ in range(len(self._at)):
            table = next(iter(self._at))
            self._at[table] = self._at.pop(table)  # the next poll begins with another one
            with self._using:
                if self._stop.is_set():
                    return None
                rows = self._query(table)
            records = self._records(table, rows)
            if records:
                self._at[table] = Position.of(records[-1].source_offset)
                return records
        self._stop.wait(self._pause_s)
        return None

    def stop(self):
        self._stop.set()
        database = self._database
        if database is not None:
            try:
                database.interrupt()
            except sqlite3.ProgrammingError:
                pass  # closed meanwhile
        with self._using:
            self._close()

    def _query(self, table):
        """The changes behind the position; the last one again if its tombstone is due."""
        at = self._at[table]
        begin = at.seq - 1 if at.due else at.seq
        try:
            if self._database is None:
                self._database = sqlite3.connect(
                    f"{Path(self._file).absolute().as_uri()}?mode=ro",
                    uri=True,
                    timeout=0.5,  # so that a lock does not hold up the end of the task
                    check_same_thread=False,
                )
            return self._database.execute(
                f'SELECT seq, op, pk, old, new, at FROM "{table}" WHERE seq > ?'
                " ORDER BY seq LIMIT ?",
                (begin, self._most + at.due),
            ).fetchall()
        except (sqlite3.Error, OSError) as error:
            self._close()
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_IOERR) & 0xFF
            kind = RetriableError if code in TEMPORARY else ConnectError
            if kind is RetriableError:
                self._stop.wait(max(self._pause_s, 0.5))
            raise kind(
                f"table {table} of {self._file} cannot be read: {error}",
                code="auditvine.database",
                facts={"file": self._file, "table": table},
            ) from error

    def _records(self, table, rows):
        at, records = self._at[table], []
        for seq, op, pk, old, new, moment in rows:
            try:
                parts = [ENVELOPE, TOMBSTONE] if op == "d" and self._tombstones else [ENVELOPE]
                if at.due and seq == at.seq:
                    parts.remove(ENVELOPE)
                for part in parts:
                    due = part != parts[-1]
                    value = self._change(op, pk, old, new) if part == ENVELOPE else None
                    records.append(
                        SourceRecord(
                            {"database": self._file, "table": table},
                            Position(seq, due=due).offset(),
                            self._topic,
                            value,
                            CHANGE if part == ENVELOPE else None,
                            key=f"{table}/{pk}",
                            key_schema=STRING_SCHEMA,
                            timestamp=moment,
                            headers=Headers().add_string("table", table),
                        )
                    )
            except DataError as error:
                if records:
                    return records
                raise DataError(
                    f"change {seq} in table {table} of {self._file} cannot be read: {error}",
                    code="auditvine.change",
                    facts={"file": self._file, "table": table, "seq": seq},
                ) from error
        return records

    def _change(self, op, pk, old, new):
        if op not in {"c", "u", "d"} or (op == "d") != (new is None):
            raise DataError(f"op {op!r} does not go with its row")
        change = Struct(CHANGE).put("op", op)
        if op != "c":
            change.put("before", Struct(IMAGE).put("pk", pk).put("content", old))
        if op != "d":
            change.put("after", Struct(IMAGE).put("pk", pk).put("content", new))
        return change

    def _close(self):
        if self._database is not None:
            self._database.close()
            self._database = None
