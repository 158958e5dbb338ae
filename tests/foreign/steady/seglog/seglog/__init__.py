"""Appends records to binary logs, one for each partition, and keeps their offsets in an index.

A log is a directory of segments. An entry of the index says how far a segment is good, and which
offset comes next. What is behind that in a segment does not count, and is overwritten.
"""

from __future__ import annotations

import errno
import fcntl
import os
import struct
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from plugwright import (
    ConfigDef,
    ConfigType,
    ConnectError,
    DataError,
    Importance,
    NonEmptyString,
    Range,
    RetriableError,
    SinkConnector,
    SinkTask,
    TopicPartition,
)

VERSION = "1.2.1"
ENTRY = struct.Struct(">IQqI")
FRAME = struct.Struct(">II")
HEAD = struct.Struct(">QqH")
PART = struct.Struct(">BI")
NO_TIME = -(2**63)
KAFKA = -1
NULL, TEXT, BYTES, LONG, DOUBLE, TRUTH = range(6)
CONFIG = (
    ConfigDef()
    .define(
        "log.directory",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Directory of the logs; it must exist.",
    )
    .define(
        "log.segment.bytes",
        ConfigType.LONG,
        default=64 * 1024 * 1024,
        validator=Range.at_least(1),
        documentation="Size at which a segment is followed by a new one.",
    )
    .define(
        "log.buffer.bytes",
        ConfigType.LONG,
        default=4 * 1024 * 1024,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="Size of waiting records at which they are written before the next commit.",
    )
)


class SegLogSinkConnector(SinkConnector):
    """Any number of tasks write; each partition has a log of its own."""

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
        return SegLogSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass

    def alter_offsets(self, props, offsets):
        """Let logs go on elsewhere; without an offset, where Kafka has them go on."""
        directory = Path(CONFIG.parse(props)["log.directory"])
        for place, offset in offsets.items():
            log = _Log(directory, place)
            try:
                log.read()
                if log.next != KAFKA or offset is not None:
                    log.next = KAFKA if offset is None else offset
                    log.commit(0)
            except OSError as error:
                raise ConnectError(
                    f"the offset of {log.home} cannot be changed: {error}", code="seglog.offset"
                ) from error
        return True


class SegLogSinkTask(SinkTask):
    """Records wait in memory until offsets are committed, or there are many."""

    def __init__(self):
        self._logs = {}

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._directory = Path(config["log.directory"])
        self._segment = config["log.segment.bytes"]
        self._buffer = config["log.buffer.bytes"]
        self._logs = {}

    def open(self, partitions):
        for place in partitions:
            self._logs.pop(place, None)
            log = self._log(place)
            if log.next != KAFKA:
                self.context.offset({place: log.next})

    def put(self, records):
        reporter = self.context.errant_record_reporter()
        for record in records:
            place = TopicPartition(record.original_topic, record.original_kafka_partition)
            log = self._log(place)
            if record.original_kafka_offset < log.next:
                continue
            try:
                log.waiting += _frame(record)
            except DataError as error:
                if reporter is None:
                    raise
                reporter.report(record, error).result()
            log.next = record.original_kafka_offset + 1
        for log in self._logs.values():
            if len(log.waiting) >= self._buffer:
                self._commit(log)

    def flush(self, offsets):
        for log in self._logs.values():
            self._commit(log)

    def close(self, partitions):
        for place in partitions:
            self._logs.pop(place, None)

    def stop(self):
        self._logs = {}

    def _log(self, place):
        if place not in self._logs:
            log = _Log(self._directory, place)
            try:
                log.read()
            except OSError as error:
                raise self._failure(log, error) from error
            self._logs[place] = log
        return self._logs[place]

    def _commit(self, log):
        try:
            log.commit(self._segment)
        except OSError as error:
            raise self._failure(log, error) from error

    def _failure(self, log, error):
        permanent = isinstance(error, PermissionError | FileNotFoundError | NotADirectoryError)
        return (ConnectError if permanent else RetriableError)(
            f"the log {log.home} cannot be used: {error}",
            code="seglog.log",
            facts={"log": str(log.home)},
        )


@dataclass
class _Log:
    """The log of a partition: what is durable, and what waits."""

    directory: Path
    place: TopicPartition
    entry: tuple[int, int, int] = (1, 0, KAFKA)
    next: int = KAFKA
    waiting: bytearray = field(default_factory=bytearray)
    tried: tuple[int, int, int] | None = None

    @property
    def home(self):
        return self.directory / f"{quote(self.place.topic, safe='')}-{self.place.partition}"

    def read(self):
        """Find where the log goes on."""
        self.entry, _ = self._last_entry()
        self.next = self.entry[2]

    def commit(self, segment_bytes):
        """Write what waits, then the index; both again if that was interrupted."""
        if self.next == self.entry[2] and not self.waiting:
            return
        self.home.mkdir(exist_ok=True)
        with (self.home / "index").open("a+b", buffering=0) as index:
            fcntl.flock(index, fcntl.LOCK_EX)
            present, end = self._last_entry()
            if present == self.tried:
                self._settle()
            if present != self.entry:
                raise ConnectError(
                    f"the log {self.home} is written by another task, too",
                    code="seglog.fenced",
                    hint="restart the task, so that it goes on behind what the other one wrote",
                )
            number, size, _ = self.entry
            if segment_bytes and size >= segment_bytes:
                number, size = number + 1, 0
            if self.waiting:
                size = self._append(number, size)
            entry = number, size, self.next
            self._note(index.fileno(), entry, end)
        self.entry = entry
        self.waiting = bytearray()

    def _settle(self):
        """The entry that was in doubt is there: what it says need not be written again."""
        number, size, _ = self.tried
        before = self.entry[1] if number == self.entry[0] else 0
        self.entry, self.tried = self.tried, None
        del self.waiting[: size - before]

    def _note(self, index, entry, end):
        """Add an entry to the index, or leave the index as it was."""
        os.ftruncate(index, end)
        try:
            packed = _packed(entry)
            if os.write(index, packed) < len(packed):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(index)
            self._sync(self.home)
            self._sync(self.directory)
        except OSError as error:
            try:
                os.ftruncate(index, end)
            except OSError:
                self.tried = entry  # it may be there or not, which the next attempt sees
            raise error

    def _append(self, number, size):
        """Write behind what is good; returns the new size."""
        path = self.home / f"{number:08d}.seg"
        path.touch()
        with path.open("r+b") as file:
            file.truncate(size)
            file.seek(size)
            file.write(self.waiting)
            file.flush()
            os.fsync(file.fileno())
        return size + len(self.waiting)

    def _last_entry(self):
        """The last entry that is whole, and where it ends; a log begins with segment 1."""
        try:
            data = (self.home / "index").read_bytes()
        except FileNotFoundError:
            if not self.directory.is_dir():
                raise
            return (1, 0, KAFKA), 0
        end = len(data) - len(data) % ENTRY.size
        while end:
            *entry, check = ENTRY.unpack_from(data, end - ENTRY.size)
            if _packed(entry) == data[end - ENTRY.size : end]:
                return tuple(entry), end
            end -= ENTRY.size
        return (1, 0, KAFKA), 0

    def _sync(self, directory):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _packed(entry):
    """An entry of the index, with its checksum."""
    check = zlib.crc32(ENTRY.pack(*entry, 0))
    return ENTRY.pack(*entry, check)


def _frame(record):
    """A record as bytes, with its length and its checksum."""
    topic = record.topic.encode()
    time = NO_TIME if record.timestamp is None else record.timestamp
    content = b"".join(
        [
            HEAD.pack(record.original_kafka_offset, time, len(topic)),
            topic,
            *_part(record.key, "key", record),
            *_part(record.value, "value", record),
        ]
    )
    return FRAME.pack(len(content), zlib.crc32(content)) + content


def _part(value, what, record):
    """A value as its kind, its length and its bytes."""
    try:
        kind, data = _encoded(value)
    except (struct.error, UnicodeEncodeError, TypeError) as error:
        raise DataError(
            f"the {what} of {record.original_topic}-{record.original_kafka_partition}"
            f"@{record.original_kafka_offset} cannot be logged: {type(value).__name__}: {error}",
            code="seglog.value",
            hint="use converters for texts, bytes, numbers or truth values",
        ) from error
    return PART.pack(kind, len(data)), data


def _encoded(value):
    match value:
        case None:
            return NULL, b""
        case bool():
            return TRUTH, b"\1" if value else b"\0"
        case int():
            return LONG, struct.pack(">q", value)
        case float():
            return DOUBLE, struct.pack(">d", value)
        case str():
            return TEXT, value.encode()
        case bytes():
            return BYTES, value
    raise TypeError("there is no kind for it")
