"""Reads the numbered files of drawers: rows of a number, a time and a quoted text of any lines."""

from __future__ import annotations

import errno
import re
import threading
from pathlib import Path

from plugwright import (
    INT64_SCHEMA,
    STRING_SCHEMA,
    ConfigDef,
    ConfigType,
    ConnectError,
    DataError,
    ExactlyOnceSupport,
    Headers,
    Importance,
    ListSize,
    NonEmptyString,
    Range,
    RetriableError,
    SourceConnector,
    SourceRecord,
    SourceTask,
    group_partitions,
)

VERSION = "1.0.0"
TRANSIENT = {errno.EAGAIN, errno.EINTR, errno.EBUSY, errno.EIO}
ROW = re.compile(rb'(\d+),(\d+),"((?:[^"]|"")*)"\n')
CONFIG = (
    ConfigDef()
    .define(
        "drawers.directory",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Directory of the drawers.",
    )
    .define(
        "drawers.names",
        ConfigType.LIST,
        importance=Importance.HIGH,
        validator=ListSize.at_most_of_size(100),
        documentation="Names of the drawers to read.",
    )
    .define(
        "drawers.charset",
        ConfigType.STRING,
        default="utf-8",
        importance=Importance.MEDIUM,
        validator=NonEmptyString(),
        documentation="What the texts are encoded in; a superset of ASCII.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic that receives a record for each row.",
    )
    .define(
        "batch.max.rows",
        ConfigType.INT,
        default=21,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="The most rows of one poll.",
    )
)


class DrawersConnector(SourceConnector):
    """Drawers are shared out among tasks."""

    def version(self):
        return VERSION

    def config(self):
        return CONFIG

    def start(self, props):
        self._names = sorted(set(CONFIG.parse(props)["drawers.names"]))
        self._props = dict(props)

    def task_class(self):
        return DrawersTask

    def task_configs(self, max_tasks):
        if not self._names:
            return []
        groups = group_partitions(self._names, min(max_tasks, len(self._names)))
        return [{**self._props, "drawers.names": ",".join(group)} for group in groups]

    def stop(self):
        pass

    def exactly_once_support(self, props):
        return ExactlyOnceSupport.SUPPORTED


class DrawersTask(SourceTask):
    """An offset has the number of a file, and how many of its bytes were read."""

    def __init__(self):
        self._stopping = threading.Event()

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._directory = Path(config["drawers.directory"])
        self._charset = config["drawers.charset"]
        self._topic = config["topic"]
        self._limit = config["batch.max.rows"]
        reader = self.context.offset_storage_reader
        stored = reader.offsets([{"drawer": name} for name in config["drawers.names"]])
        self._places = {
            partition["drawer"]: (0, 0) if offset is None else _position(offset)
            for partition, offset in stored
        }
        self._stopping.clear()

    def poll(self):
        records = []
        for name in list(self._places):
            try:
                self._drawer(name, records)
            except (ConnectError, DataError):
                if records:
                    break
                raise
        if not records:
            self._stopping.wait(0.05)
            return None
        return records

    def stop(self):
        self._stopping.set()

    def _drawer(self, name, records):
        """Read on in the file of a drawer, and in those behind it."""
        try:
            number, position = self._places[name]
            for at in [number, *self._later(name, number)]:
                if at != number:
                    position = 0
                if at:
                    self._file(name, at, position, records)
                if len(records) >= self._limit:
                    return
        except OSError as error:
            raise self._failure(error) from error

    def _later(self, name, number):
        """The numbers of the files behind one."""
        found = sorted(int(path.stem) for path in (self._directory / name).glob("*.csv"))
        return [each for each in found if each > number]

    def _file(self, name, number, position, records):
        content = (self._directory / name / f"{number}.csv").read_bytes()
        while len(records) < self._limit and (end := _row_end(content, position)):
            record = self._record(name, number, content[position:end], end)
            position = end
            self._places[name] = (number, position)
            records.append(record)

    def _record(self, name, number, row, end):
        found = ROW.fullmatch(row)
        if found is None:
            raise DataError(
                f"row {row[:40]!r} in file {number} of {name} has no quoted text",
                code="drawers.row",
            )
        try:
            text = found[3].replace(b'""', b'"').decode(self._charset)
        except UnicodeDecodeError as error:
            raise DataError(f"file {number} of {name}: {error}", code="drawers.text") from error
        return SourceRecord(
            source_partition={"drawer": name},
            source_offset={"file": number, "position": end},
            topic=self._topic,
            key=name,
            key_schema=STRING_SCHEMA,
            value=text,
            value_schema=STRING_SCHEMA,
            timestamp=int(found[2]),
            headers=Headers().add("row", int(found[1]), INT64_SCHEMA),
        )

    def _failure(self, error):
        return (RetriableError if error.errno in TRANSIENT else ConnectError)(
            f"cannot read {self._directory}: {error}",
            code="drawers.read",
            facts={"directory": str(self._directory)},
        )


def _row_end(content, begin):
    """The end of the row that begins there; 0 if it is not complete."""
    end = begin
    while end := content.find(b"\n", end) + 1:
        if content.count(b'"', begin, end) % 2 == 0:
            return end
    return 0


def _position(offset):
    """The file and the bytes in an offset, which an operator may have written."""
    number, position = offset.get("file"), offset.get("position")
    well = type(number) is int and type(position) is int and number >= 0 and position >= 0
    if set(offset) != {"file", "position"} or not well:
        raise ConnectError(
            "an offset must be {'file': whole number, 'position': whole number}, "
            f"found {dict(offset)!r}",
            code="drawers.offset",
        )
    return number, position
