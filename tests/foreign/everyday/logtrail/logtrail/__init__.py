"""Follows a log file through its rotations.

A rotated log is renamed: ``app.log`` becomes ``app.log.1``, that becomes ``app.log.2``, and a new
``app.log`` is begun. A file is known again by its inode and its first line. The offset is the byte
after the last line that was read of it.
"""

from __future__ import annotations

import logging
import os
import threading
import zlib
from pathlib import Path
from typing import BinaryIO, NamedTuple

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

log = logging.getLogger(__name__)
VERSION = "0.4.1"
HEAD = 1024

LOG_FILE, TOPIC = "log.file", "topic"
CHUNK, LINES, INTERVAL = "log.chunk.bytes", "log.poll.lines", "log.interval.ms"


def definition() -> ConfigDef:
    config = ConfigDef()
    config.define(
        LOG_FILE,
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Path of the log that is written to; rotated ones are beside it.",
    )
    config.define(
        TOPIC,
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic of the lines.",
    )
    config.define(
        CHUNK,
        ConfigType.INT,
        default=65536,
        importance=Importance.LOW,
        validator=Range.at_least(16),
        documentation="How much to read at once; more where a line is longer.",
    )
    config.define(
        LINES,
        ConfigType.INT,
        default=1000,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="How many lines a poll returns at most.",
    )
    config.define(
        INTERVAL,
        ConfigType.INT,
        default=100,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="How long to wait for lines, and after a failure.",
    )
    return config


CONFIG = definition()


class Place(NamedTuple):
    """How far a file was read."""

    inode: int
    head: str
    position: int

    @classmethod
    def from_offset(cls, offset):
        types = {"inode": int, "head": str, "position": int}
        if {name: type(value) for name, value in offset.items()} != types:
            raise ConnectError(
                f"an offset has inode, head and position, found {dict(offset)!r}",
                code="logtrail.offset",
                hint="reset the offsets of the connector",
            )
        if offset["position"] < 0:
            raise ConnectError("a position is not negative", code="logtrail.offset")
        return cls(**offset)


def head_of(file: BinaryIO) -> str:
    """What tells a file from others: a hash of its first line, or of the beginning of that."""
    beginning = os.pread(file.fileno(), HEAD, 0)
    return format(zlib.crc32(beginning.partition(b"\n")[0]), "08x")


class LogTrailSourceConnector(SourceConnector):
    def __init__(self):
        self._settings = {}

    def version(self):
        return VERSION

    def config(self):
        return CONFIG

    def start(self, props):
        CONFIG.parse(props)
        self._settings = dict(props)

    def task_class(self):
        return LogTrailSourceTask

    def task_configs(self, max_tasks):
        return [self._settings]

    def stop(self):
        pass

    def exactly_once_support(self, props):
        return ExactlyOnceSupport.SUPPORTED

    def alter_offsets(self, props, offsets):
        for partition, offset in offsets:
            if set(partition) != {"log"}:
                raise ConnectError(
                    f"a partition is {{'log': path}}, found {dict(partition)!r}",
                    code="logtrail.partition",
                )
            if offset is not None:
                Place.from_offset(offset)
        return True


class LogTrailSourceTask(SourceTask):
    def __init__(self):
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._file = None

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._log = Path(config[LOG_FILE])
        self._topic = config[TOPIC]
        self._chunk = config[CHUNK]
        self._most = config[LINES]
        self._interval = config[INTERVAL] / 1000
        self._partition = {"log": config[LOG_FILE]}
        stored = self.context.offset_storage_reader.offset(self._partition)
        self._place = None if stored is None else Place.from_offset(stored)
        self._position = 0
        self._head = ""
        self._leaving = False
        self._stopping.clear()

    def poll(self):
        with self._lock:
            if self._stopping.is_set():
                return None
            try:
                records = self._next_records()
            except OSError as error:
                self._close()
                self._stopping.wait(self._interval)
                raise RetriableError(
                    f"cannot read {self._log}: {error}", code="logtrail.unreadable"
                ) from error
            if not records:
                self._stopping.wait(self._interval)
            return records or None

    def stop(self):
        self._stopping.set()
        with self._lock:
            self._close()

    def _next_records(self):
        if self._file is None and not self._open():
            return []
        data = self._read()
        if b"\n" in data:
            self._leaving = False
            lines = data.split(b"\n")[:-1]
            return self._records(lines[: self._most], 1)
        newer = self._newer()
        if newer is None:
            return []
        if not self._leaving:  # whoever writes may have a last line for it
            self._leaving = True
            return []
        records = self._records([data], 0) if data else []
        self._switch(newer, 0)
        return records

    def _logs(self):
        """The paths of the logs, the oldest first."""
        rotated = []
        for path in self._log.parent.iterdir():
            number = path.name.removeprefix(f"{self._log.name}.")
            if number != path.name and number.isdecimal():
                rotated.append((int(number), path))
        logs = [path for _, path in sorted(rotated, reverse=True)]
        return [*logs, self._log] if self._log.exists() else logs

    def _open(self):
        """Open the log that was read last, or the oldest one; whether there is any."""
        logs = self._logs()
        if not logs:
            return False
        path, position = self._known(logs) if self._place else (logs[0], 0)
        self._switch(path, position)
        return True

    def _known(self, logs):
        alike = []
        for path in logs:
            with path.open("rb", buffering=0) as file:
                stat = os.fstat(file.fileno())
                if head_of(file) == self._place.head and stat.st_size >= self._place.position:
                    alike.append((stat.st_ino == self._place.inode, path))
        if alike:
            return max(alike, key=lambda pair: pair[0])[1], self._place.position
        log.warning("the log that was read last is gone, going on with %s", logs[0])
        return logs[0], 0

    def _switch(self, path, position):
        file = path.open("rb", buffering=0)
        self._close()
        self._file, self._position = file, position
        self._head = ""
        self._leaving = False

    def _newer(self):
        """The path of the log that was begun after the one that is open, if there is any."""
        mine = os.fstat(self._file.fileno())
        if mine.st_size < self._position:
            log.warning("%s was cut off, reading it from its beginning", self._log)
            self._position, self._head = 0, ""
            return None
        logs = self._logs()
        for path, newer in zip(logs, logs[1:], strict=False):
            if os.path.samestat(path.stat(), mine):
                return newer
        if not logs or os.path.samestat(logs[-1].stat(), mine):
            return None
        return logs[0]  # the open one was deleted, so all of these are newer

    def _read(self):
        """Bytes from the position on, with a complete line if there is one."""
        descriptor, size = self._file.fileno(), self._chunk
        data = os.pread(descriptor, size, self._position)
        while b"\n" not in data:
            more = os.pread(descriptor, size, self._position + len(data))
            if not more:
                break
            data += more
            size *= 2
        return data

    def _records(self, lines, ending):
        """A record for each line, up to one that is no text; that one fails the next time."""
        records = []
        if not self._head:
            self._head = head_of(self._file)
        inode = os.fstat(self._file.fileno()).st_ino
        for line in lines:
            try:
                text = line.decode("utf-8")
            except UnicodeDecodeError as error:
                if records:
                    break
                raise DataError(
                    f"{self._log} is not UTF-8 at byte {self._position + error.start}",
                    code="logtrail.text",
                    facts={"log": str(self._log), "position": self._position},
                ) from error
            self._position += len(line) + ending
            self._place = Place(inode, self._head, self._position)
            offset = self._place._asdict()
            records.append(SourceRecord(self._partition, offset, self._topic, text, STRING_SCHEMA))
        return records

    def _close(self):
        if self._file is not None:
            self._file.close()
            self._file = None
