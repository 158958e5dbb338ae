"""Writes the records of each partition to files of its own, and an index of them, exactly once.

A file counts when the index names it. The index says at which offset the next file begins, and
there a task resumes. Who opens a partition becomes its owner; a former owner writes no more.
"""

from __future__ import annotations

import base64
import errno
import fcntl
import json
import math
import os
import threading
import time
import uuid
from contextlib import contextmanager
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
    Struct,
    TopicPartition,
)

VERSION = "2.0.3"
LASTING = {
    errno.ENOENT,
    errno.ENOTDIR,
    errno.EISDIR,
    errno.EACCES,
    errno.EPERM,
    errno.EROFS,
    errno.ENAMETOOLONG,
}
TAIL = 4096

CONFIG = (
    ConfigDef()
    .define(
        "files.directory",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyStringWithoutControlChars(),
        documentation="Directory for the files; it has to exist.",
    )
    .define(
        "file.max.records",
        ConfigType.INT,
        default=1000,
        importance=Importance.MEDIUM,
        validator=Range.between(1, 100_000),
        documentation="Records after which a file is complete, without waiting for a commit.",
    )
    .define(
        "lock.timeout.ms",
        ConfigType.INT,
        default=5000,
        importance=Importance.LOW,
        validator=Range.between(0, 60_000),
        documentation="How long to wait while another task writes to the same partition.",
    )
)


class PartFilesSinkConnector(SinkConnector):
    """Any number of tasks write, each to the partitions that it owns."""

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
        return PartFilesSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass


class PartFilesSinkTask(SinkTask):
    """Files are open only while they are written, so that stop has nothing to close."""

    def __init__(self):
        self._lock = threading.RLock()
        self._parts = {}

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._directory = config["files.directory"]
        self._most = config["file.max.records"]
        self._patience_s = config["lock.timeout.ms"] / 1000

    def open(self, partitions):
        with self._lock:
            resume = {}
            for place in partitions:
                part = self._take(TopicPartition(*place))
                if part.next is not None:
                    resume[place] = part.next
        self.context.offset(resume)

    def close(self, partitions):
        with self._lock:
            for place in partitions:
                self._parts.pop(place, None)

    def put(self, records):
        reporter = self.context.errant_record_reporter()
        with self._lock:
            for record in records:
                place = TopicPartition(record.original_topic, record.original_kafka_partition)
                part = self._parts.get(place) or self._take(place)
                part.check()
                if part.next is not None and record.original_kafka_offset < part.next:
                    continue  # it is in a file, or it waits here since the batch came first
                try:
                    part.add(record, _line(record))
                except DataError as error:
                    if reporter is None:
                        raise
                    part.skip(record, reporter.report(record, error))
                if len(part.lines) >= self._most:
                    part.publish()

    def flush(self, offsets):
        with self._lock:
            for part in self._parts.values():
                part.publish()

    def stop(self):
        with self._lock:
            self._parts.clear()

    def _take(self, place):
        part = _Part(self._directory, place, self._patience_s)
        part.own()
        self._parts[place] = part
        return part


class _Part:
    """The files of one partition, and the lines that wait for the next one.

    ``next`` is the offset behind all records that were taken, ``None`` before the first.
    """

    def __init__(self, directory, place, patience_s):
        self._topic = os.path.join(directory, quote(place.topic, safe=""))
        self._home = os.path.join(self._topic, str(place.partition))
        self._patience_s = patience_s
        self._token = uuid.uuid4().hex
        self._fenced = False
        self._clear()
        self.next = None

    def own(self):
        """Become the owner, and find out where to resume."""
        with self._reporting("taken over"):
            for path in (self._topic, self._home):
                try:
                    os.mkdir(path)
                except FileExistsError:
                    pass
            with self._locked():
                _replace(os.path.join(self._home, "owner"), self._token.encode())
                _, self.next = self._end()

    def add(self, record, line):
        self.lines.append((record.original_kafka_offset, line))
        self.next = record.original_kafka_offset + 1

    def skip(self, record, report):
        """Leave out a record that was reported."""
        self._reports.append(report)
        self.next = record.original_kafka_offset + 1

    def publish(self):
        """Make everything durable that was taken."""
        self.check()
        for report in self._reports:
            report.result()  # the index must not get ahead of the dead letter queue
        if self.lines or self._reports:
            with self._reporting("written"), self._locked():
                self._write()
            self._clear()

    def _write(self):
        with open(os.path.join(self._home, "owner"), "rb") as file:
            if file.read().decode() != self._token:
                self._fenced = True
                self.check()
        size, stored = self._end()
        stored = 0 if stored is None else stored
        if stored >= self.next:
            return  # an attempt before this one got through, though it failed for the task
        lines = [(offset, line) for offset, line in self.lines if offset >= stored]
        name = None
        if lines:
            name = f"{lines[0][0]:020d}.jsonl"
            _replace(os.path.join(self._home, name), "".join(line for _, line in lines).encode())
        entry = {"file": name, "count": len(lines), "next": self.next}
        with open(os.path.join(self._home, "index"), "ab") as file:
            file.truncate(size)
            file.write(json.dumps(entry).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        _sync_directory(self._home)

    def _end(self):
        """The size of the index up to its last whole line, and the offset that this line has."""
        try:
            with open(os.path.join(self._home, "index"), "rb") as file:
                os.fsync(file.fileno())  # a line that is believed has to stay
                size = file.seek(0, os.SEEK_END)
                file.seek(max(size - TAIL, 0))
                tail = file.read()
        except FileNotFoundError:
            return 0, None
        whole = tail.rfind(b"\n") + 1
        if not whole:
            return 0, None
        last = tail[:whole].splitlines()[-1]
        return size - len(tail) + whole, json.loads(last)["next"]

    def check(self):
        """Raise if another task has become the owner."""
        if self._fenced:
            raise ConnectError(
                f"{self._home} belongs to another task by now",
                code="partfiles.fenced",
                facts={"directory": self._home},
            )

    def _clear(self):
        self.lines, self._reports = [], []

    @contextmanager
    def _locked(self):
        """Keep others from the partition; the lock ends with the process at the latest."""
        with open(os.path.join(self._home, "lock"), "ab") as file:
            deadline = time.monotonic() + self._patience_s
            while True:
                try:
                    fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() >= deadline:
                        raise
                    time.sleep(0.01)
            yield

    @contextmanager
    def _reporting(self, verb):
        try:
            yield
        except OSError as error:
            kind = ConnectError if error.errno in LASTING else RetriableError
            raise kind(
                f"{self._home} cannot be {verb}: {type(error).__name__}: {error}",
                code="partfiles.file",
                facts={"directory": self._home},
            ) from error
        except (ValueError, KeyError, TypeError) as error:
            raise ConnectError(
                f"the index of {self._home} cannot be read: {error}", code="partfiles.index"
            ) from error


def _replace(path, content):
    """Write a file that is there as a whole or not at all."""
    part = f"{path}.part"
    with open(part, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)
    _sync_directory(os.path.dirname(path))


def _sync_directory(path):
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _line(record):
    where = (
        f"{record.original_topic}-{record.original_kafka_partition}@{record.original_kafka_offset}"
    )
    headers = [
        [
            header.key,
            isinstance(header.value, bytes),
            base64.b64encode(header.value).decode()
            if isinstance(header.value, bytes)
            else _plain(header.value, "header", where),
        ]
        for header in record.headers
    ]
    line = {
        "offset": record.original_kafka_offset,
        "topic": record.topic,
        "key": _plain(record.key, "key", where),
        "value": _plain(record.value, "value", where),
        "time": record.timestamp,
        "headers": headers,
    }
    return json.dumps(line) + "\n"


def _plain(value, what, where):
    """A value as JSON has it."""
    match value:
        case None | bool() | int() | str():
            return value
        case float() if math.isfinite(value):
            return value
        case Struct():
            return _plain(dict(value), what, where)
        case list() | tuple():
            return [_plain(each, what, where) for each in value]
        case dict() if all(isinstance(name, str) for name in value):
            return {name: _plain(each, what, where) for name, each in value.items()}
    raise DataError(
        f"a file cannot hold {type(value).__name__} {str(value)[:60]!r} as the {what} at {where}",
        code="partfiles.value",
        hint="use a converter or a transformation that makes JSON of it",
    )
