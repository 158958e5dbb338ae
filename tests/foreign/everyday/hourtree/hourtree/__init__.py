"""Writes records as JSON lines, into a directory for each topic and hour.

``sales/2026-01-02T03/sales+4+120-151.jsonl`` has the records of one partition between two offsets.
A file is complete when it has its name. Values that JSON does not have are marked: ``{"$bytes":
"aGk="}``, ``{"$decimal": "1.50"}``, ``{"$time": "..."}``.
"""

import base64
import json
import logging
import math
import os
from datetime import UTC, date, datetime, time
from decimal import Decimal
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

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
    Struct,
    TopicPartition,
)

LOG = logging.getLogger(__name__)
VERSION = "5.0.0"
HOUR_MS = 3_600_000

CONFIG = ConfigDef()
CONFIG.define(
    "tree.directory",
    ConfigType.STRING,
    importance=Importance.HIGH,
    validator=NonEmptyString(),
    documentation="Directory of the topics.",
)
CONFIG.define(
    "tree.waiting.records",
    ConfigType.INT,
    default=2000,
    importance=Importance.MEDIUM,
    validator=Range.at_least(1),
    documentation="How many records may wait for a commit, which writes them, before one is"
    " asked for.",
)


class Waiting(NamedTuple):
    """A record that is to be written."""

    topic: str
    hour: str
    line: str


class HourTreeSinkConnector(SinkConnector):
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
        return HourTreeSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props)] * max_tasks

    def stop(self):
        pass


class HourTreeSinkTask(SinkTask):
    """Records wait by partition and offset, so one that comes again does not wait twice."""

    def __init__(self):
        self._waiting = {}

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._directory = Path(config["tree.directory"])
        self._most = config["tree.waiting.records"]
        self._waiting, self._ends = {}, {}

    def put(self, records):
        reporter = self.context.errant_record_reporter()
        new = []
        for record in records:
            try:
                new.append((record, Waiting(record.topic, _hour(record), _line(record))))
            except DataError as error:
                if reporter is None:
                    raise
                reporter.report(record, error)
        for record, waiting in new:
            place = TopicPartition(record.original_topic, record.original_kafka_partition)
            self._waiting.setdefault(place, {})[record.original_kafka_offset] = waiting
        if sum(map(len, self._waiting.values())) >= self._most:
            self.context.request_commit()

    def flush(self, offsets):
        self._ends = offsets
        for place, waiting in self._waiting.items():
            self._write_all(place, waiting)

    def close(self, partitions):
        for place in partitions:
            self._waiting.pop(place, None)

    def stop(self):
        self._waiting = {}

    def _write_all(self, place, waiting):
        """Write the records of a partition; what could not be written goes on waiting.

        Records behind the offset to commit come again after a failure, so they wait.
        """
        due = sorted(offset for offset in waiting if offset < self._ends.get(place, 0))
        target = lambda offset: (waiting[offset].topic, waiting[offset].hour)  # noqa: E731
        for (topic, hour), group in groupby(sorted(due, key=target), key=target):
            offsets = list(group)
            name = f"{place.topic}+{place.partition}+{offsets[0]}-{offsets[-1]}.jsonl"
            try:
                self._write(
                    self._directory / topic / hour,
                    name,
                    "".join(waiting[offset].line + "\n" for offset in offsets),
                )
            except OSError as error:
                raise RetriableError(
                    f"cannot write {topic}/{hour}/{name} in {self._directory}: {error}",
                    code="hourtree.write",
                    facts={"directory": str(self._directory)},
                ) from error
            for offset in offsets:
                del waiting[offset]

    def _write(self, directory, name, text):
        """Give a file its name when all of it is on the disk."""
        directory.mkdir(parents=True, exist_ok=True)
        draft = directory / f".{name}.{os.getpid()}.draft"
        try:
            with draft.open("wb") as file:
                file.write(text.encode())
                file.flush()
                os.fsync(file.fileno())
            draft.replace(directory / name)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _where(record):
    return (
        f"{record.original_topic}-{record.original_kafka_partition}@{record.original_kafka_offset}"
    )


def _hour(record):
    """The hour of a record, in UTC."""
    if record.timestamp is None:
        return "no-time"
    try:
        moment = datetime.fromtimestamp(record.timestamp // HOUR_MS * 3600, UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise DataError(
            f"{_where(record)} has no possible time: {record.timestamp}", code="hourtree.time"
        ) from error
    return moment.strftime("%Y-%m-%dT%H")


def _line(record):
    content = {
        "key": _plain(record.key, record),
        "value": _plain(record.value, record),
        "headers": [[each.key, _plain(each.value, record)] for each in record.headers],
        "timestamp": record.timestamp,
    }
    return json.dumps(content, separators=(",", ":"))


def _plain(value, record):
    """A value as JSON has it, marked where JSON lacks its type."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else {"$float": repr(value)}
        case bytes() | bytearray() | memoryview():
            return {"$bytes": base64.b64encode(value).decode()}
        case Decimal():
            return {"$decimal": format(value, "f")}
        case datetime():
            return {"$time": value.astimezone(UTC).isoformat()}
        case date():
            return {"$date": value.isoformat()}
        case time():
            return {"$clock": value.isoformat()}
        case Struct():
            return {name: _plain(value.get_without_default(name), record) for name in value}
        case list() | tuple():
            return [_plain(each, record) for each in value]
        case dict() if all(isinstance(name, str) for name in value):
            return {name: _plain(each, record) for name, each in value.items()}
        case dict():
            return {"$map": [[_plain(k, record), _plain(v, record)] for k, v in value.items()]}
    raise DataError(
        f"{_where(record)} has a {type(value).__name__}, which cannot be written as JSON",
        code="hourtree.value",
        facts={"type": type(value).__name__},
    )
