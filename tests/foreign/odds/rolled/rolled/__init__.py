"""Follows a log through its rotations, when its files get other names and are packed."""

from __future__ import annotations

import gzip
import os
import re
import threading
import zlib
from pathlib import Path

from plugwright import (
    STRING_SCHEMA,
    ConfigDef,
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
)

VERSION = "1.0.0"
HEAD = re.compile(rb"#log (\d{1,15})\n")
CONFIG = (
    ConfigDef()
    .define(
        "log.directory",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Directory of the log.",
    )
    .define(
        "log.name",
        ConfigType.STRING,
        default="app.log",
        importance=Importance.MEDIUM,
        validator=NonEmptyString(),
        documentation="Name of the file that is written; older ones have this name and a number.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic that receives a record for each line.",
    )
    .define(
        "batch.max.lines",
        ConfigType.INT,
        default=30,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="The most lines of one poll.",
    )
)


class RolledSourceConnector(SourceConnector):
    """One log, one task."""

    def version(self):
        return VERSION

    def config(self):
        return CONFIG

    def start(self, props):
        CONFIG.parse(props)
        self._props = dict(props)

    def task_class(self):
        return RolledSourceTask

    def task_configs(self, max_tasks):
        return [dict(self._props)]

    def stop(self):
        pass

    def exactly_once_support(self, props):
        return ExactlyOnceSupport.SUPPORTED

    def alter_offsets(self, props, offsets):
        for _, offset in offsets:
            if offset is not None:
                _place(offset)
        return False


class RolledSourceTask(SourceTask):
    """A file is known by the number in its first line, whatever its name is by then."""

    def __init__(self):
        self._stopping = threading.Event()
        self._busy = threading.Lock()
        self._file = None

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._directory = Path(config["log.directory"])
        self._name = config["log.name"]
        self._topic = config["topic"]
        self._limit = config["batch.max.lines"]
        stored = self.context.offset_storage_reader.offset({"log": self._name})
        self._number, self._position = (0, 0) if stored is None else _place(stored)
        self._stopping.clear()

    def poll(self):
        with self._busy:
            try:
                records = [] if self._stopping.is_set() else self._next()
            except (OSError, EOFError, zlib.error) as error:
                self._leave()
                raise self._failure(error) from error
        if not records:
            self._stopping.wait(0.05)
            return None
        return records

    def stop(self):
        self._stopping.set()
        with self._busy:
            self._leave()

    def _next(self):
        records = self._take(finished=False)
        if records:
            return records
        files = self._files()
        later = min((number for number in files if number > self._number), default=None)
        if later is None:
            return []
        records = self._take(finished=True)  # the next file was begun, so this one is complete
        if records:
            return records
        if self._number and later > self._number + 1:
            raise ConnectError(
                f"{self._directory} has log {later} behind log {self._number}: those between are "
                "gone, and were not read",
                code="rolled.gap",
                hint="alter the offset to go on without them",
            )
        self._leave()
        self._number, self._position = later, 0
        return self._take(finished=False)

    def _take(self, *, finished):
        """The next lines of the current file; one without an end only if it is finished."""
        if self._file is None and not self._enter():
            return []
        head = self._head(self._file)
        begin = self._file.seek(max(self._position, head))
        records = []
        while len(records) < self._limit:
            line = self._file.readline()
            if not line or not (line.endswith(b"\n") or finished):
                break
            end = begin + len(line)
            try:
                text = line.removesuffix(b"\n").decode()
            except UnicodeDecodeError as error:
                if records:
                    break
                raise DataError(
                    f"the line at byte {begin} of log {self._number} in {self._directory} is "
                    f"not UTF-8: {error}",
                    code="rolled.line",
                ) from error
            records.append(self._record(text, end))
            begin = end
        if records:
            self._position = begin
        return records

    def _record(self, text, end):
        return SourceRecord(
            source_partition={"log": self._name},
            source_offset={"file": self._number, "position": end},
            topic=self._topic,
            value=text,
            value_schema=STRING_SCHEMA,
        )

    def _enter(self):
        path = self._files().get(self._number)
        if path is None:
            return False
        self._file = _opened(path)
        if self._numbered(self._file) != self._number:
            self._leave()
            raise self._moving()
        return True

    def _leave(self):
        if self._file is not None:
            self._file.close()
            self._file = None

    def _files(self):
        """The path of each file, by its number."""
        pattern = re.compile(re.escape(self._name) + r"(\.\d+(\.gz)?)?")
        before = self._listed()
        files = {}
        for name in filter(pattern.fullmatch, sorted(before)):
            try:
                with _opened(self._directory / name) as file:
                    number = self._numbered(file)
            except FileNotFoundError as error:
                raise self._moving() from error
            if number is not None:
                files.setdefault(number, self._directory / name)
        if self._listed() != before:
            raise self._moving()
        return files

    def _listed(self):
        with os.scandir(self._directory) as entries:
            return {entry.name: entry.inode() for entry in entries}

    def _numbered(self, file):
        """The number of a file, or None if its first line is not complete yet."""
        file.seek(0)
        line = file.readline(32)
        if HEAD.fullmatch(line) is None and (line.endswith(b"\n") or len(line) == 32):
            raise DataError(
                f"{file.name} does not begin with '#log' and a number", code="rolled.head"
            )
        return int(HEAD.fullmatch(line)[1]) if line.endswith(b"\n") else None

    def _head(self, file):
        file.seek(0)
        return len(file.readline())

    def _moving(self):
        return RetriableError(f"{self._directory} is being rotated", code="rolled.moving")

    def _failure(self, error):
        kind = RetriableError if isinstance(error, OSError) else ConnectError
        return kind(
            f"cannot read log {self._number} in {self._directory}: {error}",
            code="rolled.read",
            facts={"directory": str(self._directory)},
        )


def _opened(path):
    return gzip.open(path) if path.suffix == ".gz" else path.open("rb")


def _place(offset):
    """The number and the position in an offset, which an operator may have written."""
    number, position = offset.get("file"), offset.get("position")
    whole = type(number) is int and type(position) is int
    if set(offset) != {"file", "position"} or not whole or number < 1 or position < 0:
        raise ConnectError(
            "an offset must be {'file': whole number from 1, 'position': bytes from 0}, "
            f"found {dict(offset)!r}",
            code="rolled.offset",
        )
    return number, position
