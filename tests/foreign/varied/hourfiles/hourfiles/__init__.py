"""Writes a directory for each hour of the records' times, with a file for each partition's rows."""

from __future__ import annotations

import base64
import errno
import json
import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from plugwright import (
    ConfigDef,
    ConfigType,
    ConnectError,
    DataError,
    Importance,
    NonEmptyString,
    RetriableError,
    SinkConnector,
    SinkTask,
    Struct,
    TopicPartition,
)

VERSION = "1.0.0"
TRANSIENT = {errno.EAGAIN, errno.EINTR, errno.EBUSY}
PLAIN = (str, bool, int, float, type(None))
CONFIG = ConfigDef().define(
    "hours.directory",
    ConfigType.STRING,
    importance=Importance.HIGH,
    validator=NonEmptyString(),
    documentation="Directory that receives a directory for each topic and hour.",
)


class HourFilesSinkConnector(SinkConnector):
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
        return HourFilesSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass


class HourFilesSinkTask(SinkTask):
    """Rows wait for a commit; what waits already is passed over when it comes again."""

    def __init__(self):
        self._waiting = {}
        self._taken = {}

    def version(self):
        return VERSION

    def start(self, props):
        self._directory = Path(CONFIG.parse(props)["hours.directory"])
        self._waiting, self._taken = {}, {}

    def open(self, partitions):
        for place in partitions:
            self._forget(place)

    def put(self, records):
        for place, offset, hour, row in [self._row(record) for record in records]:
            if offset >= self._taken.get(place, 0):
                hours = self._waiting.setdefault(place, {})
                hours.setdefault(hour, []).append((offset, row))
                self._taken[place] = offset + 1

    def flush(self, offsets):
        try:
            for place in [place for place in self._waiting if place in offsets]:
                hours = self._waiting[place]
                for hour in list(hours):
                    self._write(place, hour, hours[hour])
                    del hours[hour]
                del self._waiting[place]
        except OSError as error:
            raise (RetriableError if error.errno in TRANSIENT else ConnectError)(
                f"cannot write to {self._directory}: {error}",
                code="hourfiles.write",
                facts={"directory": str(self._directory)},
            ) from error

    def close(self, partitions):
        for place in partitions:
            self._forget(place)

    def stop(self):
        self._waiting, self._taken = {}, {}

    def _forget(self, place):
        self._waiting.pop(place, None)
        self._taken.pop(place, None)

    def _write(self, place, hour, rows):
        target = self._directory / quote(place.topic, safe="") / hour
        name = f"{place.partition}+{rows[0][0]:019d}+{rows[-1][0]:019d}.jsonl"
        target.mkdir(parents=True, exist_ok=True)
        temporary = target / f".{name}.part"
        try:
            with temporary.open("wb") as file:
                file.write(b"".join(json.dumps(row).encode() + b"\n" for _, row in rows))
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(target / name)
            for directory in (target, target.parent, self._directory):
                _sync(directory)
        except OSError:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise

    def _row(self, record):
        place = TopicPartition(record.original_topic, record.original_kafka_partition)
        offset = record.original_kafka_offset
        hour = "undated"
        if record.timestamp is not None:
            hour = datetime.fromtimestamp(record.timestamp // 1000, UTC).strftime("%Y-%m-%dT%H")
        row = {
            "key": _plain(record.key),
            "value": _value(record.value, f"{place.topic}-{place.partition}@{offset}"),
            "time": record.timestamp,
            "headers": [[header.key, _plain(header.value)] for header in record.headers],
        }
        return place, offset, hour, row


def _sync(directory):
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _value(value, where):
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, Struct):
        row = {field.name: value[field.name] for field in value.schema.fields}
        odd = [name for name, item in row.items() if not isinstance(item, PLAIN)]
        if not odd:
            return row
        raise DataError(f"fields {odd} at {where} cannot be written", code="hourfiles.field")
    raise DataError(
        f"a file has texts and structs, found {type(value).__name__} at {where}",
        code="hourfiles.value",
    )


def _plain(value):
    """A key or a header as JSON can hold it."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, bytes | bytearray):
        return {"base64": base64.b64encode(value).decode()}
    return str(value)
