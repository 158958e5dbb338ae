"""Writes archives of columns, one archive for a stack of records; their names say where to go on."""

from __future__ import annotations

import base64
import errno
import io
import json
import os
import re
import zipfile
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
    Struct,
    TopicPartition,
)

VERSION = "1.0.0"
TRANSIENT = {errno.EAGAIN, errno.EINTR, errno.EBUSY}
PLAIN = (str, bool, int, float, type(None))
NAME = re.compile(r"(?P<topic>[^+]+)\+(?P<partition>\d+)\+(?P<first>\d+)\+(?P<last>\d+)\.zip")
CONFIG = (
    ConfigDef()
    .define(
        "stacks",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Directory that receives the archives.",
    )
    .define(
        "stack.records",
        ConfigType.INT,
        default=35,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="The most records of an archive.",
    )
)


class StackZipSinkConnector(SinkConnector):
    """Tasks write archives of their own partitions."""

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
        return StackZipSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass


class Stack:
    """Records of one partition and of one kind, which go into one archive."""

    def __init__(self, kind):
        self.kind = kind
        self.rows = []


class StackZipSinkTask(SinkTask):
    """Takes each offset once: what is on a stack or in an archive is passed over."""

    def __init__(self):
        self._stacks = {}
        self._taken = {}
        self._written = {}

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._directory = Path(config["stacks"])
        self._limit = config["stack.records"]
        self._stacks, self._taken, self._written = {}, {}, {}

    def open(self, partitions):
        for place in partitions:
            self._forget(place)
        try:
            names = [path.name for path in self._directory.iterdir()]
        except OSError as error:
            raise self._failure(error) from error
        for place in partitions:
            if lasts := [last for last in map(self._last, names, [place] * len(names)) if last]:
                self._written[place] = self._taken[place] = max(lasts)
        self.context.offset({p: self._written[p] for p in partitions if p in self._written})

    def put(self, records):
        rows = [self._row(record) for record in records]
        try:
            for place, offset, kind, row in rows:
                if offset < self._taken.get(place, 0):
                    continue
                stack = self._stacks.get(place)
                if stack is not None and (stack.kind != kind or len(stack.rows) >= self._limit):
                    self._write(place)
                self._stacks.setdefault(place, Stack(kind)).rows.append((offset, row))
                self._taken[place] = offset + 1
        except OSError as error:  # what is on the stacks stays there
            raise self._failure(error) from error

    def pre_commit(self, offsets):
        try:
            for place in list(self._stacks):
                self._write(place)
        except OSError as error:
            raise self._failure(error) from error
        return {place: self._written[place] for place in offsets if place in self._written}

    def close(self, partitions):
        for place in partitions:
            self._forget(place)

    def stop(self):
        self._stacks = {}

    def _forget(self, place):
        for known in (self._stacks, self._taken, self._written):
            known.pop(place, None)

    def _last(self, name, place):
        """The offset behind an archive of a partition; nothing for another one."""
        found = NAME.fullmatch(name)
        if found is None or found["topic"] != quote(place.topic, safe=""):
            return None
        return int(found["last"]) + 1 if int(found["partition"]) == place.partition else None

    def _write(self, place):
        stack = self._stacks[place]
        first, last = stack.rows[0][0], stack.rows[-1][0]
        topic = quote(place.topic, safe="")
        name = f"{topic}+{place.partition}+{first:019d}+{last:019d}.zip"
        temporary = self._directory / f".{name}.part"
        try:
            with temporary.open("wb") as file:
                file.write(_archive(stack))
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(self._directory / name)
            self._sync()
        except OSError:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise
        del self._stacks[place]
        self._written[place] = last + 1

    def _sync(self):
        descriptor = os.open(self._directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _row(self, record):
        place = TopicPartition(record.original_topic, record.original_kafka_partition)
        offset = record.original_kafka_offset
        kind, values = _values(record.value, f"{place.topic}-{place.partition}@{offset}")
        row = {
            "key": _plain(record.key),
            "time": record.timestamp,
            "headers": [[header.key, _plain(header.value)] for header in record.headers],
            **values,
        }
        return place, offset, kind, row

    def _failure(self, error):
        return (RetriableError if error.errno in TRANSIENT else ConnectError)(
            f"cannot write to {self._directory}: {error}",
            code="stackzip.write",
            facts={"directory": str(self._directory)},
        )


def _archive(stack):
    """The columns of a stack, each a member."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in stack.rows[0][1]:
            column = json.dumps([row[name] for _, row in stack.rows])
            archive.writestr(f"{name}.json", column)
    return content.getvalue()


def _values(value, where):
    """The kind of a value, and its columns."""
    if value is None or isinstance(value, str):
        return "text", {"value": value}
    if isinstance(value, Struct):
        names = [field.name for field in value.schema.fields]
        odd = [name for name in names if not isinstance(value[name], PLAIN)]
        if not odd:
            return tuple(names), {f"value.{name}": value[name] for name in names}
        raise DataError(f"fields {odd} at {where} cannot be stored", code="stackzip.field")
    raise DataError(
        f"a stack has text or structs, found {type(value).__name__} at {where}",
        code="stackzip.value",
    )


def _plain(value):
    """A key or a header as JSON can hold it."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, bytes | bytearray):
        return {"base64": base64.b64encode(value).decode()}
    return str(value)
