"""Exports rows as CSV files with a header, a new file when one is full or offsets are committed.

Files appear under their names only when they are complete and on the disk. Their names have the
offsets of their rows, so a file that is written once more replaces itself.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from urllib.parse import quote

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

VERSION = "1.0.4"


def _check_delimiter(name, value):
    if len(value or "") != 1 or value in '"\r\n' or value.isalnum():
        raise ConfigError(
            f"{name} must be one character that is no quote, line end, letter or digit;"
            f" found {value!r}",
            code="csvroll.delimiter",
        )


CONFIG = (
    ConfigDef()
    .define(
        "csv.directory",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Directory of the files; it must exist.",
    )
    .define(
        "csv.delimiter",
        ConfigType.STRING,
        default=",",
        validator=LambdaValidator.with_(_check_delimiter, lambda: "one character"),
        documentation="Character between the columns.",
    )
    .define(
        "csv.rows",
        ConfigType.INT,
        default=5000,
        validator=Range.between(1, 1_000_000),
        documentation="The most rows of a file.",
    )
)


@dataclass
class Part:
    """Rows of a partition that are not in a file yet."""

    topic: str
    header: str
    first: int
    last: int
    lines: list[str] = field(default_factory=list)


class CsvRollSinkConnector(SinkConnector):
    """Any number of tasks write; a file has rows of one partition."""

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
        return CsvRollSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass


class CsvRollSinkTask(SinkTask):
    """Rows wait in memory until their file is written; a batch that comes again is known."""

    def __init__(self):
        self._parts = {}
        self._next = {}

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._directory = Path(config["csv.directory"])
        self._delimiter = config["csv.delimiter"]
        self._rows = config["csv.rows"]
        self._parts, self._next = {}, {}

    def open(self, partitions):
        for place in partitions:
            self._next.pop(place, None)

    def put(self, records):
        reporter = self.context.errant_record_reporter()
        for record in records:
            place = TopicPartition(record.original_topic, record.original_kafka_partition)
            offset = record.original_kafka_offset
            if offset < self._next.get(place, 0):
                continue
            try:
                header, line = self._line(record)
            except DataError as error:
                if reporter is None:
                    raise
                reporter.report(record, error)
            else:
                part = self._part(place, record, header)
                part.lines.append(line)
                part.last = offset
            self._next[place] = offset + 1
            self._finish_full(place)

    def flush(self, offsets):
        for place in list(self._parts):
            self._finish(place)

    def close(self, partitions):
        for place in partitions:
            self._parts.pop(place, None)
            self._next.pop(place, None)

    def stop(self):
        self._parts, self._next = {}, {}

    def _part(self, place, record, header):
        """The part for a row; a file has one header and one topic."""
        part = self._parts.get(place)
        if part is not None and (part.header, part.topic) != (header, record.topic):
            self._finish(place)
            part = None
        if part is None:
            offset = record.original_kafka_offset
            part = self._parts[place] = Part(record.topic, header, offset, offset)
        return part

    def _finish_full(self, place):
        if place in self._parts and len(self._parts[place].lines) >= self._rows:
            self._finish(place)

    def _finish(self, place):
        """Write the file of a part; only then the part is forgotten."""
        part = self._parts[place]
        name = (
            f"{quote(part.topic, safe='')}+{quote(place.topic, safe='')}+{place.partition}"
            f"+{part.first:020d}-{part.last:020d}.csv"
        )
        draft = self._directory / f".{name}.{os.getpid()}.draft"
        try:
            with draft.open("w", encoding="utf-8", newline="") as file:
                file.write(part.header)
                file.writelines(part.lines)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(self._directory / name)
            self._sync_directory()
        except OSError as error:
            with contextlib.suppress(OSError):
                draft.unlink()
            permanent = isinstance(error, PermissionError | FileNotFoundError | NotADirectoryError)
            raise (ConnectError if permanent else RetriableError)(
                f"cannot write {self._directory / name}: {error}",
                code="csvroll.write",
                facts={"file": str(self._directory / name)},
            ) from error
        del self._parts[place]

    def _sync_directory(self):
        """Make the new name durable."""
        descriptor = os.open(self._directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _line(self, record):
        """The header for a record, and its line."""
        value = record.value
        if not isinstance(value, Struct) or not value.schema.fields:
            raise DataError(
                f"a row is made of a struct with fields, found {type(value).__name__} at"
                f" {_where(record)}",
                code="csvroll.value",
                hint="use a converter with schemas",
            )
        value.validate()
        names = [_quoted(column.name) for column in value.schema.fields]
        cells = [
            _cell(value.get(column.name), column.name, record) for column in value.schema.fields
        ]
        return self._delimiter.join(names) + "\r\n", self._delimiter.join(cells) + "\r\n"


def _where(record):
    return (
        f"{record.original_topic}-{record.original_kafka_partition}@{record.original_kafka_offset}"
    )


def _quoted(text):
    return '"' + text.replace('"', '""') + '"'


def _cell(value, name, record):
    """A value as text: nothing for a null, texts in quotes, times in UTC."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return repr(value)
        case str() if _is_text(value):
            return _quoted(value)
        case Decimal():
            return format(value, "f")
        case datetime():
            return _quoted(value.astimezone(UTC).isoformat(timespec="milliseconds"))
        case date():
            return value.isoformat()
        case time():
            return _quoted(value.isoformat(timespec="milliseconds"))
        case bytes():
            return value.hex()
    raise DataError(
        f"column {name} cannot hold {type(value).__name__} at {_where(record)}",
        code="csvroll.column",
        facts={"column": name},
    )


def _is_text(value):
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
