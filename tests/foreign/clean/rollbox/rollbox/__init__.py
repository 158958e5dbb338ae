"""JSON lines in files, one directory for each topic partition, each record exactly once.

A file is named after the offsets in it, ``<first>-<next>.jsonl``. It is written under another name
and renamed when it is complete: after ``files.roll.records`` records, or when its first record has
waited for ``files.roll.interval.ms``. Only offsets of complete files are committed. A task that
takes over a partition looks at the names, and passes over records that are in a file already.

The names are the memory. To write a topic again from the beginning, give it another directory.
"""

from __future__ import annotations

import base64
import contextlib
import fcntl
import json
import math
import os
import time
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugwright import (
    AbstractConfig,
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

if TYPE_CHECKING:
    from plugwright import SinkRecord

SUFFIX = ".jsonl"


class RollBoxConfig(AbstractConfig):
    DEF = (
        ConfigDef()
        .define(
            "files.directory",
            ConfigType.STRING,
            importance=Importance.HIGH,
            validator=NonEmptyString(),
            documentation="An existing directory; those of the partitions are made in it.",
        )
        .define(
            "files.roll.records",
            ConfigType.INT,
            default=1000,
            validator=Range.at_least(1),
            documentation="A file with this many records is complete.",
        )
        .define(
            "files.roll.interval.ms",
            ConfigType.LONG,
            default=60_000,
            validator=Range.at_least(1),
            documentation="A file is complete, too, when its first record is as old as this.",
        )
    )

    def __init__(self, props):
        super().__init__(self.DEF, props, log_values=False)
        self.directory = Path(self.get_string("files.directory"))
        self.roll_records = self.get_int("files.roll.records")
        self.roll_interval = self.get_long("files.roll.interval.ms") / 1000


class RollBoxSinkConnector(SinkConnector):
    def version(self) -> str:
        return "3.0.1"

    def config(self) -> ConfigDef:
        return RollBoxConfig.DEF

    def start(self, props) -> None:
        self._directory = RollBoxConfig(props).directory
        self._props = dict(props)

    def task_class(self):
        return RollBoxSinkTask

    def task_configs(self, max_tasks):
        return [self._props] * max_tasks

    def stop(self) -> None:
        pass

    def alter_offsets(self, props, offsets) -> bool:
        directory = RollBoxConfig(props).directory
        for place, offset in offsets.items():
            end = end_of_files(partition_directory(directory, place))
            if end is not None and (offset is None or offset < end):
                raise ConnectError(
                    f"{directory} has files up to offset {end} of {place.topic}-{place.partition}",
                    hint="remove those files first, or use another directory",
                )
        return False


@dataclass
class Box:
    """What is waiting of one partition."""

    home: Path
    next: int | None  # offset behind the complete files, None if nothing is known
    taken: int | None  # offset behind all that was put
    lines: list[str] = field(default_factory=list)
    first: int = 0
    since: float = 0.0
    unsynced: bool = False  # whether a file was renamed that may not be in the directory yet


class RollBoxSinkTask(SinkTask):
    def version(self) -> str:
        return "3.0.1"

    def start(self, props) -> None:
        self.config = RollBoxConfig(props)
        self.boxes: dict[TopicPartition, Box] = {}

    def open(self, partitions) -> None:
        for place in partitions:
            self.boxes.pop(place, None)

    def put(self, records) -> None:
        for record in records:
            box = self._box(record)
            offset = record.original_kafka_offset
            if box.taken is not None and offset < box.taken:
                continue
            try:
                line = to_line(record)
            except DataError as error:
                self._report(record, error)
            else:
                if not box.lines:
                    box.first, box.since = offset, time.monotonic()
                box.lines.append(line)
            box.taken = offset + 1
            if not box.lines and not box.unsynced:
                box.next = box.taken
            elif len(box.lines) >= self.config.roll_records:
                self._roll(box)
        self._roll_due()

    def pre_commit(self, offsets):
        self._roll_due()
        return {place: box.next for place, box in self.boxes.items() if box.next is not None}

    def close(self, partitions) -> None:
        for place in partitions:  # what is not in a complete file comes again to the next owner
            self.boxes.pop(place, None)

    def stop(self) -> None:
        self.boxes = {}

    def _box(self, record: SinkRecord) -> Box:
        place = TopicPartition(record.original_topic, record.original_kafka_partition)
        if place not in self.boxes:
            home = partition_directory(self.config.directory, place)
            with storage_errors(home):
                home.mkdir(exist_ok=True)
                with locked(home):
                    for part in home.glob(".*.part"):  # of a task that was killed
                        part.unlink()
                    end = end_of_files(home)
            self.boxes[place] = Box(home, end, end)
        return self.boxes[place]

    def _report(self, record: SinkRecord, error: DataError) -> None:
        reporter = self.context.errant_record_reporter()
        if reporter is None:
            raise error
        reporter.report(record, error).result()  # the next file says that it need not come again

    def _roll_due(self) -> None:
        now = time.monotonic()
        for box in self.boxes.values():
            old = now - box.since >= self.config.roll_interval
            if box.lines and (old or len(box.lines) >= self.config.roll_records):
                self._roll(box)
            self._settle(box)

    def _settle(self, box: Box) -> None:
        if box.unsynced:
            with storage_errors(box.home):
                sync_directory(box.home)
            box.unsynced = False
            box.next = box.first if box.lines else box.taken

    def _roll(self, box: Box) -> None:
        """Make the file of a box, unless another task has been here meanwhile."""
        part = box.home / f".{os.getpid()}-{id(self)}.part"
        with storage_errors(box.home), locked(box.home):
            end = end_of_files(box.home)
            if end is not None and end > box.first:
                raise ConnectError(
                    f"another task has written {box.home} up to offset {end}, while this one has"
                    f" records from offset {box.first}",
                    code="rollbox.not-the-owner",
                )
            try:
                with part.open("w", encoding="ascii") as file:
                    file.writelines(box.lines)
                    file.flush()
                    os.fsync(file.fileno())
                part.rename(box.home / f"{box.first:020d}-{box.taken:020d}{SUFFIX}")
            except BaseException:
                with contextlib.suppress(OSError):
                    part.unlink(missing_ok=True)
                raise
        # The records are in a file now, and must not get into another one.
        box.lines, box.unsynced = [], True
        self._settle(box)


@contextlib.contextmanager
def storage_errors(home: Path):
    try:
        yield
    except OSError as error:
        lasting = isinstance(error, (PermissionError, NotADirectoryError))
        raise (ConnectError if lasting else RetriableError)(
            f"cannot write files in {home}: {error}",
            code="rollbox.storage",
            facts={"directory": str(home)},
        ) from error


@contextlib.contextmanager
def locked(home: Path):
    with (home / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def partition_directory(directory: Path, place: TopicPartition) -> Path:
    return directory / f"{place.topic}-{place.partition}"


def end_of_files(home: Path) -> int | None:
    """The offset behind the files of a directory, by their names."""
    if not home.is_dir():
        return None
    names = [name for name in os.listdir(home) if name.endswith(SUFFIX)]
    return max((int(name.removesuffix(SUFFIX).split("-")[1]) for name in names), default=None)


def sync_directory(home: Path) -> None:
    descriptor = os.open(home, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def to_line(record: SinkRecord) -> str:
    where = f"{record.original_topic}-{record.original_kafka_partition}"
    where += f"@{record.original_kafka_offset}"
    content = {
        "topic": record.topic,
        "offset": record.original_kafka_offset,
        "timestamp": record.timestamp,
        "key": to_json(record.key, where),
        "value": to_json(record.value, where),
        "headers": [[h.key, to_json(h.value, where)] for h in record.headers],
    }
    return json.dumps(content) + "\n"


def to_json(value: Any, where: str) -> Any:
    """JSON has no bytes, decimals and times: they are objects with one ``$`` name."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"$float": repr(value)}
    if isinstance(value, bytes | bytearray | memoryview):
        return {"$bytes": base64.b64encode(value).decode()}
    if isinstance(value, Decimal):
        return {"$decimal": str(value)}
    if isinstance(value, datetime):
        return {"$timestamp": value.isoformat()}
    if isinstance(value, date):
        return {"$date": value.isoformat()}
    if isinstance(value, list | tuple):
        return [to_json(each, where) for each in value]
    if isinstance(value, Struct):
        return {name: to_json(value.get(name), where) for name in value.keys()}
    if isinstance(value, dict) and all(isinstance(n, str) for n in value):
        return {name: to_json(each, where) for name, each in value.items()}
    raise DataError(f"{where} has a {type(value).__name__}, which no file takes")
