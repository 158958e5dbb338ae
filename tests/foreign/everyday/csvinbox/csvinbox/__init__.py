"""Reads CSV files that others put into a directory, the inbox.

A file has a header, comes by renaming and does not change. When Kafka has all rows of a file, it is
moved to another directory. Names may be used again: a file is known by its name, size and time.
"""

import csv
import re
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from decimal import Context, Inexact, InvalidOperation
from decimal import Decimal as Number
from pathlib import Path
from typing import Any, BinaryIO

from plugwright import (
    STRING_SCHEMA,
    ConfigDef,
    ConfigError,
    ConfigType,
    ConnectError,
    DataError,
    Decimal,
    Headers,
    Importance,
    NonEmptyString,
    Range,
    RetriableError,
    SchemaBuilder,
    SourceConnector,
    SourceRecord,
    SourceTask,
    Struct,
    Timestamp,
)

__version__ = "3.0.2"
csv.field_size_limit(sys.maxsize)

_COLUMN = re.compile(r"(\w+):(int64|string|boolean|timestamp|decimal\((\d+)\))(\?)?")
_EXACT = Context(prec=400, traps=[InvalidOperation, Inexact])
_BOM = b"\xef\xbb\xbf"


def _int64(text):
    return int(text)


def _boolean(text):
    return {"true": True, "false": False}[text]


def _timestamp(text):
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError("a time needs its distance from UTC")
    return moment


def _decimal(scale):
    return lambda text: Number(text).quantize(Number(1).scaleb(-scale), context=_EXACT)


@dataclass(frozen=True)
class Column:
    """A column as the settings have it."""

    name: str
    builder: Any
    parse: Any
    optional: bool

    @classmethod
    def of(cls, text):
        match = _COLUMN.fullmatch(text)
        if match is None:
            raise ConfigError(
                "Invalid value for configuration csv.columns: a column is name:type, where type is"
                " int64, string, boolean, timestamp or decimal(2), and ends with ? if it may be"
                f" absent; found {text!r}",
                code="csvinbox.columns",
            )
        name, kind, scale, optional = match.groups()
        builder, parse = {
            "int64": (SchemaBuilder.int64(), _int64),
            "string": (SchemaBuilder.string(), str),
            "boolean": (SchemaBuilder.bool(), _boolean),
            "timestamp": (Timestamp.builder(), _timestamp),
        }.get(kind) or (Decimal.builder(int(scale)), _decimal(int(scale)))
        if optional:
            builder.optional()
        return cls(name, builder, parse, bool(optional))


def _check_columns(name, value):
    names = [Column.of(text).name for text in value or ()]
    if not names or len({*names}) < len(names):
        raise ConfigError(
            f"Invalid value for configuration {name}: there must be columns, each once",
            code="csvinbox.columns",
        )


CONFIG = (
    ConfigDef()
    .define("csv.inbox", ConfigType.STRING, importance=Importance.HIGH,
            validator=NonEmptyString(), documentation="Directory that files are put into.")
    .define("csv.finished", ConfigType.STRING, importance=Importance.HIGH,
            validator=NonEmptyString(),
            documentation="Directory that files are moved to; on the same file system.")
    .define("csv.columns", ConfigType.LIST, importance=Importance.HIGH,
            validator=_check_columns,
            documentation="Columns to read, as name:type; other columns are passed over.")
    .define("csv.null", ConfigType.STRING, default="\\N", importance=Importance.LOW,
            validator=NonEmptyString(), documentation="What stands for an absent value.")
    .define("csv.batch.rows", ConfigType.INT, default=200, importance=Importance.MEDIUM,
            validator=Range.at_least(1), documentation="How many rows to read at once, at most.")
    .define("csv.interval.ms", ConfigType.INT, default=100, importance=Importance.LOW,
            validator=Range.at_least(1), documentation="How long to wait for a file.")
    .define("topic", ConfigType.STRING, importance=Importance.HIGH,
            validator=NonEmptyString(), documentation="Topic of the rows.")
)  # fmt: skip


class CsvInboxSourceConnector(SourceConnector):
    _props = None

    def version(self):
        return __version__

    def config(self):
        return CONFIG

    def start(self, props):
        CONFIG.parse(props)
        self._props = dict(props)

    def task_class(self):
        return CsvInboxSourceTask

    def task_configs(self, max_tasks):
        return [dict(self._props)]  # files are few, and are read one after the other

    def stop(self):
        self._props = None

    def alter_offsets(self, props, offsets):
        for partition, offset in offsets:
            if set(partition) != {"file", "written", "size"}:
                raise ConnectError(
                    f"a partition has file, written and size, found {dict(partition)!r}",
                    code="csvinbox.partition",
                )
            if offset is not None:
                _row_of(offset)
        return True


def _row_of(offset):
    row = offset.get("row")
    if set(offset) != {"row"} or type(row) is not int or row < 0:
        raise ConnectError(
            f"an offset is {{'row': number}}, found {dict(offset)!r}", code="csvinbox.offset"
        )
    return row


@dataclass(frozen=True)
class Known:
    """A file: another one of the same name differs in time or size."""

    name: str
    written: str
    size: int

    @property
    def partition(self):
        return {"file": self.name, "written": self.written, "size": self.size}


@dataclass
class Reading:
    """A file while it is read."""

    known: Known
    file: BinaryIO
    rows: Any
    header: list[str]
    row: int = 0


class CsvInboxSourceTask(SourceTask):
    def __init__(self):
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._reading = None

    def version(self):
        return __version__

    def start(self, props):
        config = CONFIG.parse(props)
        self._inbox, self._finished = Path(config["csv.inbox"]), Path(config["csv.finished"])
        self._columns = [Column.of(text) for text in config["csv.columns"]]
        schema = SchemaBuilder.struct().name("csvinbox.Row")
        for column in self._columns:
            schema.field(column.name, column.builder)
        self._schema = schema.build()
        self._null = config["csv.null"]
        self._batch = config["csv.batch.rows"]
        self._interval = config["csv.interval.ms"] / 1000
        self._topic = config["topic"]
        self._error = None
        self._unacknowledged = {}
        self._progress = {}
        self._read = set()
        self._stopping.clear()

    def poll(self):
        if self._error is not None:
            raise self._error
        records = []
        try:
            self._finish()
            if self._reading is None:
                self._open_next()
            if self._reading is not None:
                self._take(records)
        except OSError as error:
            self._close()
            self._stopping.wait(self._interval)
            if not records:
                raise RetriableError(
                    f"cannot read {self._inbox}: {error}", code="csvinbox.unreadable"
                ) from error
        except DataError as error:
            self._error = error  # rows before it are delivered first
            if not records:
                raise
        with self._lock:
            for record in records:
                known = Known(*record.source_partition.values())
                self._unacknowledged[known] = self._unacknowledged.get(known, 0) + 1
        if not records and self._reading is None:
            self._stopping.wait(self._interval)
        return records or None

    def commit_record(self, record, metadata):
        with self._lock:
            known = Known(*record.source_partition.values())
            self._unacknowledged[known] = self._unacknowledged.get(known, 0) - 1

    def stop(self):
        self._stopping.set()
        self._close()

    def _finish(self):
        """Move the files away of which Kafka has all rows."""
        with self._lock:
            done = [known for known in self._read if self._unacknowledged.get(known, 0) <= 0]
        for known in done:
            self._finished.mkdir(exist_ok=True)
            name = f"{known.written}-{known.name}"
            with suppress(FileNotFoundError):
                (self._inbox / known.name).rename(self._finished / name)
            self._read.discard(known)
            self._progress.pop(known, None)
            with self._lock:
                self._unacknowledged.pop(known, None)

    def _open_next(self):
        """Begin with the oldest file that was not read yet."""
        found = []
        for path in self._inbox.iterdir():
            if path.suffix == ".csv" and not path.name.startswith("."):
                stat = path.stat()
                found.append(Known(path.name, str(stat.st_mtime_ns), stat.st_size))
        for known in sorted(found, key=lambda known: (int(known.written), known.name)):
            if known not in self._read:
                self._open(known)
                return

    def _open(self, known):
        done = self._progress.get(known)
        if done is None:
            offset = self.context.offset_storage_reader.offset(known.partition)
            done = 0 if offset is None else _row_of(offset)
        file = (self._inbox / known.name).open("rb")
        try:
            rows = csv.reader(self._lines(file, known.name), strict=True)
            header = self._header(known, next(self._filled(rows, known), []))
        except BaseException:
            file.close()
            raise
        self._reading = Reading(known, file, self._filled(rows, known), header)
        for _ in range(done):
            if next(self._reading.rows, None) is None:
                break
            self._reading.row += 1

    def _header(self, known, header):
        for column in self._columns:
            if header and column.name not in header and not column.optional:
                raise DataError(
                    f"{known.name} has no column {column.name}",
                    code="csvinbox.header",
                    facts={"file": known.name, "columns": tuple(header)},
                )
        return header

    def _lines(self, file, name):
        for number, line in enumerate(file, 1):
            try:
                yield (line.removeprefix(_BOM) if number == 1 else line).decode()
            except UnicodeDecodeError as error:
                raise DataError(
                    f"{name} is not UTF-8 in line {number}", code="csvinbox.text"
                ) from error

    def _filled(self, rows, known):
        """Rows that are more than an empty line."""
        while True:
            try:
                row = next(rows, None)
            except csv.Error as error:
                raise DataError(
                    f"{known.name} is no CSV in line {rows.line_num}: {error}",
                    code="csvinbox.syntax",
                    facts={"file": known.name, "line": rows.line_num},
                ) from error
            if row is None:
                return
            if row:
                yield row

    def _take(self, records):
        """Add records of the file that is open; close it at its end."""
        reading = self._reading
        while len(records) < self._batch:
            row = next(reading.rows, None)
            if row is None:
                self._close()
                self._read.add(reading.known)
                return
            records.append(self._record(reading, row))

    def _record(self, reading, row):
        known, number = reading.known, reading.row + 1
        if len(row) != len(reading.header):
            raise DataError(
                f"row {number} of {known.name} has {len(row)} values for {len(reading.header)}"
                " columns",
                code="csvinbox.row",
                facts={"file": known.name, "row": number},
            )
        texts = dict(zip(reading.header, row, strict=True))
        value = Struct(self._schema)
        for column in self._columns:
            text = texts.get(column.name, self._null)
            try:
                value[column.name] = None if text == self._null else column.parse(text)
            except (ValueError, KeyError, ArithmeticError, DataError) as error:
                raise DataError(
                    f"row {number} of {known.name}: {column.name} cannot be {text[:100]!r}",
                    code="csvinbox.value",
                    facts={"file": known.name, "row": number, "column": column.name},
                ) from error
        reading.row = self._progress[known] = number
        return SourceRecord(
            known.partition,
            {"row": number},
            self._topic,
            value,
            self._schema,
            key=known.name,
            key_schema=STRING_SCHEMA,
            headers=Headers().add_long("row", number),
        )

    def _close(self):
        reading, self._reading = self._reading, None
        if reading is not None:
            reading.file.close()
