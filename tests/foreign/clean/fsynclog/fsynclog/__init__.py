"""Append-only log files, one for each topic partition, written by a thread in the background.

``put`` only queues. The thread appends what is queued every ``log.linger.ms`` and calls fsync.
``flush`` waits until the queue is empty, so offsets are committed for records on the disk only.
A line is ``{"o": offset, "t": timestamp, "v": value}``.
"""

import fcntl
import json
import os
import re
import threading
from collections import defaultdict

from plugwright import (
    ConfigDef, ConfigType, ConnectError, DataError, Importance, NonEmptyString, Range,
    RetriableError, SinkConnector, SinkTask, TopicPartition,
)  # fmt: skip


class Settings:
    DIRECTORY = "log.directory"
    LINGER = "log.linger.ms"
    QUEUE = "log.queue.max"
    WAIT = "log.flush.timeout.ms"

    definition = ConfigDef()
    definition.define(
        DIRECTORY, ConfigType.STRING, importance=Importance.HIGH, validator=NonEmptyString(),
        documentation="Directory of the logs. It has to exist; a missing one counts as not mounted"
        " yet, and is waited for.",
    )
    definition.define(
        LINGER, ConfigType.INT, 200, Importance.MEDIUM,
        "Milliseconds that records may wait for others before they are written together.",
        validator=Range.between(1, 60_000),
    )
    definition.define(
        QUEUE, ConfigType.INT, 50_000, Importance.LOW,
        "Records that may be queued; more are only taken when some have been written.",
        validator=Range.at_least(1),
    )
    definition.define(
        WAIT, ConfigType.INT, 10_000, Importance.LOW,
        "Milliseconds that a commit of offsets waits for the disk before it is given up.",
        validator=Range.at_least(100),
    )

    def __init__(self, props):
        parsed = self.definition.parse(props)
        self.directory = parsed[self.DIRECTORY]
        self.linger = parsed[self.LINGER] / 1000
        self.queue_max = parsed[self.QUEUE]
        self.flush_timeout = parsed[self.WAIT] / 1000


class FsyncLogSinkConnector(SinkConnector):
    def version(self):
        return "0.7"

    def config(self):
        return Settings.definition

    def start(self, props):
        Settings(props)
        self.props = dict(props)

    def task_class(self):
        return FsyncLogSinkTask

    def task_configs(self, max_tasks):
        return [self.props.copy() for _ in range(max_tasks)]

    def stop(self):
        pass


class FsyncLogSinkTask(SinkTask):
    def __init__(self):
        self.changed = threading.Condition()
        self.thread = None
        self.reset()

    def reset(self):
        self.queued = defaultdict(list)  # TopicPartition -> topics and lines
        self.accepted = {}  # TopicPartition -> offset after the last one queued
        self.error = None
        self.failures = 0
        self.writing = self.hurry = False
        self.stopping = False

    def version(self):
        return "0.7"

    def start(self, props):
        self.settings = Settings(props)
        self.reset()
        self.thread = threading.Thread(target=self.run, name="fsynclog", daemon=True)
        self.thread.start()

    def put(self, records):
        lines, bad = [], []
        for record in records:
            place = TopicPartition(record.original_topic, record.original_kafka_partition)
            try:
                line = record.topic, to_line(record)
                lines.append((place, record.original_kafka_offset, line))
            except DataError as error:
                bad.append((record, error))
        reporter = self.context.errant_record_reporter() if bad else None
        if bad and reporter is None:
            raise bad[0][1]
        with self.changed:
            if self.error is not None:
                raise self.error
            if self.count() and self.count() + len(lines) > self.settings.queue_max:
                self.hurry = True
                self.changed.notify_all()
                raise RetriableError("the queue is full, the disk is slow", code="fsynclog.full")
            for place, offset, line in lines:
                # a batch that comes again after a failed commit may be in the queue still
                if offset >= self.accepted.get(place, 0):
                    self.queued[place].append(line)
                    self.accepted[place] = offset + 1
            self.changed.notify_all()
        for record, error in bad:
            reporter.report(record, error)

    def flush(self, offsets):
        with self.changed:
            before = self.failures
            self.hurry = True
            self.changed.notify_all()
            self.changed.wait_for(
                lambda: not self.queued or self.failures > before or self.stopping,
                self.settings.flush_timeout,
            )
            if self.queued:
                raise self.error or RetriableError(
                    f"{self.count()} records are not on the disk yet", code="fsynclog.slow"
                )

    def open(self, partitions):
        with self.changed:
            for place in partitions:
                self.accepted.pop(place, None)

    def close(self, partitions):
        with self.changed:
            self.changed.wait_for(lambda: not self.writing, 0.9)
            for place in partitions:
                self.queued.pop(place, None)
                self.accepted.pop(place, None)
            if not self.queued:
                self.error = None if isinstance(self.error, RetriableError) else self.error

    def stop(self):
        with self.changed:
            self.stopping = True
            self.changed.notify_all()
        if self.thread is not None:
            self.thread.join(0.9)
            self.thread = None

    def count(self):
        return sum(map(len, self.queued.values()))

    # -- the thread ----------------------------------------------------------------------------

    def run(self):
        while True:
            with self.changed:
                self.changed.wait_for(lambda: self.queued or self.stopping)
                self.changed.wait_for(lambda: self.hurry or self.stopping, self.settings.linger)
                if self.stopping:
                    return
                self.hurry = False
                batch = {place: list(lines) for place, lines in self.queued.items()}
                self.writing = True
            error = None
            for place, lines in batch.items():
                try:
                    self.append(place, lines)
                except Exception as raised:  # whatever it is, put and flush have to tell
                    error = as_connect_error(raised, self.settings.directory)
                    break
                with self.changed:
                    rest = self.queued.get(place, [])[len(lines) :]
                    if rest:
                        self.queued[place] = rest
                    else:
                        self.queued.pop(place, None)
            with self.changed:
                self.writing = False
                self.error = error
                self.failures += error is not None
                self.changed.notify_all()

    def append(self, place, pairs):
        by_topic = defaultdict(list)  # a transformation may have sent records to several
        for topic, line in pairs:
            by_topic[topic].append(line)
        for topic, lines in by_topic.items():
            self.append_to(f"{re.sub('[^A-Za-z0-9._-]', '_', topic)}-{place.partition}.log", lines)

    def append_to(self, name, lines):
        path = os.path.join(self.settings.directory, name)
        fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            size = whole_lines(fd)
            if size == 0:
                self.sync_directory()  # the file may be new
            try:
                data = memoryview("".join(lines).encode("ascii"))
                while data:
                    data = data[os.write(fd, data) :]
                os.fsync(fd)
            except OSError:
                os.ftruncate(fd, size)
                raise
        finally:
            os.close(fd)

    def sync_directory(self):
        fd = os.open(self.settings.directory, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def whole_lines(fd):
    """Cut off half a line that a crash has left, and return the size."""
    size = end = os.fstat(fd).st_size
    while end and os.pread(fd, 1, end - 1) != b"\n":
        end -= 1
    if end < size:
        os.ftruncate(fd, end)
    return end


def to_line(record):
    value = record.value
    if not (value is None or isinstance(value, (str, bool, int, float))):
        raise DataError(
            f"{record.original_topic}-{record.original_kafka_partition}"
            f"@{record.original_kafka_offset}: a log takes text, numbers and booleans,"
            f" not {type(value).__name__}",
            code="fsynclog.type",
        )
    # NaN and the infinities are written as Python's json module writes them
    return json.dumps({"o": record.original_kafka_offset, "t": record.timestamp, "v": value}) + "\n"


def as_connect_error(error, directory):
    lasting = (PermissionError, NotADirectoryError, IsADirectoryError)
    kind = ConnectError if isinstance(error, lasting) else RetriableError
    if not isinstance(error, OSError):
        kind = ConnectError
    made = kind(f"cannot append in {directory}: {error}", code="fsynclog.append")
    made.__cause__ = error
    return made
