"""Reads the lines of objects in a bucket, which is a directory here.

Objects are complete when they can be seen, and do not change. Each belongs to one task, by a hash
of its name. Large ones are read in parts; the offset of an object is the byte after the last line.
"""

from __future__ import annotations

import os
import threading
import zlib
from dataclasses import dataclass
from pathlib import Path

from plugwright import (
    STRING_SCHEMA,
    ConfigDef,
    ConfigType,
    ConnectError,
    DataError,
    Headers,
    Importance,
    NonEmptyString,
    Range,
    RetriableError,
    SourceConnector,
    SourceRecord,
    SourceTask,
)

VERSION = "0.12.0"

CONFIG = (
    ConfigDef()
    .define(
        "bucket.directory",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Directory of the objects.",
    )
    .define(
        "bucket.suffix",
        ConfigType.STRING,
        default=".txt",
        importance=Importance.MEDIUM,
        validator=NonEmptyString(),
        documentation="How the names of the objects end.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic of the records; their key is the name of the object.",
    )
    .define(
        "bucket.page.size",
        ConfigType.INT,
        default=1000,
        importance=Importance.LOW,
        validator=Range.between(1, 1000),
        documentation="How many objects to list at once.",
    )
    .define(
        "bucket.part.bytes",
        ConfigType.INT,
        default=1048576,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="How much of an object to read at once; a longer line takes several parts.",
    )
    .define(
        "bucket.poll.records",
        ConfigType.INT,
        default=500,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="How many records a poll returns at most.",
    )
    .define(
        "bucket.interval.ms",
        ConfigType.INT,
        default=100,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="How long to wait when nothing is new, and after a failure.",
    )
    .define(
        "bucket.task",
        ConfigType.INT,
        default=0,
        importance=Importance.LOW,
        validator=Range.at_least(0),
        documentation="Number of the task, which the connector sets.",
        internal=True,
    )
    .define(
        "bucket.tasks",
        ConfigType.INT,
        default=1,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="How many tasks there are, which the connector sets.",
        internal=True,
    )
)


@dataclass(frozen=True)
class Listed:
    """An object as a listing shows it."""

    name: str
    size: int
    modified: int


@dataclass(frozen=True)
class Bucket:
    """The objects; a listing has pages, as those of object stores have."""

    directory: Path
    suffix: str
    page_size: int

    def objects(self):
        found, last = [], ""
        while True:
            page = self._page(last)
            found += page
            if len(page) < self.page_size:
                return found
            last = page[-1].name

    def read(self, name, position, size):
        """Some bytes of an object from a position, fewer at its end."""
        with (self.directory / name).open("rb") as file:
            file.seek(position)
            return file.read(size)

    def _page(self, last):
        with os.scandir(self.directory) as entries:
            names = sorted(
                entry.name
                for entry in entries
                if entry.name > last and entry.name.endswith(self.suffix)
            )
        page = []
        for name in names[: self.page_size]:
            stat = (self.directory / name).stat()
            page.append(Listed(name, stat.st_size, stat.st_mtime_ns // 1_000_000))
        return page


def _owner(name, tasks):
    """The number of the task that reads an object, the same in every process."""
    return zlib.crc32(name.encode()) % tasks


def _position(offset):
    position = offset.get("position")
    if set(offset) != {"position"} or type(position) is not int or position < 0:
        raise ConnectError(
            f"an offset is {{'position': bytes}}, found {dict(offset)!r}",
            code="bucketread.offset",
            hint="reset the offsets of the connector",
        )
    return position


class BucketReadSourceConnector(SourceConnector):
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
        return BucketReadSourceTask

    def task_configs(self, max_tasks):
        return [
            {**self._props, "bucket.task": str(number), "bucket.tasks": str(max_tasks)}
            for number in range(max_tasks)
        ]

    def stop(self):
        pass

    def alter_offsets(self, props, offsets):
        for partition, offset in offsets:
            if set(partition) != {"bucket", "object"}:
                raise ConnectError(
                    f"a partition is {{'bucket': directory, 'object': name}}, found"
                    f" {dict(partition)!r}",
                    code="bucketread.partition",
                )
            if offset is not None:
                _position(offset)
        return True


class BucketReadSourceTask(SourceTask):
    def __init__(self):
        self._stopping = threading.Event()

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._stopping.clear()
        self._directory = config["bucket.directory"]
        self._bucket = Bucket(
            Path(self._directory), config["bucket.suffix"], config["bucket.page.size"]
        )
        self._topic = config["topic"]
        self._part = config["bucket.part.bytes"]
        self._most = config["bucket.poll.records"]
        self._interval = config["bucket.interval.ms"] / 1000
        self._task = config["bucket.task"]
        self._tasks = config["bucket.tasks"]
        self._positions = {}

    def poll(self):
        records = []
        try:
            listed = [
                each
                for each in self._bucket.objects()
                if _owner(each.name, self._tasks) == self._task
            ]
            self._recall([each.name for each in listed])
            for each in listed:
                if len(records) == self._most:
                    break
                if self._positions[each.name] < each.size:
                    self._read(each, records)
        except OSError as error:
            if not records:
                self._stopping.wait(self._interval)
                raise RetriableError(
                    f"cannot read {self._directory}: {error}", code="bucketread.unreachable"
                ) from error
        except DataError:
            if not records:
                raise
        if not records:
            self._stopping.wait(self._interval)
        return records or None

    def stop(self):
        self._stopping.set()

    def _recall(self, names):
        """Look up the positions of objects that are seen for the first time."""
        partitions = [self._partition(name) for name in names if name not in self._positions]
        if not partitions:
            return
        for partition, offset in self.context.offset_storage_reader.offsets(partitions):
            self._positions[partition["object"]] = 0 if offset is None else _position(offset)

    def _partition(self, name):
        return {"bucket": self._directory, "object": name}

    def _read(self, listed, records):
        """Add the lines of an object's next part to the records."""
        begin = self._positions[listed.name]
        data = self._bucket.read(listed.name, begin, self._part)
        while b"\n" not in data and begin + len(data) < listed.size:
            more = self._bucket.read(listed.name, begin + len(data), self._part)
            if not more:
                return  # it is shorter than it was when it was listed
            data += more
        lines = data.split(b"\n")
        if begin + len(data) < listed.size or not lines[-1]:
            lines.pop()  # the rest of it is in the next part
        for line in lines:
            if len(records) == self._most:
                break
            end = min(begin + len(line) + 1, listed.size)
            records.append(self._record(listed, line, begin, end))
            self._positions[listed.name] = begin = end

    def _record(self, listed, line, begin, end):
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            raise DataError(
                f"{listed.name} is not UTF-8 at byte {begin + error.start}",
                code="bucketread.text",
                facts={"object": listed.name, "position": begin},
            ) from error
        return SourceRecord(
            self._partition(listed.name),
            {"position": end},
            self._topic,
            text,
            STRING_SCHEMA,
            key=listed.name,
            key_schema=STRING_SCHEMA,
            timestamp=listed.modified,
            headers=Headers().add_string("object", listed.name),
        )
