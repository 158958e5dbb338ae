"""Writes records to directories by their hour; a file ends with the hour, when full, or in a commit."""

from __future__ import annotations

import base64
import errno
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
    RetriableError,
    SinkConnector,
    SinkTask,
    TopicPartition,
)

VERSION = "1.0.0"
HOUR_MS = 3_600_000
TRANSIENT = {errno.EAGAIN, errno.EINTR, errno.EBUSY}
CONFIG = (
    ConfigDef()
    .define(
        "books",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Directory that receives a directory for each hour.",
    )
    .define(
        "page.records",
        ConfigType.INT,
        default=25,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="The most records of a file.",
    )
)


class HourBookSinkConnector(SinkConnector):
    """Tasks write files of their own partitions."""

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
        return HourBookSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass

    def alter_offsets(self, props, offsets):
        return True


class Page:
    """The records of one file that is still to be written."""

    def __init__(self, hour, lines=()):
        self.hour = hour
        self.lines = list(lines)

    def copy(self):
        return Page(self.hour, self.lines)


class HourBookSinkTask(SinkTask):
    """Has one page of each partition; a file is named by its first and last record."""

    def __init__(self):
        self._pages = {}
        self._written = {}

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._books = Path(config["books"])
        self._limit = config["page.records"]
        self._pages = {}
        self._written = {}

    def open(self, partitions):
        for place in partitions:
            self._forget(place)

    def put(self, records):
        entries = [self._entry(record) for record in records]
        before = {place: page.copy() for place, page in self._pages.items()}
        written = dict(self._written)
        try:
            for place, offset, hour, line in entries:
                page = self._pages.get(place)
                if page is not None and (page.hour != hour or len(page.lines) >= self._limit):
                    self._write(place)
                page = self._pages.setdefault(place, Page(hour))
                page.lines.append((offset, line))
        except OSError as error:  # the same files are written when the batch comes again
            self._pages, self._written = before, written
            raise self._failure(error) from error

    def pre_commit(self, offsets):
        try:
            for place in list(self._pages):
                self._write(place)
        except OSError as error:  # everything since the last commit is delivered again
            self._pages, self._written = {}, {}
            raise self._failure(error) from error
        return {place: self._written[place] for place in offsets if place in self._written}

    def close(self, partitions):
        for place in partitions:
            self._forget(place)

    def stop(self):
        self._pages = {}

    def _forget(self, place):
        self._pages.pop(place, None)
        self._written.pop(place, None)

    def _write(self, place):
        page = self._pages[place]
        directory = self._books / page.hour
        first, last = page.lines[0][0], page.lines[-1][0]
        name = f"{quote(place.topic, safe='')}+{place.partition}+{first:020d}+{last:020d}"
        temporary = self._books / f".{page.hour}+{name}.part"
        try:
            directory.mkdir(exist_ok=True)
            with temporary.open("wb") as file:
                file.write(b"".join(line for _, line in page.lines))
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(directory / f"{name}.jsonl")
            self._sync(directory)
            self._sync(self._books)
        except OSError:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise
        del self._pages[place]
        self._written[place] = last + 1

    def _sync(self, directory):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _entry(self, record):
        place = TopicPartition(record.original_topic, record.original_kafka_partition)
        offset = record.original_kafka_offset
        if record.value is not None and not isinstance(record.value, str):
            raise DataError(
                f"a book holds text, found {type(record.value).__name__} at "
                f"{place.topic}-{place.partition}@{offset}",
                code="hourbook.value",
            )
        entry = {
            "key": _plain(record.key),
            "value": record.value,
            "at": record.timestamp,
            "headers": [[header.key, _plain(header.value)] for header in record.headers],
        }
        at = record.timestamp
        hour = "undated" if at is None else f"hour-{at // HOUR_MS:08d}"
        return place, offset, hour, json.dumps(entry).encode("ascii") + b"\n"

    def _failure(self, error):
        kind = RetriableError if error.errno in TRANSIENT else ConnectError
        return kind(
            f"cannot write to {self._books}: {error}",
            code="hourbook.write",
            facts={"directory": str(self._books)},
        )


def _plain(value):
    """A key or a header as JSON can hold it."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, bytes | bytearray):
        return {"base64": base64.b64encode(value).decode()}
    return str(value)
