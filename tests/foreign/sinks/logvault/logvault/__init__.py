"""An append-only log for each partition; a manifest says how much of it counts."""

from __future__ import annotations

import base64
import datetime as dt
import json
import os
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
    SinkConnector,
    SinkTask,
    TopicPartition,
)

VERSION = "0.4.0"
CONFIG = (
    ConfigDef()
    .define(
        "directory",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Directory of the logs.",
    )
    .define(
        "buffer.records",
        ConfigType.INT,
        default=1000,
        validator=Range.at_least(1),
        documentation="Records that are kept in memory before they are written.",
    )
)


class VaultSinkConnector(SinkConnector):
    """Each partition has files of its own, so that any number of tasks may write."""

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
        return VaultSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass


class Log:
    """The log of one partition, as far as its manifest goes."""

    def __init__(self, directory, place):
        name = f"{quote(place.topic, safe='')}-{place.partition}"
        self._data = directory / (name + ".log")
        self._manifest = directory / (name + ".manifest")
        self.waiting = []
        self.next, self._length = self._published()
        self._intended = None
        self._file = os.open(self._data, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o666)
        os.ftruncate(self._file, self._length)

    def _published(self):
        if not self._manifest.exists():
            return None, 0
        manifest = json.loads(self._manifest.read_bytes())
        return manifest["next"], manifest["length"]

    def write(self):
        """Make what waits durable, all or nothing."""
        if not self.waiting:
            return
        published = self._published()
        if published == self._intended:  # by an attempt that failed after that
            self._go_on()
            self.waiting = [each for each in self.waiting if each[0] >= self.next]
            return self.write()
        if published != (self.next, self._length):
            raise ConnectError(
                f"{self._manifest} was moved on by another task", code="logvault.fenced"
            )
        data = b"".join(line for _, line in self.waiting)
        rest, position = memoryview(data), self._length
        while rest:
            written = os.pwrite(self._file, rest, position)
            rest, position = rest[written:], position + written
        os.fsync(self._file)
        following = self.waiting[-1][0] + 1
        self._intended = following, position
        self._publish(following, position)
        self._go_on()
        self.waiting = []

    def _go_on(self):
        """The manifest is the intended one."""
        (self.next, self._length), self._intended = self._intended, None

    def _publish(self, following, length):
        temporary = self._manifest.with_suffix(".tmp")
        try:
            with temporary.open("wb") as file:
                file.write(json.dumps({"next": following, "length": length}).encode())
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(self._manifest)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        directory = os.open(self._manifest.parent, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)

    def close(self):
        descriptor, self._file = self._file, None
        if descriptor is not None:
            os.close(descriptor)


class VaultSinkTask(SinkTask):
    """Goes on from the manifests, whatever Kafka believes."""

    def __init__(self):
        self._logs = {}

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._directory = Path(config["directory"])
        self._limit = config["buffer.records"]
        self._logs = {}

    def open(self, partitions):
        positions = {}
        try:
            for place in partitions:
                self._close(place)
                log = self._logs[place] = Log(self._directory, place)
                if log.next is not None:
                    positions[place] = log.next
        except OSError as error:
            raise self._failure(error) from error
        self.context.offset(positions)

    def put(self, records):
        entries = [(record, _entry(record)) for record in records]
        try:
            for record, line in entries:
                place = TopicPartition(record.original_topic, record.original_kafka_partition)
                log = self._logs[place]
                last = log.waiting[-1][0] + 1 if log.waiting else log.next
                if last is not None and record.original_kafka_offset < last:
                    continue
                log.waiting.append((record.original_kafka_offset, line))
                if len(log.waiting) >= self._limit:
                    log.write()
        except OSError as error:
            raise self._failure(error) from error

    def pre_commit(self, offsets):
        try:
            for log in self._logs.values():
                log.write()
        except OSError as error:
            raise self._failure(error) from error
        return {
            place: self._logs[place].next
            for place in offsets
            if place in self._logs and self._logs[place].next is not None
        }

    def close(self, partitions):
        for place in partitions:
            self._close(place)

    def stop(self):
        for place in list(self._logs):
            self._close(place)

    def _close(self, place):
        log = self._logs.pop(place, None)
        if log is not None:
            log.close()

    def _failure(self, error):
        return ConnectError(
            f"cannot write to {self._directory}: {error}",
            code="logvault.write",
            facts={"directory": str(self._directory)},
        )


def _entry(record):
    entry = {
        "offset": record.original_kafka_offset,
        "time": record.timestamp,
        "value": _stored(record.value, record),
    }
    return json.dumps(entry).encode("ascii") + b"\n"


def _stored(value, record):
    if value is None:
        return None
    if isinstance(value, bool):
        return ["boolean", "true" if value else "false"]
    if isinstance(value, str):
        return ["string", value]
    if isinstance(value, int):
        return ["int", str(value)]
    if isinstance(value, float):
        return ["float", repr(value)]
    if isinstance(value, bytes | bytearray):
        return ["bytes", base64.b64encode(value).decode()]
    if isinstance(value, Decimal):
        return ["decimal", str(value)]
    if isinstance(value, dt.datetime):
        return ["timestamp", value.astimezone(dt.UTC).isoformat()]
    raise DataError(
        f"a vault takes single values, found {type(value).__name__} at {record.original_topic}-"
        f"{record.original_kafka_partition}@{record.original_kafka_offset}",
        code="logvault.value",
    )
