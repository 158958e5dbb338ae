"""Reads exports of tables that PostgreSQL's COPY has written as text, a file each.

An export is read when the empty file beside it, with ``.done`` behind its name, says that it is
complete. Tasks share the exports by their names, so new ones find their task by themselves.
"""

from __future__ import annotations

import logging
import re
import threading
import zlib
from datetime import UTC, date, datetime
from decimal import Decimal as Number
from decimal import DecimalException, Inexact, InvalidOperation, localcontext
from pathlib import Path

from plugwright import (
    ConfigDef,
    ConfigError,
    ConfigType,
    ConnectError,
    DataError,
    Date,
    Decimal,
    ExactlyOnceSupport,
    Importance,
    LambdaValidator,
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

VERSION = "1.1.0"
LOG = logging.getLogger(__name__)
COLUMN = re.compile(r"(\w+):(int64|float64|boolean|string|date|timestamp|decimal\((\d+)\))(\?)?")
ESCAPE = re.compile(r"\\([0-7]{1,3}|x[0-9A-Fa-f]{1,2}|.)", re.DOTALL)
LETTERS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
BUILDERS = {
    "int64": SchemaBuilder.int64,
    "float64": SchemaBuilder.float64,
    "boolean": SchemaBuilder.bool,
    "string": SchemaBuilder.string,
    "date": Date.builder,
    "timestamp": Timestamp.builder,
}


def _check_columns(name, value):
    wrong = [text for text in value or [] if not COLUMN.fullmatch(text)]
    names = [text.partition(":")[0] for text in value or []]
    if wrong or not names or len(set(names)) < len(names):
        raise ConfigError(
            f"{name} must be columns such as id:int64 or note:string?, each name once;"
            f" found {', '.join(wrong or names) or 'nothing'}",
            code="copydump.columns",
        )


CONFIG = (
    ConfigDef()
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic that receives the rows.",
    )
    .define(
        "dump.directory",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Directory of the exports, whose names end with .copy.",
    )
    .define(
        "dump.columns",
        ConfigType.LIST,
        importance=Importance.HIGH,
        validator=LambdaValidator.with_(_check_columns, lambda: "name:type, with ? if optional"),
        documentation="The columns in their order; the first one becomes the key.",
    )
    .define(
        "dump.batch",
        ConfigType.INT,
        default=500,
        validator=Range.between(1, 10_000),
        documentation="The most rows that one poll returns.",
    )
    .define(
        "dump.interval.ms",
        ConfigType.INT,
        default=1000,
        importance=Importance.LOW,
        validator=Range.between(1, 60_000),
        documentation="How long a task waits when there is no further export.",
    )
)
TASK_CONFIG = (
    ConfigDef(CONFIG)
    .define("task.number", ConfigType.INT, internal=True, documentation="Set by the connector.")
    .define("task.count", ConfigType.INT, internal=True, documentation="Set by the connector.")
)


class CopyDumpSourceConnector(SourceConnector):
    """Gives each task its number, by which it knows its exports."""

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
        return CopyDumpSourceTask

    def task_configs(self, max_tasks):
        return [
            {**self._props, "task.number": str(number), "task.count": str(max_tasks)}
            for number in range(max_tasks)
        ]

    def stop(self):
        pass

    def exactly_once_support(self, props):
        return ExactlyOnceSupport.SUPPORTED

    def alter_offsets(self, props, offsets):
        for partition, offset in offsets:
            if set(partition) != {"file"} or not isinstance(partition["file"], str):
                raise ConnectError(
                    f"a partition is {{'file': name}}, found {dict(partition)!r}",
                    code="copydump.partition",
                )
            if offset is not None:
                _place(offset)
        return False


class CopyDumpSourceTask(SourceTask):
    """Reads its exports one after the other, in the order of their names."""

    def __init__(self):
        self._stopping = threading.Event()
        self._busy = threading.Lock()
        self._file = None

    def version(self):
        return VERSION

    def start(self, props):
        config = TASK_CONFIG.parse(props)
        self._topic = config["topic"]
        self._directory = Path(config["dump.directory"])
        self._batch = config["dump.batch"]
        self._pause = config["dump.interval.ms"] / 1000
        self._share = config["task.number"], config["task.count"]
        self._schema = _schema(config["dump.columns"])
        self._places = {}
        self._finished = set()
        self._stopping.clear()

    def poll(self):
        with self._busy:
            try:
                for name in self._exports():
                    if self._stopping.is_set():
                        return None
                    if records := self._rows(name):
                        return records
                    self._finished.add(name)
            except PermissionError as error:
                raise self._failure(ConnectError, error) from error
            except OSError as error:
                self._leave()
                self._stopping.wait(self._pause)
                raise self._failure(RetriableError, error) from error
        self._stopping.wait(self._pause)
        return None

    def stop(self):
        self._stopping.set()
        with self._busy:
            self._leave()

    def _exports(self):
        """The complete exports of this task that are not read yet."""
        number, count = self._share
        names = {path.name for path in self._directory.iterdir()}
        mine = [
            name
            for name in sorted(names)
            if name.endswith(".copy")
            and name + ".done" in names
            and zlib.crc32(name.encode()) % count == number
        ]
        self._finished &= set(mine)  # an export that has gone needs no memory
        return [name for name in mine if name not in self._finished]

    def _rows(self, name):
        """The next rows of an export, up to one that is not good; none at its end."""
        file = self._opened(name)
        position, line = self._places[name]  # which moves only with what is returned
        records = []
        while len(records) < self._batch:
            text = file.readline()
            if not text or text.rstrip(b"\r\n") == b"\\.":
                break
            try:
                row = _row(text, self._schema)
            except ValueError as error:
                self._leave()
                if records:
                    break
                raise DataError(
                    f"{name}, line {line + 1}: {error}",
                    code="copydump.row",
                    hint="correct the export, or move the offset of the file behind the line",
                    facts={"file": name, "line": line + 1},
                ) from error
            position, line = position + len(text), line + 1
            records.append(self._record(name, row, position, line))
        self._places[name] = position, line
        if not records:
            self._leave()
        return records

    def _record(self, name, row, position, line):
        key = self._schema.fields[0]
        return SourceRecord(
            {"file": name},
            {"position": position, "line": line},
            self._topic,
            row,
            self._schema,
            key=row[key.name],
            key_schema=key.schema,
        )

    def _opened(self, name):
        """The export, at the next row."""
        if self._file is not None and self._file.name == str(self._directory / name):
            return self._file
        self._leave()
        if name not in self._places:
            stored = self.context.offset_storage_reader.offset({"file": name})
            self._places[name] = (0, 0) if stored is None else _place(stored)
        self._file = (self._directory / name).open("rb")
        self._file.seek(self._places[name][0])
        return self._file

    def _leave(self):
        if self._file is not None:
            self._file.close()
            self._file = None

    def _failure(self, kind, error):
        return kind(
            f"exports in {self._directory} cannot be read: {error}",
            code="copydump.read",
            facts={"directory": str(self._directory)},
        )


def _schema(columns):
    builder = SchemaBuilder.struct().name("copydump.Row")
    for text in columns:
        name, kind, scale, optional = COLUMN.fullmatch(text).groups()
        made = Decimal.builder(int(scale)) if scale else BUILDERS[kind]()
        builder.field(name, made.optional().build() if optional else made.build())
    return builder.build()


def _row(line, schema):
    """A row; COPY escapes what is in a column, so tabs and line feeds are between columns."""
    if not line.endswith(b"\n"):
        raise ValueError("the line has no end")
    texts = line.removesuffix(b"\n").removesuffix(b"\r").decode().split("\t")
    if len(texts) != len(schema.fields):
        raise ValueError(f"expected {len(schema.fields)} columns, found {len(texts)}")
    row = Struct(schema)
    for field, text in zip(schema.fields, texts, strict=True):
        value = None if text == "\\N" else ESCAPE.sub(_unescaped, text)
        if value is None and not field.schema.optional:
            raise ValueError(f"column {field.name} must not be null")
        try:
            row.put(field.name, None if value is None else _value(value, field.schema))
        except (ValueError, DecimalException, OverflowError, ConnectError) as error:
            raise ValueError(f"column {field.name} cannot hold {value[:80]!r}: {error}") from error
    return row


def _unescaped(match):
    code = match[1]
    if code[0] == "x" and len(code) > 1:
        return chr(int(code[1:], 16))
    return chr(int(code, 8)) if code[0] in "01234567" else LETTERS.get(code, code)


def _value(text, schema):
    match schema.name or schema.type.name:
        case "INT64":
            return int(text)
        case "FLOAT64":
            return float(text)
        case "BOOLEAN":
            return {"t": True, "f": False}[text] if text in {"t", "f"} else _refuse(text)
        case Decimal.LOGICAL_NAME:
            return _scaled(text, int(schema.parameters[Decimal.SCALE_FIELD]))
        case Date.LOGICAL_NAME:
            return date.fromisoformat(text)
        case Timestamp.LOGICAL_NAME:
            moment = datetime.fromisoformat(text)
            return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return text


def _scaled(text, scale):
    """A decimal with as many digits as its column has; more would be lost."""
    number = Number(text)
    with localcontext(prec=max(28, len(text) + scale), traps=[Inexact, InvalidOperation]):
        return number.quantize(Number(1).scaleb(-scale))


def _refuse(text):
    raise ValueError(f"t or f is expected, found {text!r}")


def _place(offset):
    """The place in an offset, which an operator may have changed."""
    place = offset.get("position"), offset.get("line")
    if set(offset) != {"position", "line"} or any(type(n) is not int or n < 0 for n in place):
        raise ConnectError(
            f"an offset is {{'position': bytes, 'line': number}}, found {dict(offset)!r}",
            code="copydump.offset",
        )
    return place
