"""Packs records into tar files, one member a record, when there are enough or they are old enough.

Until then records wait in memory, and their offsets are not committed: a partition goes on at the
first record that waits. A file appears under its name when it is complete.
"""

# ruff: noqa: D102  # the methods are those of the contract

from __future__ import annotations

import io
import os
import tarfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from plugwright import (
    ConfigDef,
    ConfigType,
    DataError,
    Importance,
    NonEmptyString,
    Range,
    RetriableError,
    SinkConnector,
    SinkTask,
    TopicPartition,
)

VERSION = "2.0.1"
CONFIG = (
    ConfigDef()
    .define(
        "tar.directory",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Directory that receives the files.",
    )
    .define(
        "tar.records",
        ConfigType.INT,
        default=1000,
        validator=Range.between(1, 10000),
        documentation="With how many records of a partition a file is written.",
    )
    .define(
        "tar.age.ms",
        ConfigType.INT,
        default=60000,
        validator=Range.between(1, 3600000),
        documentation="After how long a file is written with fewer records.",
    )
)


@dataclass
class Waiting:
    """Records of a partition that are in no file yet, and the offset behind the last one seen."""

    seen: int = -1
    since: float = 0.0
    members: list[tuple[int, tarfile.TarInfo, bytes]] = field(default_factory=list)

    @property
    def durable(self):
        """The offset at which the partition would have to go on now."""
        return self.members[0][0] if self.members else self.seen


class TarPackSinkConnector(SinkConnector):
    """Kafka divides the partitions among the tasks."""

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
        return TarPackSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass


class TarPackSinkTask(SinkTask):
    """A worker calls put without records, too, which is when the age of files counts."""

    def __init__(self):
        self._lock = threading.Lock()
        self._partitions = {}

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._directory = Path(config["tar.directory"])
        self._most = config["tar.records"]
        self._age = config["tar.age.ms"] / 1000

    def put(self, records):
        reporter = self.context.errant_record_reporter() if records else None
        with self._lock:
            for record in records:
                self._add(record, reporter)
            self._write_aged()

    def pre_commit(self, offsets):
        with self._lock:
            self._write_aged()
            known = self._partitions
            return {place: known[place].durable for place in offsets if place in known}

    def close(self, partitions):
        with self._lock:
            for place in partitions:
                self._partitions.pop(place, None)

    def stop(self):
        with self._lock:
            self._partitions.clear()

    def _add(self, record, reporter):
        """Let a record wait, unless it does already because the batch comes again."""
        place = TopicPartition(record.original_topic, record.original_kafka_partition)
        waiting = self._partitions.setdefault(place, Waiting())
        if record.original_kafka_offset < waiting.seen:
            return
        if len(waiting.members) >= self._most:  # the file could not be written before
            self._write(place, waiting)
        try:
            member = _member(record)
        except DataError as error:
            if reporter is None:
                raise
            reporter.report(record, error)
        else:
            if not waiting.members:
                waiting.since = time.monotonic()
            waiting.members.append((record.original_kafka_offset, *member))
        waiting.seen = record.original_kafka_offset + 1
        if len(waiting.members) >= self._most:
            self._write(place, waiting)

    def _write_aged(self):
        now = time.monotonic()
        for place, waiting in self._partitions.items():
            if waiting.members and now - waiting.since >= self._age:
                self._write(place, waiting)

    def _write(self, place, waiting):
        """Write a file under another name, and rename it when it is complete."""
        first, last = waiting.members[0][0], waiting.members[-1][0]
        name = f"{quote(place.topic, safe='')}+{place.partition}+{first:020d}-{last:020d}.tar"
        path = self._directory / name
        hidden = path.with_name(f".{name}.{os.getpid()}-{id(self)}")
        try:
            with hidden.open("wb") as file:
                with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as archive:
                    for _, info, data in waiting.members:
                        archive.addfile(info, io.BytesIO(data))
                file.flush()
                os.fsync(file.fileno())
            hidden.replace(path)
        except OSError as error:
            _remove(hidden)
            raise RetriableError(
                f"cannot write {name} in {self._directory}: {error}",
                code="tarpack.write",
                facts={"directory": str(self._directory)},
            ) from error
        waiting.members = []


def _remove(path):
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return  # the error that led here says more


def _member(record):
    """A record as a member of a file: its name has the offset, its kind is in a header."""
    match record.value:
        case str():
            kind, data = "text", _encoded(record)
        case bytes():
            kind, data = "bytes", record.value
        case other:
            raise DataError(
                f"a member is text or bytes, found {type(other).__name__} at {_where(record)}",
                code="tarpack.value",
                hint="set value.converter to StringConverter or ByteArrayConverter",
            )
    info = tarfile.TarInfo(f"{record.original_kafka_offset:020d}")
    info.size = len(data)
    info.pax_headers = {"PLUGWRIGHT.kind": kind, "PLUGWRIGHT.topic": record.topic}
    if record.timestamp is not None:
        info.pax_headers["PLUGWRIGHT.time"] = str(record.timestamp)
        info.mtime = max(record.timestamp // 1000, 0)
    return info, data


def _encoded(record):
    try:
        return record.value.encode()
    except UnicodeEncodeError as error:
        raise DataError(
            f"the text at {_where(record)} cannot be written: {error.reason}", code="tarpack.value"
        ) from error


def _where(record):
    return (
        f"{record.original_topic}-{record.original_kafka_partition}@{record.original_kafka_offset}"
    )
