"""Binds the records of every topic partition into a scroll, a file that only grows.

A scroll is a series of frames: length, CRC-32, and a JSON object. Each frame has the offset to
continue at, so a scroll always knows exactly which records are in it, and the offsets in Kafka are
of no importance: whoever opens a scroll cuts off half a frame at its end and goes on behind the
last complete one.
"""

from __future__ import annotations

import base64
import errno
import json
import logging
import os
import struct
import threading
import zlib
from concurrent.futures import TimeoutError as ReportTimeout
from urllib.parse import quote

from plugwright import (
    ConfigDef,
    ConfigType,
    ConnectError,
    DataError,
    Importance,
    NonEmptyStringWithoutControlChars,
    Range,
    RetriableError,
    SinkConnector,
    SinkTask,
    TopicPartition,
)

logger = logging.getLogger(__name__)

HEAD = struct.Struct(">II")
LASTING = (FileNotFoundError, NotADirectoryError, IsADirectoryError, PermissionError)

CONFIG = (
    ConfigDef()
    .define(
        "scrolls.directory",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyStringWithoutControlChars(),
        documentation="Directory of the scrolls; it has to exist.",
    )
    .define(
        "report.timeout.ms",
        ConfigType.INT,
        default=60_000,
        importance=Importance.LOW,
        validator=Range.between(1, 600_000),
        documentation="How long to wait until a record that was reported is stored.",
    )
)


class ScrollBindSinkConnector(SinkConnector):
    """Each task writes the scrolls of its own partitions."""

    def __init__(self):
        self._props = {}

    def version(self):
        return "2.0.0"

    def config(self):
        return CONFIG

    def start(self, props):
        CONFIG.parse(props)
        self._props = dict(props)

    def task_class(self):
        return ScrollBindSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass

    def alter_offsets(self, props, offsets):
        """Note in the scrolls where to continue; what is in them stays there."""
        directory = CONFIG.parse(props)["scrolls.directory"]
        for (topic, partition), offset in offsets.items():
            if offset is not None and (type(offset) is not int or offset < 0):
                raise ConnectError(f"{offset!r} is not an offset of {topic}-{partition}")
        for (topic, partition), offset in offsets.items():
            try:
                if offset is None and not _exists(_path(directory, topic, partition)):
                    continue
                scroll = Scroll(directory, topic, partition)
                try:
                    if scroll.next != offset:
                        scroll.append([{"next": offset}])
                        scroll.make_durable()
                finally:
                    scroll.close()
            except OSError as error:
                raise ConnectError(
                    f"the scroll of {topic}-{partition} in {directory} cannot be changed: {error}"
                ) from error
        return True


class Scroll:
    """One file. After an error it has to be closed and opened anew."""

    def __init__(self, directory, topic, partition):
        self.path = _path(directory, topic, partition)
        existed = _exists(self.path)
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        self._dirty = False
        self.next = None
        try:
            if not existed:
                _sync_directory(directory)
            self._end = self._read()
            if os.fstat(self._file).st_size > self._end:
                os.ftruncate(self._file, self._end)
            self.make_durable(always=True)
        except BaseException:
            self.close()
            raise

    def append(self, entries):
        """Write entries behind the others, and remember where to continue."""
        data = b"".join(map(_frame, entries))
        mine, there = os.fstat(self._file), os.stat(self.path)
        if not os.path.samestat(mine, there):
            raise OSError(errno.ESTALE, "the file was moved away", self.path)
        if mine.st_size != self._end:
            raise ConnectError(
                f"{self.path} was changed by another writer",
                code="scrollbind.fenced",
                hint="see to it that only one connector writes to the directory",
                facts={"file": self.path},
            )
        self._dirty = True
        begin, rest = self._end, memoryview(data)
        while rest:
            count = os.pwrite(self._file, rest, begin)
            begin, rest = begin + count, rest[count:]
        self._end = begin
        self.next = entries[-1]["next"]

    def make_durable(self, *, always=False):
        if self._dirty or always:
            os.fsync(self._file)
            self._dirty = False

    def close(self):
        if self._file is not None:
            file, self._file = self._file, None
            os.close(file)

    def _read(self):
        """Find the end of the last complete frame, and what it has."""
        end = 0
        with open(self._file, "rb", closefd=False) as file:
            while len(head := file.read(HEAD.size)) == HEAD.size:
                length, checksum = HEAD.unpack(head)
                content = file.read(length)
                if len(content) < length or zlib.crc32(content) != checksum:
                    break
                self.next = json.loads(content)["next"]
                end += HEAD.size + length
        return end


class ScrollBindSinkTask(SinkTask):
    """Appends in ``put``, makes durable in ``flush``, and seeks in ``open``."""

    def __init__(self):
        self._lock = threading.RLock()
        self._scrolls = {}

    def version(self):
        return "2.0.0"

    def start(self, props):
        config = CONFIG.parse(props)
        self._directory = config["scrolls.directory"]
        self._patience_s = config["report.timeout.ms"] / 1000

    def open(self, partitions):
        begin = {}
        with self._lock:
            for topic, partition in partitions:
                try:
                    scroll = self._scroll(topic, partition)
                except OSError as error:
                    # Records that it has already are left out by ``put``, too.
                    logger.warning("%s cannot be opened yet: %s", self._directory, error)
                    continue
                if scroll.next is not None:
                    begin[TopicPartition(topic, partition)] = scroll.next
        self.context.offset(begin)

    def put(self, records):
        reporter = self.context.errant_record_reporter() if records else None
        with self._lock:
            runs = {}
            for record in records:
                place = record.original_topic, record.original_kafka_partition
                try:
                    entry = _entry(record)
                except DataError as error:
                    if reporter is None:
                        self._append(runs)
                        raise
                    self._append(runs)
                    runs.clear()
                    if self._is_new(place, record.original_kafka_offset):
                        self._report(reporter, record, error)
                        entry = {"next": record.original_kafka_offset + 1}
                        self._append({place: [entry]})
                    continue
                runs.setdefault(place, []).append(entry)
            self._append(runs)

    def flush(self, offsets):
        with self._lock:
            for place, scroll in list(self._scrolls.items()):
                try:
                    scroll.make_durable()
                except OSError as error:
                    # What the system has dropped then is not known, so this is the end.
                    self._forget(place)
                    raise self._failure(ConnectError, place, error) from error

    def close(self, partitions):
        with self._lock:
            for place in partitions:
                self._forget(tuple(place))

    def stop(self):
        with self._lock:
            for place in list(self._scrolls):
                self._forget(place)

    def _scroll(self, topic, partition):
        if (topic, partition) not in self._scrolls:
            self._scrolls[topic, partition] = Scroll(self._directory, topic, partition)
        return self._scrolls[topic, partition]

    def _is_new(self, place, offset):
        try:
            known = self._scroll(*place).next
        except OSError as error:
            raise self._failure(RetriableError, place, error) from error
        return known is None or offset >= known

    def _append(self, runs):
        """Write the entries that are not there yet."""
        for place, entries in runs.items():
            try:
                scroll = self._scroll(*place)
                new = [e for e in entries if scroll.next is None or e["next"] > scroll.next]
                if new:
                    scroll.append(new)
            except OSError as error:
                self._forget(place)
                kind = ConnectError if isinstance(error, LASTING) else RetriableError
                raise self._failure(kind, place, error) from error
            except BaseException:
                self._forget(place)
                raise

    def _report(self, reporter, record, error):
        """Report a record, and wait until that is stored: it does not come again."""
        try:
            reporter.report(record, error).result(self._patience_s)
        except ReportTimeout as late:
            raise RetriableError(
                f"a record that was reported is not stored after {self._patience_s} s: {error}"
            ) from late

    def _forget(self, place):
        scroll = self._scrolls.pop(place, None)
        if scroll is not None:
            scroll.close()

    def _failure(self, kind, place, error):
        topic, partition = place
        return kind(
            f"the scroll of {topic}-{partition} in {self._directory} cannot be written: {error}",
            code="scrollbind.file",
            facts={"directory": self._directory, "topic": topic, "partition": partition},
        )


def _path(directory, topic, partition):
    return os.path.join(directory, f"{quote(topic, safe='')}-{partition}.scroll")


def _exists(path):
    """Whether there is a file; any other error than that there is none is raised."""
    try:
        os.stat(path)
    except FileNotFoundError:
        return False
    return True


def _sync_directory(directory):
    handle = os.open(directory, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _frame(entry):
    content = json.dumps(entry, separators=(",", ":")).encode("ascii")
    return HEAD.pack(len(content), zlib.crc32(content)) + content


def _entry(record):
    """A record as a frame has it.

    Raises:
        DataError: if its key or value is of a type that a scroll does not have.
    """
    place = (
        f"{record.original_topic}-{record.original_kafka_partition}@{record.original_kafka_offset}"
    )
    return {
        "next": record.original_kafka_offset + 1,
        "at": record.timestamp,
        "key": _typed(record.key, place),
        "value": _typed(record.value, place),
    }


def _typed(value, place):
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int):
        return {"int": str(value)}
    if isinstance(value, float):
        return {"float": repr(value)}
    if isinstance(value, bytes | bytearray | memoryview):
        return {"bytes": base64.b64encode(value).decode("ascii")}
    if isinstance(value, list):
        return {"list": [_typed(each, place) for each in value]}
    if isinstance(value, dict):
        return {"map": [[_typed(n, place), _typed(each, place)] for n, each in value.items()]}
    raise DataError(
        f"a scroll cannot have {type(value).__name__}, found at {place}",
        code="scrollbind.type",
        hint="convert it with a transformation, or to JSON with the converter",
        facts={"class": type(value).__name__},
    )
