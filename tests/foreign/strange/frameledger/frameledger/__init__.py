"""Keeps records in ledgers, and with them the offset at which each partition goes on.

There is a ledger for each partition of Kafka: a file of frames with checksums. A frame has the
records of a batch and the offset behind them, so both are there or neither. When a partition is
assigned the task goes on at the offset of the ledger, whatever Kafka has stored.
"""

# ruff: noqa: D102  # the methods are those of the contract

from __future__ import annotations

import fcntl
import json
import logging
import os
import struct
import threading
import zlib
from dataclasses import dataclass
from itertools import groupby
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
    TopicPartition,
)

VERSION = "1.1.0"
LOG = logging.getLogger(__name__)
HEADER = struct.Struct(">2sIIQ")  # magic, bytes of the body, its CRC-32, the offset behind it
MAGIC = b"LF"

CONFIG = (
    ConfigDef()
    .define(
        "ledger.directory",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Directory of the ledgers.",
    )
    .define(
        "ledger.sync",
        ConfigType.BOOLEAN,
        default=True,
        importance=Importance.LOW,
        documentation="Whether each frame is forced to the disk. Without it, a power cut may lose"
        " records; offsets are lost with them.",
    )
)


@dataclass(frozen=True)
class Mark:
    """How far a ledger goes: good bytes, and the offset behind them, ``None`` if it is empty."""

    size: int
    next: int | None


class FrameLedgerSinkConnector(SinkConnector):
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
        return FrameLedgerSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass

    def alter_offsets(self, props, offsets):
        raise ConnectError(
            "offsets are part of the ledgers; remove the ledger of a partition to read it again",
            code="frameledger.offsets",
        )


class FrameLedgerSinkTask(SinkTask):
    """What was put is in the ledger when put returns, so there is nothing to flush."""

    def __init__(self):
        self._lock = threading.Lock()
        self._marks = {}

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._directory = Path(config["ledger.directory"])
        self._sync = config["ledger.sync"]

    def open(self, partitions):
        offsets = {}
        for place in partitions:
            mark = self._refreshed(place)
            if mark.next is not None:
                offsets[place] = mark.next
        if offsets:
            self.context.offset(offsets)

    def close(self, partitions):
        with self._lock:
            for place in partitions:
                self._marks.pop(place, None)

    def put(self, records):
        reporter = self.context.errant_record_reporter() if records else None
        with self._lock:
            for place, group in groupby(sorted(records, key=_order), key=_place):
                self._write(place, list(group), reporter)

    def stop(self):
        with self._lock:
            self._marks.clear()

    def _write(self, place, records, reporter):
        """Add a frame with those records that the ledger does not have."""
        entries, bad = [], []
        for record in records:
            try:
                entries.append((record.original_kafka_offset, _entry(record)))
            except DataError as error:
                if reporter is None:
                    self._append(place, entries)
                    raise
                bad.append((record, error))
        for report in [reporter.report(record, error) for record, error in bad]:
            report.result()  # the frame that follows says that they need not come again
        self._append(place, entries)

    def _append(self, place, entries):
        """Add a frame; a ledger that another task has written to is read anew before."""
        if not entries:
            return
        path = self._path(place)
        try:
            with path.open("a+b", buffering=0) as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                mark = self._marks.get(place)
                if mark is None or os.fstat(file.fileno()).st_size != mark.size:
                    mark = _scan(file, path)
                    file.truncate(mark.size)
                new = [(at, entry) for at, entry in entries if mark.next is None or at >= mark.next]
                if new:
                    mark = self._append_frame(file, mark, new)
                self._marks[place] = mark
        except OSError as error:
            self._marks.pop(place, None)
            raise self._problem(path, error) from error

    def _append_frame(self, file, mark, entries):
        body = json.dumps([entry for _, entry in entries]).encode()
        after = entries[-1][0] + 1
        frame = HEADER.pack(MAGIC, len(body), zlib.crc32(body), after) + body
        try:
            _write_whole(file, frame)
            if self._sync:
                os.fsync(file.fileno())
        except OSError:
            file.truncate(mark.size)
            raise
        return Mark(mark.size + len(frame), after)

    def _refreshed(self, place):
        """How far the ledger of a partition goes, as its file says."""
        path = self._path(place)
        try:
            with path.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_SH)
                return _scan(file, path)
        except FileNotFoundError:
            if not self._directory.is_dir():
                raise self._problem(path, "No such file or directory") from None
            return Mark(0, None)
        except OSError as error:
            raise self._problem(path, error) from error

    def _path(self, place):
        return self._directory / f"{quote(place.topic, safe='')}-{place.partition}.ledger"

    def _problem(self, path, error):
        return RetriableError(
            f"cannot write the ledger {path}: {error}",
            code="frameledger.file",
            facts={"ledger": str(path)},
        )


def _write_whole(file, frame):
    if file.write(frame) != len(frame):
        raise OSError("the frame was written in part only")


def _scan(file, path):
    """Read frames up to the end, or to one that was not written in whole."""
    file.seek(0)
    data = file.read()
    size, after = 0, None
    while size + HEADER.size <= len(data):
        magic, length, checksum, offset = HEADER.unpack_from(data, size)
        body = data[size + HEADER.size : size + HEADER.size + length]
        if magic != MAGIC:
            raise ConnectError(
                f"the ledger {path} is damaged at byte {size}",
                code="frameledger.damaged",
                hint="restore the ledger, or remove it to have its partition written again",
                facts={"ledger": str(path), "position": size},
            )
        if len(body) < length or zlib.crc32(body) != checksum:
            break
        size += HEADER.size + length
        after = offset
    if size < len(data):
        LOG.warning("%d bytes of an unfinished frame at the end of %s", len(data) - size, path)
    return Mark(size, after)


def _place(record):
    return TopicPartition(record.original_topic, record.original_kafka_partition)


def _order(record):
    return (*_place(record), record.original_kafka_offset)


def _entry(record):
    """Topic and value of a record, as the ledger has them."""
    value = record.value
    if value is not None and not isinstance(value, str):
        raise DataError(
            f"a ledger takes text, found {type(value).__name__} at {record.original_topic}-"
            f"{record.original_kafka_partition}@{record.original_kafka_offset}",
            code="frameledger.value",
            hint="set value.converter to StringConverter",
        )
    return [record.topic, value]
