"""Reads the rows of CSV files with a header; a directory has any number of them, and they grow."""

from __future__ import annotations

import decimal
import re
import threading
import zlib
from datetime import date
from pathlib import Path

from plugwright import (
    BOOLEAN_SCHEMA,
    INT64_SCHEMA,
    OPTIONAL_BOOLEAN_SCHEMA,
    OPTIONAL_INT64_SCHEMA,
    OPTIONAL_STRING_SCHEMA,
    STRING_SCHEMA,
    ConfigDef,
    ConfigError,
    ConfigType,
    ConnectError,
    DataError,
    Date,
    Decimal,
    Importance,
    NonEmptyString,
    Range,
    RetriableError,
    SchemaBuilder,
    SourceConnector,
    SourceRecord,
    SourceTask,
    Struct,
)

VERSION = "1.2.0"
WAIT_S = 0.2
COLUMN = re.compile(r"(\w+):(string|int64|boolean|date|decimal\((\d+)\))(\?)?")
CELL = re.compile(r'(?:"([^"]*(?:""[^"]*)*)"|([^",]*))(,|\Z)')
WHOLE = re.compile(r"[+-]?[0-9]+")
EXACT = decimal.Context(prec=2000, traps=[decimal.InvalidOperation, decimal.Inexact])


def _check_columns(name, value):
    for column in value or [""]:
        if not COLUMN.fullmatch(column):
            raise ConfigError(
                f"Invalid value {value} for configuration {name}: a column is given as NAME:TYPE,"
                " the type being string, int64, boolean, date or decimal(SCALE), with ? if it may"
                f" be blank; found {column!r}",
                code="sheets.columns",
            )


CONFIG = (
    ConfigDef()
    .define(
        "sheets.directory",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Directory of the files; those whose names end in .csv are read.",
    )
    .define(
        "sheets.columns",
        ConfigType.LIST,
        importance=Importance.HIGH,
        validator=_check_columns,
        documentation="Columns to read, such as id:int64,price:decimal(2),note:string?",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic of the records.",
    )
    .define(
        "sheets.batch.rows",
        ConfigType.INT,
        default=500,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="The most rows that are read at once.",
    )
)


class SheetsSourceConnector(SourceConnector):
    """Each task has the files whose names fall to it, also those that do not exist yet."""

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
        return SheetsSourceTask

    def task_configs(self, max_tasks):
        return [
            {**self._props, "sheets.task": str(number), "sheets.tasks": str(max_tasks)}
            for number in range(max_tasks)
        ]

    def stop(self):
        pass

    def alter_offsets(self, props, offsets):
        for partition, offset in offsets:
            if set(partition) != {"file"} or not isinstance(partition["file"], str):
                raise ConnectError(f"a partition is {{'file': NAME}}, found {dict(partition)!r}")
            if offset is not None:
                _position(offset)
        return True


class SheetsSourceTask(SourceTask):
    """Goes through its files in turn; the offset of a row is the number of bytes up to its end."""

    def __init__(self):
        self._stopping = threading.Event()

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._stopping.clear()
        self._directory = Path(config["sheets.directory"])
        self._topic = config["topic"]
        self._limit = config["sheets.batch.rows"]
        self._share = int(props.get("sheets.task", 0)), int(props.get("sheets.tasks", 1))
        self._columns = [_column(text) for text in config["sheets.columns"]]
        builder = SchemaBuilder.struct().name("sheets.Row")
        for name, schema, _ in self._columns:
            builder.field(name, schema)
        self._schema = builder.build()
        self._positions = {}
        self._latest = ""

    def poll(self):
        try:
            records = self._read()
        except OSError as error:
            self._stopping.wait(WAIT_S)
            permanent = FileNotFoundError | NotADirectoryError | PermissionError
            kind = ConnectError if isinstance(error, permanent) else RetriableError
            raise kind(
                f"cannot read {self._directory}: {error}",
                code="sheets.unreadable",
                facts={"directory": str(self._directory)},
            ) from error
        if not records:
            self._stopping.wait(WAIT_S)
        return records or None

    def stop(self):
        self._stopping.set()

    def _read(self):
        """The next rows of one file, beginning with the file after that of the last rows."""
        names = [each.name for each in self._directory.iterdir() if each.name.endswith(".csv")]
        number, count = self._share
        mine = sorted(each for each in names if zlib.crc32(each.encode()) % count == number)
        for name in [n for n in mine if n > self._latest] + [n for n in mine if n <= self._latest]:
            records = self._read_file(name)
            if records:
                self._latest = name
                return records
        return []

    def _read_file(self, name):
        partition = {"file": name}
        if name not in self._positions:
            stored = self.context.offset_storage_reader.offset(partition)
            self._positions[name] = 0 if stored is None else _position(stored)
        try:
            file = (self._directory / name).open("rb")
        except FileNotFoundError:
            if self._directory.is_dir():  # it was removed just now
                return []
            raise
        with file:
            heads = _complete_rows(file, 1)
            if not heads:
                return []
            header = _cells(heads[0][0], f"{name}, position 0")
            start = max(self._positions[name], heads[0][1])
            if file.seek(0, 2) < start:
                raise ConnectError(
                    f"{self._directory / name} is shorter than position {start}: it was replaced",
                    code="sheets.replaced",
                )
            file.seek(start)
            rows = _complete_rows(file, self._limit)
        records = []
        for row, end in rows:
            try:
                value = self._struct(header, row, f"{name}, position {start}")
            except DataError:
                if records:  # those before it come first
                    break
                raise
            records.append(
                SourceRecord(partition, {"position": end}, self._topic, value, self._schema)
            )
            start = end
        if records:
            self._positions[name] = start
        return records

    def _struct(self, header, row, where):
        cells = _cells(row, where)
        if len(cells) != len(header):
            raise DataError(
                f"{where}: a row has {len(cells)} cells, where the header has {len(header)}",
                code="sheets.row",
            )
        found = dict(zip(header, cells, strict=True))
        struct = Struct(self._schema)
        for name, schema, parse in self._columns:
            if name not in found:
                raise DataError(f"{where}: there is no column {name}", code="sheets.header")
            text = found[name]
            try:
                struct.put(name, None if text is None else parse(text))
            except (ValueError, ArithmeticError, DataError) as error:
                raise DataError(
                    f"{where}: column {name} has {text!r}, which is no {schema.name or schema.type}"
                    f" ({schema.type.value}): {error}",
                    code="sheets.cell",
                ) from error
        return struct


def _complete_rows(file, limit):
    """Rows with the positions after them; one that is still being written is left for later."""
    rows = []
    while len(rows) < limit:
        row = file.readline()
        while row.endswith(b"\n") and row.count(b'"') % 2:  # a line break within quotes
            more = file.readline()
            row = row + more if more else b""
        if not row.endswith(b"\n"):
            break
        rows.append((row, file.tell()))
    return rows


def _cells(row, where):
    """The texts of a row; a cell that is blank, and not quoted, has none."""
    try:
        text = row.decode("utf-8-sig" if where.endswith("position 0") else "utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"{where}: not UTF-8: {error}", code="sheets.row") from error
    text, cells, at = text.removesuffix("\n").removesuffix("\r"), [], 0
    while True:
        match = CELL.match(text, at)
        if match is None:
            raise DataError(f"{where}: quotes are wrong in {text[at : at + 40]!r}", code="sheets.row")
        quoted, plain, comma = match.groups()
        cells.append(plain or None if quoted is None else quoted.replace('""', '"'))
        at = match.end()
        if not comma:
            return cells


def _column(text):
    """Name, schema, and how to read a cell."""
    name, kind, scale, optional = COLUMN.fullmatch(text).groups()
    if kind == "string":
        return name, OPTIONAL_STRING_SCHEMA if optional else STRING_SCHEMA, str
    if kind == "int64":
        return name, OPTIONAL_INT64_SCHEMA if optional else INT64_SCHEMA, _whole
    if kind == "boolean":
        return name, OPTIONAL_BOOLEAN_SCHEMA if optional else BOOLEAN_SCHEMA, _truth
    if kind == "date":
        builder, parse = Date.builder(), date.fromisoformat
    else:
        unit = decimal.Decimal(1).scaleb(-int(scale))
        builder, parse = Decimal.builder(int(scale)), lambda cell: _number(cell, unit)
    return name, (builder.optional() if optional else builder).build(), parse


def _whole(text):
    if not WHOLE.fullmatch(text):
        raise ValueError("not a whole number")
    return int(text)


def _truth(text):
    if text not in {"true", "false"}:
        raise ValueError("neither true nor false")
    return text == "true"


def _number(text, unit):
    return EXACT.quantize(decimal.Decimal(text), unit)


def _position(offset):
    position = offset.get("position")
    if set(offset) != {"position"} or type(position) is not int or position < 0:
        raise ConnectError(
            f"an offset is {{'position': bytes from 0}}, found {dict(offset)!r}",
            code="sheets.offset",
            hint="reset the offsets of the connector",
        )
    return position
