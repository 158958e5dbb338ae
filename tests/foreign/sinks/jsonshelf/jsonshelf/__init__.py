"""Writes each partition to JSON-lines files that appear whole, and are rotated by size."""

from __future__ import annotations

import base64
import json
import os
from contextlib import suppress
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

VERSION = "0.9.1"
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
        "file.max.records",
        ConfigType.INT,
        default=250,
        validator=Range.at_least(1),
        documentation="A file with so many records is finished and the next one begun.",
    )
    .define(
        "file.suffix",
        ConfigType.STRING,
        default=".jsonl",
        importance=Importance.LOW,
        documentation="End of the names of finished files.",
    )
    .define(
        "keys.include",
        ConfigType.BOOLEAN,
        default=True,
        importance=Importance.LOW,
        documentation="Whether the key of a record is written beside its value.",
    )
)


class ShelfSinkConnector(SinkConnector):
    """Every task writes files of its own partitions."""

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
        return ShelfSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass

    def alter_offsets(self, props, offsets):
        return True


class Shelf:
    """The file of a partition that is being filled."""

    def __init__(self, directory, place, first, suffix):
        name = f"{quote(place.topic, safe='')}+{place.partition}+{first:020d}"
        self._name, self._suffix = name, suffix
        self._temporary = directory / (name + ".part")
        self._file = self._temporary.open("wb")
        self.count = 0
        self.next = first

    def add(self, line, offset):
        self._file.write(line)
        self.count += 1
        self.next = offset + 1

    def finish(self):
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        final = f"{self._name}+{self.next - 1:020d}{self._suffix}"
        self._temporary.replace(self._temporary.with_name(final))
        descriptor = os.open(self._temporary.parent, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def discard(self):
        with suppress(OSError):
            self._file.close()
        with suppress(OSError):
            self._temporary.unlink(missing_ok=True)


class ShelfSinkTask(SinkTask):
    """Keeps one open file for each partition."""

    def __init__(self):
        self._open = {}
        self._durable = {}

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._directory = Path(config["directory"])
        self._limit = config["file.max.records"]
        self._suffix = config["file.suffix"]
        self._keys = config["keys.include"]
        self._open = {}
        self._durable = {}
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._failure(error) from error

    def open(self, partitions):
        for place in partitions:
            self._durable.pop(place, None)

    def put(self, records):
        lines = [(record, self._line(record)) for record in records]
        try:
            for record, line in lines:
                place = TopicPartition(record.original_topic, record.original_kafka_partition)
                shelf = self._open.get(place)
                if shelf is None:
                    shelf = self._open[place] = Shelf(
                        self._directory, place, record.original_kafka_offset, self._suffix
                    )
                shelf.add(line, record.original_kafka_offset)
                if shelf.count >= self._limit:
                    self._finish(place)
        except OSError as error:
            raise self._failure(error) from error

    def pre_commit(self, offsets):
        try:
            for place in list(self._open):
                self._finish(place)
        except OSError as error:  # the worker delivers everything since the last commit again
            self.stop()
            raise self._failure(error) from error
        return {place: self._durable[place] for place in offsets if place in self._durable}

    def close(self, partitions):
        for place in partitions:
            shelf = self._open.pop(place, None)
            if shelf is not None:
                shelf.discard()
            self._durable.pop(place, None)

    def stop(self):
        while self._open:
            _, shelf = self._open.popitem()
            shelf.discard()

    def _finish(self, place):
        shelf = self._open[place]
        shelf.finish()
        self._durable[place] = shelf.next
        del self._open[place]

    def _line(self, record):
        value = record.value
        if value is not None and not isinstance(value, str):
            raise DataError(
                f"a shelf holds text, found {type(value).__name__} at {record.original_topic}-"
                f"{record.original_kafka_partition}@{record.original_kafka_offset}",
                code="jsonshelf.value",
            )
        entry = {
            "offset": record.original_kafka_offset,
            "timestamp": record.timestamp,
            "value": value,
            "headers": [[header.key, _plain(header.value)] for header in record.headers],
        }
        if self._keys:
            entry["key"] = _plain(record.key)
        return json.dumps(entry).encode("ascii") + b"\n"

    def _failure(self, error):
        return ConnectError(
            f"cannot write to {self._directory}: {error}",
            code="jsonshelf.write",
            facts={"directory": str(self._directory)},
        )


def _plain(value):
    """A key or a header as JSON can hold it."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, bytes | bytearray):
        return {"base64": base64.b64encode(value).decode()}
    return str(value)
