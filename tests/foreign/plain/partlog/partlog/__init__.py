"""Writes records to files of JSON lines, one or more for each topic partition."""

from __future__ import annotations

import contextlib
import errno
import json
import logging
import math
import os
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

VERSION = "1.0.3"
LOG = logging.getLogger(__name__)
TRANSIENT = {errno.EAGAIN, errno.EBUSY, errno.EDQUOT, errno.EINTR, errno.EIO, errno.ENOSPC}
TRANSIENT |= {errno.EMFILE, errno.ENFILE, errno.ESTALE, errno.ETIMEDOUT}
CONFIG = (
    ConfigDef()
    .define(
        "log.directory",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Directory of the files; it has to exist.",
    )
    .define(
        "log.max.records",
        ConfigType.INT,
        default=1000,
        importance=Importance.MEDIUM,
        validator=Range.at_least(1),
        documentation="The most records of a partition that are held in memory, and in one file.",
    )
    .define(
        "log.sync",
        ConfigType.BOOLEAN,
        default=True,
        importance=Importance.LOW,
        documentation="Whether files have to be on the disk before offsets are committed.",
    )
)


@dataclass
class Part:
    """What is to be written of a partition."""

    first: int = -1
    last: int = -1
    lines: list[str] = field(default_factory=list)

    def add(self, offset, line):
        if not self.lines:
            self.first = offset
        self.last = offset
        self.lines.append(line)


class PartLogSinkConnector(SinkConnector):
    """Each partition has files of its own, so there may be any number of tasks."""

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
        return PartLogSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass


class PartLogSinkTask(SinkTask):
    """Holds lines until offsets are committed, or until there are enough for a file.

    A file is written under another name and then renamed, so whoever lists the directory sees
    complete files only. The name has the first and the last offset: when records come again after
    a crash, the same records replace the same file.
    """

    def __init__(self):
        self._parts = {}

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._directory = Path(config["log.directory"])
        self._most = config["log.max.records"]
        self._sync = config["log.sync"]
        self._parts = {}
        self._failure = None

    def put(self, records):
        if self._failure is not None:
            raise self._failure
        for place, part in self._parts.items():  # before anything of this batch is taken
            if len(part.lines) >= self._most:
                self._write(place, part)
        taken = []
        for record in records:
            try:
                taken.append((record, _line(record)))
            except DataError as error:
                reporter = self.context.errant_record_reporter()
                if reporter is None:
                    raise
                reporter.report(record, error)
        for record, line in taken:
            place = TopicPartition(record.original_topic, record.original_kafka_partition)
            part = self._parts.setdefault(place, Part())
            part.add(record.original_kafka_offset, line)

    def pre_commit(self, offsets):
        """Offsets of the partitions whose records are in files; others can be tried again."""
        safe = {}
        for place, offset in offsets.items():
            part = self._parts.get(place)
            if part is not None and part.lines:
                try:
                    self._write(place, part)
                except RetriableError as error:
                    LOG.warning("%s, so the offset of %s is not committed", error, place)
                    continue
                except ConnectError as error:
                    self._failure = error
                    self._parts.clear()
                    raise
            safe[place] = offset
        return safe

    def close(self, partitions):
        for place in partitions:
            self._parts.pop(place, None)

    def stop(self):
        self._parts.clear()

    def _write(self, place, part):
        topic = quote(place.topic, safe="")
        name = f"{topic}+{place.partition}+{part.first:020d}-{part.last:020d}.jsonl"
        draft = self._directory / f".{name}.{os.getpid()}.draft"
        try:
            try:
                with draft.open("w", encoding="ascii", newline="\n") as file:
                    file.writelines(part.lines)
                    file.flush()
                    if self._sync:
                        os.fsync(file.fileno())
                draft.replace(self._directory / name)
                if self._sync:
                    self._sync_directory()
            finally:
                with contextlib.suppress(OSError):
                    draft.unlink(missing_ok=True)
        except OSError as error:
            raise (RetriableError if error.errno in TRANSIENT else ConnectError)(
                f"cannot write {name} to {self._directory}: {error}",
                code="partlog.file",
                facts={"directory": str(self._directory)},
            ) from error
        part.lines = []

    def _sync_directory(self):
        held = os.open(self._directory, os.O_RDONLY)
        try:
            os.fsync(held)
        finally:
            os.close(held)


def _line(record):
    content = {
        "topic": record.topic,
        "offset": record.original_kafka_offset,
        "timestamp": record.timestamp,
        "key": _plain(record.key, record),
        "value": _plain(record.value, record),
    }
    return json.dumps(content, allow_nan=False) + "\n"


def _plain(value, record):
    """A value as JSON has it."""
    match value:
        case None | bool() | int() | str():
            return value
        case float() if math.isfinite(value):
            return value
        case list() | tuple():
            return [_plain(each, record) for each in value]
        case dict() if all(isinstance(name, str) for name in value):
            return {name: _plain(each, record) for name, each in value.items()}
    raise DataError(
        f"JSON has no {type(value).__name__} such as in the record at {record.original_topic}-"
        f"{record.original_kafka_partition}@{record.original_kafka_offset}",
        code="partlog.value",
        facts={"type": type(value).__name__},
    )
