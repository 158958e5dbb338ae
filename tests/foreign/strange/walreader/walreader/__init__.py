"""Reads the write-ahead log of a store, exactly once.

The log is a directory of numbered segments, ``1.wal``, ``2.wal`` and so on. A segment is a sequence
of frames; a frame is a transaction of the store: a header with a checksum, and rows. The store
begins another segment only when the one before is complete.
"""

# ruff: noqa: D102  # the methods are those of the contract

from __future__ import annotations

import logging
import os
import struct
import threading
import zlib
from dataclasses import dataclass
from pathlib import Path

from plugwright import (
    STRING_SCHEMA,
    ConfigDef,
    ConfigType,
    ConnectError,
    ConnectorTransactionBoundaries,
    DataError,
    ExactlyOnceSupport,
    Importance,
    NonEmptyString,
    Range,
    RetriableError,
    SourceConnector,
    SourceRecord,
    SourceTask,
)

VERSION = "2.1.0"
LOG = logging.getLogger(__name__)
HEADER = struct.Struct(">2sIIQH")  # magic, bytes of the body, its CRC-32, milliseconds, rows
LENGTH = struct.Struct(">I")
MAGIC = b"WF"

CONFIG = (
    ConfigDef()
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic that receives the rows.",
    )
    .define(
        "wal.directory",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Directory of the segments.",
    )
    .define(
        "wal.poll.rows",
        ConfigType.INT,
        default=500,
        validator=Range.between(1, 10000),
        documentation="The most rows that are read at once.",
    )
    .define(
        "wal.interval.ms",
        ConfigType.INT,
        default=500,
        importance=Importance.LOW,
        validator=Range.between(1, 10000),
        documentation="How long to wait when there is nothing to read.",
    )
)


@dataclass(frozen=True)
class Frame:
    """A transaction of the store."""

    time: int
    rows: list[bytes]
    end: int


class WalSourceConnector(SourceConnector):
    """A log cannot be divided, so there is one task."""

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
        return WalSourceTask

    def task_configs(self, max_tasks):
        return [dict(self._props)]

    def stop(self):
        pass

    def exactly_once_support(self, props):
        return ExactlyOnceSupport.SUPPORTED

    def can_define_transaction_boundaries(self, props):
        return ConnectorTransactionBoundaries.SUPPORTED

    def alter_offsets(self, props, offsets):
        for partition, offset in offsets:
            if set(partition) != {"wal"} or not isinstance(partition["wal"], str):
                raise ConnectError(
                    f"a partition of a log is {{'wal': directory}}, found {partition!r}",
                    code="walreader.partition",
                )
            if offset is not None:
                _place(offset)
        return False


class WalSourceTask(SourceTask):
    """Reads on from a row of a frame; a transaction of Kafka is one of the store if it may be."""

    def __init__(self):
        self._stopping = threading.Event()

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._topic = config["topic"]
        self._directory = Path(config["wal.directory"])
        self._most = config["wal.poll.rows"]
        self._pause = config["wal.interval.ms"] / 1000
        self._partition = {"wal": config["wal.directory"]}
        stored = self.context.offset_storage_reader.offset(self._partition)
        self._segment, self._position, self._row = _place(stored) if stored else (0, 0, 0)
        self._stopping.clear()

    def poll(self):
        try:
            records = self._read()
        except OSError as error:
            self._stopping.wait(self._pause)
            raise RetriableError(
                f"cannot read the log in {self._directory}: {error}",
                code="walreader.read",
                facts={"directory": str(self._directory)},
            ) from error
        if not records:
            self._stopping.wait(self._pause)
            return None
        return records

    def stop(self):
        self._stopping.set()

    def _read(self):
        """Rows up to the limit; the place moves on only behind rows that are returned."""
        place = self._segment, self._position, self._row
        records = []
        try:
            while len(records) < self._most and not self._stopping.is_set():
                frame = self._frame()
                if frame is None:
                    break
                self._take(frame, records)
        except (OSError, ConnectError):
            if not records:
                self._segment, self._position, self._row = place
                raise
        return records

    def _take(self, frame, records):
        """Records of the rows of a frame that are next, as many as fit."""
        rows = frame.rows[self._row : self._row + self._most - len(records)]
        for row in rows:
            where = self._segment, self._position, self._row
            value = _text(row, *where)
            self._row += 1
            last = self._row == len(frame.rows)
            if last:
                self._position, self._row = frame.end, 0
            records.append(self._record(value, frame.time))
            if last:
                self._end_transaction(records[-1])

    def _record(self, value, time):
        return SourceRecord(
            dict(self._partition),
            {"segment": self._segment, "position": self._position, "row": self._row},
            self._topic,
            value,
            STRING_SCHEMA,
            timestamp=time,
        )

    def _end_transaction(self, record):
        transactions = self.context.transaction_context
        if transactions is not None:
            transactions.commit_transaction(record)

    def _frame(self):
        """The frame that is next, ``None`` if the store has not completed it."""
        while True:
            segments = self._segments()
            later = [number for number in segments if number > self._segment]
            if self._segment not in segments:
                if not later:
                    return None
                self._check_first(later[0])
                self._segment, self._position, self._row = later[0], 0, 0
                continue
            frame = self._frame_of_segment(complete=bool(later))
            if frame is not None or not later:
                return frame
            self._segment, self._position, self._row = later[0], 0, 0

    def _check_first(self, first):
        """Refuse to pass over a segment that was being read."""
        if self._segment:
            raise ConnectError(
                f"segment {self._segment}.wal in {self._directory} is gone, and {first}.wal is the"
                " oldest there is",
                code="walreader.gone",
                hint="reset the offsets of the connector to read on with a gap",
                facts={"segment": self._segment},
            )

    def _segments(self):
        """The numbers of all segments, oldest first."""
        numbers = [
            int(name.removesuffix(".wal"))
            for name in os.listdir(self._directory)  # noqa: PTH208  # glob hides errors
            if name.endswith(".wal") and name.removesuffix(".wal").isdecimal()
        ]
        return sorted(numbers)

    def _frame_of_segment(self, *, complete):
        """The frame at the position; a part of one is an error in a segment that is complete."""
        with (self._directory / f"{self._segment}.wal").open("rb") as file:
            file.seek(self._position)
            head = file.read(HEADER.size)
            if not head:
                return None
            if len(head) < HEADER.size:
                return self._torn(complete)
            magic, size, checksum, time, count = HEADER.unpack(head)
            if magic != MAGIC:
                raise self._broken("does not begin with a frame")
            body = file.read(size)
        if len(body) < size:
            return self._torn(complete)
        if zlib.crc32(body) != checksum:
            raise self._broken("has a wrong checksum")
        rows = list(_rows(body))
        if len(rows) != count or self._row >= max(count, 1):
            raise self._broken(f"has {len(rows)} rows instead of {count}, or none at {self._row}")
        return Frame(time, rows, self._position + HEADER.size + size)

    def _torn(self, complete):
        if complete:
            raise self._broken("ends within a frame")

    def _broken(self, what):
        return ConnectError(
            f"segment {self._segment}.wal {what} at byte {self._position}",
            code="walreader.broken",
            hint="restore the segment, or set the offset behind the frame",
            facts={"segment": self._segment, "position": self._position},
        )


def _rows(body):
    at = 0
    while at + LENGTH.size <= len(body):
        (size,) = LENGTH.unpack_from(body, at)
        at += LENGTH.size
        yield body[at : at + size]
        at += size


def _text(row, segment, position, number):
    try:
        return row.decode()
    except UnicodeDecodeError as error:
        raise DataError(
            f"row {number} of the frame at byte {position} of segment {segment}.wal is not text:"
            f" {error}",
            code="walreader.text",
        ) from error


def _place(offset):
    """Segment, position and row of an offset, which an operator may have changed."""
    names = ("segment", "position", "row")
    numbers = tuple(offset.get(name) for name in names)
    if set(offset) != set(names) or any(type(n) is not int or n < 0 for n in numbers):
        raise ConnectError(
            "an offset of a log has segment, position and row, numbers from 0 on, found"
            f" {dict(offset)!r}",
            code="walreader.offset",
        )
    return numbers
