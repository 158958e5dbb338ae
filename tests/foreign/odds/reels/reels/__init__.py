"""Writes binary logs in segments: frames with a length, a checksum and the offset of a record."""

from __future__ import annotations

import contextlib
import datetime as dt
import errno
import fcntl
import os
import struct
import zlib
from decimal import Decimal
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

VERSION = "1.0.0"
TRANSIENT = {errno.EAGAIN, errno.EINTR, errno.EBUSY, errno.ENOSPC, errno.EDQUOT}
FRAME = struct.Struct(">II")  # length of the body, its checksum
HEAD = struct.Struct(">Bq?q")  # whether it holds a record, its offset, its time if it has one
KINDS = (
    (type(None), b"n", lambda value: b""),
    (bool, b"o", lambda value: b"\x01" if value else b"\x00"),
    (int, b"i", lambda value: str(value).encode()),
    (float, b"f", lambda value: struct.pack(">d", value)),
    (str, b"s", lambda value: value.encode("utf-8", "surrogatepass")),
    (bytes | bytearray | memoryview, b"b", bytes),
    (Decimal, b"d", lambda value: str(value).encode()),
    (dt.datetime, b"m", lambda value: value.astimezone(dt.UTC).isoformat().encode()),
    (dt.date, b"a", lambda value: value.isoformat().encode()),
    (dt.time, b"t", lambda value: value.isoformat().encode()),
)
CONFIG = (
    ConfigDef()
    .define(
        "reels.directory",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Directory of the logs; it must exist.",
    )
    .define(
        "segment.bytes",
        ConfigType.INT,
        default=2048,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="The size from which on a segment is not continued.",
    )
)


class ReelsSinkConnector(SinkConnector):
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
        return ReelsSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass


class ReelsSinkTask(SinkTask):
    """What is in a log says where its partition goes on, whatever Kafka knows of it."""

    def __init__(self):
        self._logs = {}

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._directory = Path(config["reels.directory"])
        self._size = config["segment.bytes"]
        self._logs = {}

    def open(self, partitions):
        places = {}
        for place in partitions:
            log = self._log(place)
            if log.next is not None:
                places[place] = log.next
        self.context.offset(places)

    def put(self, records):
        frames = {}
        for record in records:
            place = TopicPartition(record.original_topic, record.original_kafka_partition)
            log = self._log(place)
            if log.next is None or record.original_kafka_offset >= log.next:
                found = frames.setdefault(place, [])
                found.append((record.original_kafka_offset, self._frame(record)))
        for place, found in frames.items():
            try:
                self._logs[place].append(found)
            except OSError as error:
                self._forget([place])
                raise self._failure(place, error) from error

    def flush(self, offsets):
        for place, log in list(self._logs.items()):
            try:
                log.sync()
            except OSError as error:
                self._forget([place])
                raise self._failure(place, error) from error

    def close(self, partitions):
        self._forget(partitions)

    def stop(self):
        self._forget(list(self._logs))

    def _log(self, place):
        if place not in self._logs:
            name = f"{quote(place.topic, safe='')}-{place.partition}"
            try:
                self._logs[place] = _Log(self._directory / name, self._size)
            except OSError as error:
                raise self._failure(place, error) from error
        return self._logs[place]

    def _forget(self, places):
        for place in places:
            if (log := self._logs.pop(place, None)) is not None:
                log.close()

    def _frame(self, record):
        """The frame of a record; one that is reported leaves a frame too, for its offset."""
        kind = 1
        try:
            parts = [record.topic, record.key, record.value]
            for header in record.headers:
                parts += [header.key, header.value]
            content = b"".join(map(_packed, parts))
        except DataError as error:
            reporter = self.context.errant_record_reporter()
            if reporter is None:
                raise
            reporter.report(record, error).result()  # before its offset is in the log
            kind, content = 0, b""
        at = record.timestamp
        offset = record.original_kafka_offset
        body = HEAD.pack(kind, offset, at is not None, at or 0) + content
        return FRAME.pack(len(body), zlib.crc32(body)) + body

    def _failure(self, place, error):
        kind = RetriableError if error.errno in TRANSIENT else ConnectError
        return kind(
            f"cannot write the log of {place.topic}-{place.partition} in {self._directory}: "
            f"{error}",
            code="reels.write",
            facts={"directory": str(self._directory)},
        )


class _Log:
    """The segments of a partition, in which the last frame may be torn after a crash."""

    def __init__(self, directory, size):
        directory.mkdir(exist_ok=True)
        self._directory = directory
        self._size = size
        self._file = None
        self.next = None
        try:
            self._go_on()
        except OSError:
            self.close()
            raise

    def append(self, frames):
        """Write frames at the end, but for those that another task has written meanwhile."""
        with _locked(self._directory):
            if self._is_behind():
                self._go_on()
            rest = [each for each in frames if self.next is None or each[0] >= self.next]
            if rest:
                self._write(rest)

    def _is_behind(self):
        """Whether the log does not end where this task has left it."""
        last = max(self._directory.glob("*.reel"), default=None)
        if self._file is None or last is None:
            return last is not None
        return last.name != Path(self._file.name).name or last.stat().st_size != self._file.tell()

    def _go_on(self):
        """Find the end of the log."""
        self.close()
        self.next = None
        for path in sorted(self._directory.glob("*.reel"), reverse=True):
            self._mend(path)
            if self.next is not None:
                break

    def _write(self, frames):
        if self._file is None or self._file.tell() >= self._size:
            self._turn(frames[0][0])
        content = b"".join(frame for _, frame in frames)
        begin = self._file.tell()
        while content:
            try:
                content = content[self._file.write(content) :]
            except OSError:
                os.truncate(self._file.fileno(), begin)
                raise
        self.next = frames[-1][0] + 1

    def sync(self):
        if self._file is not None:
            os.fsync(self._file.fileno())

    def close(self):
        if self._file is not None:
            self._file.close()
            self._file = None

    def _turn(self, offset):
        self.sync()
        self.close()
        path = self._directory / f"{offset:019d}.reel"
        self._file = path.open("ab", buffering=0)
        directory = os.open(self._directory, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)

    def _mend(self, path):
        """Read the last offset of a segment, cut off what is behind it, and go on there."""
        content = path.read_bytes()
        at = 0
        while at + FRAME.size <= len(content):
            length, checksum = FRAME.unpack_from(content, at)
            body = content[at + FRAME.size : at + FRAME.size + length]
            if len(body) < length or length < HEAD.size or zlib.crc32(body) != checksum:
                break
            self.next = HEAD.unpack_from(body)[1] + 1
            at += FRAME.size + length
        self._file = path.open("ab", buffering=0)
        if at < len(content):
            os.truncate(self._file.fileno(), at)
            self._file.seek(at)
        if at == 0:
            self.close()
            path.unlink()


@contextlib.contextmanager
def _locked(directory):
    """No other task writes here."""
    held = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def _packed(value):
    """A value as a letter for its type, a length, and its bytes."""
    for kind, letter, bytes_of in KINDS:
        if isinstance(value, kind):
            content = bytes_of(value)
            return letter + struct.pack(">I", len(content)) + content
    raise DataError(f"a reel holds plain values, found {type(value).__name__}", code="reels.value")
