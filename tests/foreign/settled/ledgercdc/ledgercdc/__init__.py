"""Reads the journal of a ledger in SQLite, which triggers fill: what was entered and what removed.

A row of the journal has a number that only grows, the kind of the change, the entry that has
changed, the time, and the columns of the entry. An entry that was removed becomes a tombstone.
"""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

from plugwright import (
    BOOLEAN_SCHEMA,
    BYTES_SCHEMA,
    FLOAT64_SCHEMA,
    INT64_SCHEMA,
    OPTIONAL_BOOLEAN_SCHEMA,
    OPTIONAL_BYTES_SCHEMA,
    OPTIONAL_FLOAT64_SCHEMA,
    OPTIONAL_INT64_SCHEMA,
    OPTIONAL_STRING_SCHEMA,
    STRING_SCHEMA,
    ConfigDef,
    ConfigError,
    ConfigType,
    ConnectError,
    DataError,
    ExactlyOnceSupport,
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
)

VERSION = "1.0.4"
OWN = ("change", "kind", "entry", "at")
PASSING = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_INTERRUPT,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_SCHEMA,
}
TYPES = {
    "INTEGER": (int, INT64_SCHEMA, OPTIONAL_INT64_SCHEMA),
    "REAL": (float, FLOAT64_SCHEMA, OPTIONAL_FLOAT64_SCHEMA),
    "TEXT": (str, STRING_SCHEMA, OPTIONAL_STRING_SCHEMA),
    "BLOB": (bytes, BYTES_SCHEMA, OPTIONAL_BYTES_SCHEMA),
    "BOOLEAN": (int, BOOLEAN_SCHEMA, OPTIONAL_BOOLEAN_SCHEMA),
}
KEY = SchemaBuilder.struct().name("ledgercdc.Key").field("entry", INT64_SCHEMA).build()


def _check_name(name, value):
    if not isinstance(value, str) or not value.isidentifier():
        raise ConfigError(
            f"{name} must be a name of letters, digits and underscores", code="ledgercdc.name"
        )


CONFIG = (
    ConfigDef()
    .define(
        "ledger.file",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyStringWithoutControlChars(),
        documentation="Path of the database.",
    )
    .define(
        "ledger.journal",
        ConfigType.STRING,
        default="journal",
        importance=Importance.MEDIUM,
        validator=LambdaValidator.with_(_check_name, lambda: "letters, digits and underscores"),
        documentation="Table of the changes.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic that receives the changes.",
    )
    .define(
        "batch.max.rows",
        ConfigType.INT,
        default=500,
        importance=Importance.LOW,
        validator=Range.between(1, 10_000),
        documentation="Most changes that are read at once.",
    )
    .define(
        "poll.interval.ms",
        ConfigType.INT,
        default=200,
        importance=Importance.LOW,
        validator=Range.between(10, 60_000),
        documentation="How long to wait if nothing has changed.",
    )
    .define(
        "lock.timeout.ms",
        ConfigType.INT,
        default=5000,
        importance=Importance.LOW,
        validator=Range.between(0, 60_000),
        documentation="How long to wait for a database that others have locked.",
    )
)


class LedgerCdcSourceConnector(SourceConnector):
    """A journal has one order, so one task reads it."""

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
        return LedgerCdcSourceTask

    def task_configs(self, max_tasks):
        return [dict(self._props)]

    def stop(self):
        pass

    def exactly_once_support(self, props):
        return ExactlyOnceSupport.SUPPORTED

    def alter_offsets(self, props, offsets):
        for partition, offset in offsets:
            if set(partition) != {"journal"} or not isinstance(partition["journal"], str):
                raise ConnectError(
                    f"a partition must be {{'journal': table}}, found {dict(partition)!r}",
                    code="ledgercdc.partition",
                )
            if offset is not None:
                _place(offset)
        return False


class LedgerCdcSourceTask(SourceTask):
    """One thread polls; ``stop`` may come from another one at any time."""

    def __init__(self):
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._database = None
        self._columns, self._schema = None, None

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._file = config["ledger.file"]
        self._journal = config["ledger.journal"]
        self._topic = config["topic"]
        self._most = config["batch.max.rows"]
        self._pause_s = config["poll.interval.ms"] / 1000
        self._patience_s = config["lock.timeout.ms"] / 1000
        self._partition = {"journal": self._journal}
        stored = self.context.offset_storage_reader.offset(self._partition)
        self._after = 0 if stored is None else _place(stored)

    def poll(self):
        with self._lock:
            if self._stopping.is_set():
                return None
            columns, rows = self._read()
            if rows:
                records = self._records(columns, rows)
                self._after = records[-1].source_offset["change"]
                return records
        self._stopping.wait(self._pause_s)
        return None

    def stop(self):
        self._stopping.set()
        with self._lock:
            self._leave()

    def _read(self):
        """The columns of the journal, and its next rows."""
        try:
            if self._database is None:
                self._database = sqlite3.connect(
                    f"{Path(self._file).absolute().as_uri()}?mode=rw",  # which does not make one
                    uri=True,
                    timeout=self._patience_s,
                    isolation_level=None,
                    check_same_thread=False,
                )
                self._database.text_factory = _text
            self._database.execute("BEGIN")  # columns and rows of the same moment
            columns = self._database.execute(
                'SELECT name, type, "notnull" FROM pragma_table_info(?) ORDER BY cid',
                (self._journal,),
            ).fetchall()
            names = ", ".join(_quoted(name) for name, _, _ in columns) or "*"
            rows = self._database.execute(
                f'SELECT {names} FROM "{self._journal}" WHERE change > ? ORDER BY change LIMIT ?',
                (self._after, self._most),
            ).fetchall()
            self._database.execute("ROLLBACK")
        except (sqlite3.Error, OSError) as error:
            self._leave()
            raise self._failure(error) from error
        return tuple(columns), rows

    def _failure(self, error):
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_IOERR) & 0xFF
        kind = RetriableError if code in PASSING else ConnectError
        return kind(
            f"{self._journal} cannot be read from {self._file}: {error}",
            code="ledgercdc.database",
            facts={"file": self._file, "table": self._journal},
        )

    def _records(self, columns, rows):
        """Records of the rows, up to the first one that cannot be understood."""
        if columns != self._columns:
            self._schema, self._columns = self._schema_of(columns), columns
        names = [name for name, _, _ in columns]
        records = []
        for row in rows:
            try:
                records.append(self._record(dict(zip(names, row, strict=True))))
            except DataError:
                if not records:
                    raise
                break  # it is the first one of the next batch
        return records

    def _record(self, row):
        change, kind, entry, at = (row[name] for name in OWN)
        where = f"change {change} of {self._journal} in {self._file}"
        fits = kind in {"+", "-"} and type(entry) is int and type(at) is int and at >= 0
        if not fits:
            raise DataError(
                f"kind must be + or -, entry and at must be numbers, "
                f"found {(kind, entry, at)!r} in {where}",
                code="ledgercdc.change",
            )
        key = Struct(KEY)
        key["entry"] = entry
        gone = kind == "-"
        return SourceRecord(
            dict(self._partition),
            {"change": change},
            self._topic,
            None if gone else self._value(row, where),
            None if gone else self._schema,
            key=key,
            key_schema=KEY,
            timestamp=at,
        )

    def _value(self, row, where):
        value = Struct(self._schema)
        for name, declared, _ in self._columns:
            if name not in OWN:
                value[name] = _cell(row[name], declared.upper(), name, where)
        value.validate()
        return value

    def _schema_of(self, columns):
        if missing := [name for name in OWN if name not in {found for found, _, _ in columns}]:
            raise ConnectError(
                f"{self._journal} in {self._file} has no column {', '.join(missing)}",
                code="ledgercdc.journal",
            )
        builder = SchemaBuilder.struct().name(f"ledgercdc.{self._journal}")
        for name, declared, required in columns:
            if name in OWN:
                continue
            if declared.upper() not in TYPES:
                raise ConnectError(
                    f"column {name} of {self._journal} has the type {declared!r}, "
                    f"expected one of {', '.join(TYPES)}",
                    code="ledgercdc.type",
                )
            _, needed, optional = TYPES[declared.upper()]
            builder.field(name, needed if required else optional)
        return builder.build()

    def _leave(self):
        if self._database is not None:
            self._database.close()
            self._database = None


def _cell(found, declared, name, where):
    """A cell as the type of its column has it; SQLite itself keeps what it is given."""
    if found is None:
        return None
    fits = type(found) is TYPES[declared][0]
    if fits and declared == "TEXT":
        fits = _is_text(found)
    elif fits and declared == "BOOLEAN":
        fits = found in {0, 1}
    if not fits:
        raise DataError(
            f"column {name} must be {declared}, found {type(found).__name__} {str(found)[:60]!r} "
            f"in {where}",
            code="ledgercdc.cell",
        )
    return bool(found) if declared == "BOOLEAN" else found


def _quoted(name):
    return '"' + name.replace('"', '""') + '"'


def _text(raw):
    """A text as it is; bytes that are no UTF-8 are found with the cell that has them."""
    return raw.decode("utf-8", "surrogateescape")


def _is_text(value):
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _place(offset):
    """The number in an offset, which an operator may have changed."""
    number = offset.get("change")
    if set(offset) != {"change"} or type(number) is not int or not 0 <= number < 2**63:
        raise ConnectError(
            f"an offset must be {{'change': number}}, found {dict(offset)!r}",
            code="ledgercdc.offset",
        )
    return number
