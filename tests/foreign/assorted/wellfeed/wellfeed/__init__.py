"""Reads files of frames; new files turn up all the time, and each task knows which are its own."""

from __future__ import annotations

import errno
import json
import struct
import threading
import zlib
from pathlib import Path

from plugwright import (
    STRING_SCHEMA,
    ConfigDef,
    ConfigType,
    ConnectError,
    DataError,
    ExactlyOnceSupport,
    Importance,
    NonEmptyString,
    Range,
    RetriableError,
    SourceConnector,
    SourceRecord,
    SourceTask,
    group_partitions,
)

VERSION = "1.0.0"
SLOTS = 16
FRAME = struct.Struct(">IQB")
TRANSIENT = {errno.EAGAIN, errno.EINTR, errno.EBUSY, errno.EIO, errno.ENOENT}
CONFIG = (
    ConfigDef()
    .define(
        "wells",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Directory of the wells.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic that receives a record for each frame.",
    )
    .define(
        "batch.max.frames",
        ConfigType.INT,
        default=30,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="The most frames of one poll.",
    )
)


class WellFeedConnector(SourceConnector):
    """A well belongs to a slot by its name, and each task has slots of its own."""

    def version(self):
        return VERSION

    def config(self):
        return CONFIG

    def start(self, props):
        CONFIG.parse(props)
        self._props = dict(props)

    def task_class(self):
        return WellFeedTask

    def task_configs(self, max_tasks):
        groups = group_partitions(list(range(SLOTS)), min(max_tasks, SLOTS))
        return [{**self._props, "slots": json.dumps(list(group))} for group in groups]

    def stop(self):
        pass

    def exactly_once_support(self, props):
        return ExactlyOnceSupport.SUPPORTED


class WellFeedTask(SourceTask):
    """Looks for wells in each poll, and takes turns between them."""

    def __init__(self):
        self._stopping = threading.Event()
        self._positions = {}

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._directory = Path(config["wells"])
        self._topic = config["topic"]
        self._limit = config["batch.max.frames"]
        self._slots = set(json.loads(props["slots"]))
        self._turn = 0
        self._positions = {}
        self._stopping.clear()
        self._look()

    def poll(self):
        self._look()
        names = sorted(self._positions)
        self._turn += 1
        records = []
        for number in range(len(names)):
            name = names[(number + self._turn) % len(names)]
            try:
                records += self._read(name, self._limit - len(records))
            except (ConnectError, DataError):
                if records:
                    break
                raise
            if len(records) >= self._limit:
                break
        if not records:
            self._stopping.wait(0.05)
            return None
        return records

    def stop(self):
        self._stopping.set()

    def _look(self):
        try:
            names = [path.name for path in self._directory.iterdir() if path.suffix == ".well"]
        except OSError as error:
            raise self._failure(error) from error
        new = [n for n in names if n not in self._positions and self._is_own(n)]
        for name in sorted(new):
            stored = self.context.offset_storage_reader.offset({"well": name})
            self._positions[name] = 0 if stored is None else _position(stored)

    def _is_own(self, name):
        return zlib.crc32(name.encode()) % SLOTS in self._slots

    def _read(self, name, limit):
        records = []
        try:
            with (self._directory / name).open("rb") as file:
                position = self._positions[name]
                file.seek(position)
                while len(records) < limit:
                    head = file.read(FRAME.size)
                    if len(head) < FRAME.size:
                        break
                    size, at, kind = FRAME.unpack(head)
                    body = file.read(size)
                    if len(body) < size:
                        break
                    try:
                        text = self._text(name, position, kind, body)
                    except DataError:
                        if records:
                            break
                        raise
                    position += FRAME.size + size
                    records.append(self._record(name, position, text, at))
        except OSError as error:
            raise self._failure(error) from error
        self._positions[name] = position
        return records

    def _text(self, name, position, kind, body):
        if kind != 0:
            raise DataError(
                f"{name} has a frame of kind {kind} at byte {position}, expected text",
                code="wellfeed.kind",
            )
        try:
            return body.decode("utf-8")
        except UnicodeDecodeError as error:
            raise DataError(
                f"{name} has a frame at byte {position} that is no UTF-8: {error}",
                code="wellfeed.text",
            ) from error

    def _record(self, name, position, text, at):
        return SourceRecord(
            source_partition={"well": name},
            source_offset={"position": position},
            topic=self._topic,
            value=text,
            value_schema=STRING_SCHEMA,
            key=name,
            key_schema=STRING_SCHEMA,
            timestamp=at,
        )

    def _failure(self, error):
        return (RetriableError if error.errno in TRANSIENT else ConnectError)(
            f"cannot read {self._directory}: {error}",
            code="wellfeed.read",
            facts={"directory": str(self._directory)},
        )


def _position(offset):
    """The position in an offset, which an operator may have written."""
    value = offset.get("position")
    if set(offset) != {"position"} or type(value) is not int or value < 0:
        raise ConnectError(
            f"an offset must be {{'position': whole number from 0}}, found {dict(offset)!r}",
            code="wellfeed.offset",
        )
    return value
