"""Writes the records of each partition to files of lines, one file for each commit."""

from __future__ import annotations

import base64
import errno
import json
import os
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
TRANSIENT = {errno.EAGAIN, errno.EINTR, errno.EBUSY}
CONFIG = (
    ConfigDef()
    .define(
        "directory",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Directory that receives the files.",
    )
    .define(
        "segment.records",
        ConfigType.INT,
        default=50,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="A file is written before a commit when it has this many records.",
    )
)


class SiloSinkConnector(SinkConnector):
    """Tasks write to files of their own partitions."""

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
        return SiloSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass

    def alter_offsets(self, props, offsets):
        return True


class SiloSinkTask(SinkTask):
    """Holds the records of each partition until there are enough, or until a commit."""

    def __init__(self):
        self._waiting = {}
        self._durable = {}

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._directory = Path(config["directory"])
        self._limit = config["segment.records"]
        self._waiting = {}
        self._durable = {}

    def put(self, records):
        lines = [self._line(record) for record in records]
        before = {place: list(waiting) for place, waiting in self._waiting.items()}
        try:
            for record, line in zip(records, lines, strict=True):
                place = TopicPartition(record.original_topic, record.original_kafka_partition)
                waiting = self._waiting.setdefault(place, [])
                waiting.append((record.original_kafka_offset, line))
                if len(waiting) >= self._limit:
                    self._write(place)
        except OSError as error:
            self._waiting = before
            raise self._failure(error) from error

    def pre_commit(self, offsets):
        try:
            for place in list(self._waiting):
                self._write(place)
        except OSError as error:  # the worker delivers everything since the last commit again
            self._waiting.clear()
            self._durable.clear()
            raise self._failure(error) from error
        return {place: self._durable[place] for place in offsets if place in self._durable}

    def close(self, partitions):
        for place in partitions:
            self._waiting.pop(place, None)
            self._durable.pop(place, None)

    def stop(self):
        self._waiting.clear()

    def _write(self, place):
        lines = self._waiting.pop(place)
        if not lines:
            return
        first, last = lines[0][0], lines[-1][0]
        name = f"{quote(place.topic, safe='')}+{place.partition}+{first:020d}+{last:020d}"
        temporary = self._directory / (name + ".part")
        try:
            with temporary.open("wb") as file:
                file.write(b"".join(line for _, line in lines))
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(self._directory / (name + ".jsonl"))
            descriptor = os.open(self._directory, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except OSError:
            self._remove(temporary)
            raise
        self._durable[place] = last + 1

    def _remove(self, temporary):
        try:
            temporary.unlink(missing_ok=True)
        except OSError:
            pass

    def _line(self, record):
        if record.value is not None and not isinstance(record.value, str):
            raise DataError(
                f"a silo holds text, found {type(record.value).__name__} at "
                f"{record.original_topic}-{record.original_kafka_partition}"
                f"@{record.original_kafka_offset}",
                code="silo.value",
            )
        headers = [[header.key, _plain(header.value)] for header in record.headers]
        entry = {
            "key": _plain(record.key),
            "value": record.value,
            "at": record.timestamp,
            "headers": headers,
        }
        return json.dumps(entry).encode("ascii") + b"\n"

    def _failure(self, error):
        kind = RetriableError if error.errno in TRANSIENT else ConnectError
        return kind(
            f"cannot write to {self._directory}: {error}",
            code="silo.write",
            facts={"directory": str(self._directory)},
        )


def _plain(value):
    """A key or a header as JSON can hold it."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, bytes | bytearray):
        return {"base64": base64.b64encode(value).decode()}
    return str(value)
