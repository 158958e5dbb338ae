"""Reads the changes of tables from the log that an application keeps beside them in SQLite.

The application writes an entry into the table ``changes`` in the transaction that changes a row:
its number ``seq``, the table ``tab``, the operation ``op`` (``c``, ``u`` or ``d``), the primary key
``id``, the time ``at``, and the row as JSON in ``image``. Dates and times are those of the
application's clock, without a zone. A row that is created or updated becomes a record with the row
as a struct; one that is deleted becomes a tombstone.
"""

from __future__ import annotations

import datetime as dt
import json
import re
import sqlite3
import threading
from decimal import Decimal as Number
from pathlib import Path

from plugwright import (
    INT64_SCHEMA,
    STRING_SCHEMA,
    ConfigDef,
    ConfigError,
    ConfigType,
    ConnectError,
    DataError,
    Decimal,
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
    Timestamp,
    group_partitions,
)

VERSION = "1.0.0"
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
ZONE = re.compile(r"([+-])([01][0-9]|2[0-3]):([0-5][0-9])")
DECIMAL = re.compile(r"DECIMAL\s*\(\s*[0-9]+\s*,\s*([0-9]+)\s*\)")
PASSING = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_INTERRUPT,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_SCHEMA,
}
KEY = (
    SchemaBuilder.struct()
    .name("rowshadow.Key")
    .field("table", STRING_SCHEMA)
    .field("id", INT64_SCHEMA)
    .build()
)
ENTRIES = (
    "SELECT seq, op, id, at, image FROM changes WHERE tab = ? AND seq > ? ORDER BY seq LIMIT ?"
)


def _check_tables(name, value):
    good = isinstance(value, list) and value and all(
        isinstance(each, str) and each.isidentifier() for each in value
    )
    if not good or len({each.lower() for each in value}) < len(value):
        raise ConfigError(
            f"{name} must be names of letters, digits and underscores, none of them twice",
            code="rowshadow.tables",
        )


def _check_zone(name, value):
    if not isinstance(value, str) or ZONE.fullmatch(value) is None:
        raise ConfigError(f"{name} must be like +02:00", code="rowshadow.zone")


CONFIG = (
    ConfigDef()
    .define(
        "shadow.file",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyStringWithoutControlChars(),
        documentation="Path of the database.",
    )
    .define(
        "shadow.tables",
        ConfigType.LIST,
        importance=Importance.HIGH,
        validator=LambdaValidator.with_(_check_tables, lambda: "distinct names"),
        documentation="Tables whose changes to read.",
    )
    .define(
        "shadow.zone",
        ConfigType.STRING,
        default="+00:00",
        importance=Importance.HIGH,
        validator=LambdaValidator.with_(_check_zone, lambda: "an offset such as +02:00"),
        documentation="How far the clock of the application is ahead of UTC.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic to write to.",
    )
    .define(
        "batch.size",
        ConfigType.INT,
        default=500,
        importance=Importance.MEDIUM,
        validator=Range.between(1, 10_000),
        documentation="How many changes to read at most at a time.",
    )
    .define(
        "poll.interval.ms",
        ConfigType.INT,
        default=1000,
        importance=Importance.LOW,
        validator=Range.between(1, 60_000),
        documentation="How long to wait when there was nothing new.",
    )
    .define(
        "lock.timeout.ms",
        ConfigType.INT,
        default=3000,
        importance=Importance.LOW,
        validator=Range.between(0, 60_000),
        documentation="How long to wait for a database that others have locked.",
    )
)


class RowShadowSourceConnector(SourceConnector):
    """Divides the tables among the tasks."""

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
        return RowShadowSourceTask

    def task_configs(self, max_tasks):
        tables = CONFIG.parse(self._props)["shadow.tables"]
        groups = group_partitions(tables, min(max_tasks, len(tables)))
        return [{**self._props, "shadow.tables": ",".join(group)} for group in groups]

    def stop(self):
        pass

    def exactly_once_support(self, props):
        return ExactlyOnceSupport.SUPPORTED

    def alter_offsets(self, props, offsets):
        for partition, offset in offsets:
            if set(partition) != {"table"} or not isinstance(partition["table"], str):
                raise ConnectError(
                    f"a source partition must be {{'table': name}}, found {dict(partition)!r}",
                    code="rowshadow.partition",
                )
            if offset is not None:
                _position(offset)
        return False


class RowShadowSourceTask(SourceTask):
    """Reads its tables in turn, each of them behind the last entry that it has returned."""

    def __init__(self):
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._database = None
        self._shapes = {}

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._file = config["shadow.file"]
        self._zone = _zone(config["shadow.zone"])
        self._topic = config["topic"]
        self._most = config["batch.size"]
        self._pause_s = config["poll.interval.ms"] / 1000
        self._patience_s = config["lock.timeout.ms"] / 1000
        self._at = {}
        for table in config["shadow.tables"]:
            stored = self.context.offset_storage_reader.offset({"table": table})
            self._at[table] = _position(stored) if stored else 0
        self._turns = list(self._at)

    def poll(self):
        try:
            for table in list(self._turns):
                if self._stopping.is_set():
                    return None
                with self._lock:
                    entries, columns = self._read(table)
                records = self._records(table, entries, columns)
                if records:
                    self._turns.remove(table)
                    self._turns.append(table)  # the others first, next time
                    self._at[table] = records[-1].source_offset["seq"]
                    return records
        except RetriableError:
            self._stopping.wait(self._pause_s)
            raise
        self._stopping.wait(self._pause_s)
        return None

    def stop(self):
        self._stopping.set()
        with self._lock:
            self._leave()

    def _read(self, table):
        """The next entries of a table, and the columns that the table has at this moment."""
        try:
            if self._database is None:
                self._database = self._opened()
            self._database.execute("BEGIN")
            wanted = (table, self._at[table], self._most)
            entries = self._database.execute(ENTRIES, wanted).fetchall()
            columns = self._database.execute(f'PRAGMA table_info("{table}")').fetchall()
            self._database.execute("COMMIT")
        except (sqlite3.Error, OSError) as error:
            self._leave()
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_IOERR) & 0xFF
            kind = RetriableError if code in PASSING else ConnectError
            raise kind(
                f"the changes of {table} in {self._file} cannot be read: {error}",
                code="rowshadow.database",
                facts={"file": self._file, "table": table},
            ) from error
        return entries, columns

    def _opened(self):
        return sqlite3.connect(
            f"{Path(self._file).absolute().as_uri()}?mode=rw",  # which does not make one
            uri=True,
            timeout=self._patience_s,
            isolation_level=None,
            check_same_thread=False,
        )

    def _leave(self):
        if self._database is not None:
            self._database.close()
            self._database = None

    def _records(self, table, entries, columns):
        records = []
        for entry in entries:
            try:
                records.append(self._record(table, entry, columns))
            except DataError:
                if not records:
                    raise
                break  # those before it first
        return records

    def _record(self, table, entry, columns):
        number, operation, row, at, image = entry
        try:
            key = Struct(KEY)
            key["table"], key["id"] = table, row
            value = schema = None
            if operation in {"c", "u"}:
                schema = self._shape(table, columns)
                value = self._row(schema, json.loads(image))
            elif operation != "d":
                raise ValueError(f"an operation must be c, u or d, found {operation!r}")
            time = self._time(at)
        except (ValueError, TypeError, KeyError, ArithmeticError, DataError) as error:
            raise DataError(
                f"change {number} of table {table} in {self._file} cannot be read: {error}",
                code="rowshadow.change",
                facts={"table": table, "seq": number},
            ) from error
        return SourceRecord(
            {"table": table},
            {"seq": number},
            self._topic,
            value,
            schema,
            key=key,
            key_schema=KEY,
            timestamp=(time - EPOCH) // dt.timedelta(milliseconds=1),
        )

    def _shape(self, table, columns):
        """The schema of a table's rows, the same object as long as the columns stay the same."""
        known = self._shapes.get(table)
        if known is None or known[0] != columns:
            known = self._shapes[table] = columns, _schema(table, columns)
        return known[1]

    def _row(self, schema, image):
        """A row as a struct; columns that were added after it was written are empty in it."""
        if not isinstance(image, dict):
            raise TypeError(f"a row must be an object, found {type(image).__name__}")
        value = Struct(schema)
        for name, content in image.items():
            value[name] = self._cell(schema.field(name), name, content)
        value.validate()
        return value

    def _cell(self, field, name, content):
        if field is None:
            raise ValueError(f"the table has no column {name}")
        if content is None:
            return None
        match field.schema.name:
            case Timestamp.LOGICAL_NAME:
                return self._time(content)
            case Decimal.LOGICAL_NAME:
                return _decimal(content, int(field.schema.parameters[Decimal.SCALE_FIELD]))
        return content

    def _time(self, text):
        """A time of the application's clock, in UTC; one that names a zone itself keeps it."""
        time = dt.datetime.fromisoformat(text)
        if time.tzinfo is None:
            time = time.replace(tzinfo=self._zone)
        return time.astimezone(dt.UTC)


def _schema(table, columns):
    """The schema of the columns, without that of the primary key, which is in the record's key."""
    builder = SchemaBuilder.struct().name(f"rowshadow.{table}")
    for _, name, declared, filled, _, primary in columns:
        if primary:
            continue
        declared = declared.upper().strip()
        if (decimal := DECIMAL.fullmatch(declared)) is not None:
            kind = Decimal.builder(int(decimal[1]))
        elif declared in {"INTEGER", "BIGINT"}:
            kind = SchemaBuilder.int64()
        elif declared == "DATETIME":
            kind = Timestamp.builder()
        elif declared == "BOOLEAN":
            kind = SchemaBuilder.bool()
        elif declared == "TEXT":
            kind = SchemaBuilder.string()
        else:
            raise DataError(
                f"column {name} of table {table} has the type {declared}, which is not known",
                code="rowshadow.type",
            )
        builder.field(name, (kind if filled else kind.optional()).build())
    return builder.build()


def _decimal(text, scale):
    """A number, which the log has as text, with the scale of its column."""
    if not isinstance(text, str):
        raise TypeError(f"a decimal must be text, found {type(text).__name__} {text!r}")
    sign, digits, exponent = Number(text).as_tuple()
    if not isinstance(exponent, int) or exponent < -scale:
        raise ValueError(f"a decimal has {scale} digits behind the point, found {text!r}")
    return Number((sign, digits + (0,) * (exponent + scale), -scale))


def _zone(text):
    sign, hours, minutes = ZONE.fullmatch(text).groups()
    ahead = dt.timedelta(hours=int(hours), minutes=int(minutes))
    return dt.timezone(ahead if sign == "+" else -ahead)


def _position(offset):
    """The position in a stored offset, which an operator may have changed."""
    number = offset.get("seq")
    if set(offset) != {"seq"} or type(number) is not int or not 0 <= number < 2**63:
        raise ConnectError(
            f"an offset must be {{'seq': number}}, found {dict(offset)!r}",
            code="rowshadow.offset",
        )
    return number
