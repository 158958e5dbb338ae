"""Follows a directory of JSON documents, one a file, in shelves that are read side by side.

A shelf is a directory in it. Its documents are named by numbers, ``7.json``, which only grow; they
get these names when they are complete. Other files are none of this connector's.
"""

from __future__ import annotations

import json
import os
import re
import threading
import zlib

from plugwright import (
    BOOLEAN_SCHEMA,
    INT64_SCHEMA,
    STRING_SCHEMA,
    ConfigDef,
    ConfigType,
    ConnectError,
    DataError,
    Headers,
    Importance,
    NonEmptyString,
    NonEmptyStringWithoutControlChars,
    Range,
    RetriableError,
    SourceConnector,
    SourceRecord,
    SourceTask,
)

VERSION = "0.9.2"
NAME = re.compile(r"(0|[1-9][0-9]{0,17})\.json", re.ASCII)
LASTING = (FileNotFoundError, NotADirectoryError, PermissionError)
SCHEMAS = {str: STRING_SCHEMA, int: INT64_SCHEMA, bool: BOOLEAN_SCHEMA}

CONFIG = (
    ConfigDef()
    .define(
        "spool.directory",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyStringWithoutControlChars(),
        documentation="Directory with the shelves.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic that receives the documents.",
    )
    .define(
        "batch.max.documents",
        ConfigType.INT,
        default=200,
        importance=Importance.LOW,
        validator=Range.between(1, 5000),
        documentation="Most documents that are read at once.",
    )
    .define(
        "poll.interval.ms",
        ConfigType.INT,
        default=500,
        importance=Importance.LOW,
        validator=Range.between(10, 60_000),
        documentation="How long to wait if there is no new document.",
    )
)

TASK_CONFIG = (
    ConfigDef(CONFIG)
    .define(
        "task.number",
        ConfigType.INT,
        default=0,
        importance=Importance.LOW,
        validator=Range.at_least(0),
        documentation="Which of the tasks this is.",
        internal=True,
    )
    .define(
        "task.count",
        ConfigType.INT,
        default=1,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="How many tasks there are.",
        internal=True,
    )
)


class DocSpoolSourceConnector(SourceConnector):
    """Each task takes the shelves whose names fall to it, also those that appear later."""

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
        return DocSpoolSourceTask

    def task_configs(self, max_tasks):
        return [
            {**self._props, "task.number": str(number), "task.count": str(max_tasks)}
            for number in range(max_tasks)
        ]

    def stop(self):
        pass

    def alter_offsets(self, props, offsets):
        for partition, offset in offsets:
            if set(partition) != {"shelf"} or not isinstance(partition["shelf"], str):
                raise ConnectError(
                    f"a partition must be {{'shelf': name}}, found {dict(partition)!r}",
                    code="docspool.partition",
                )
            if offset is not None:
                _place(offset, partition["shelf"])
        return False


class DocSpoolSourceTask(SourceTask):
    """Opens a file only while it is read, so that there is nothing to release."""

    def __init__(self):
        self._stopping = threading.Event()

    def version(self):
        return VERSION

    def start(self, props):
        config = TASK_CONFIG.parse(props)
        self._directory = config["spool.directory"]
        self._topic = config["topic"]
        self._most = config["batch.max.documents"]
        self._pause_s = config["poll.interval.ms"] / 1000
        self._number, self._count = config["task.number"], config["task.count"]
        self._after = {}
        self._last = ""

    def poll(self):
        for shelf in self._shelves():
            if self._stopping.is_set():
                return None
            if records := self._next(shelf):
                self._after[shelf] = records[-1].source_offset["after"]
                self._last = shelf
                return records
        self._stopping.wait(self._pause_s)
        return None

    def stop(self):
        self._stopping.set()

    def _shelves(self):
        """The shelves of this task, beginning behind the one that was read last."""
        try:
            with os.scandir(self._directory) as found:
                names = sorted(entry.name for entry in found if entry.is_dir())
        except OSError as error:
            kind = ConnectError if isinstance(error, LASTING) else RetriableError
            raise self._failure(kind, self._directory, error) from error
        own = [
            name
            for name in names
            if zlib.crc32(os.fsencode(name)) % self._count == self._number
            and _text(name).isprintable()
            and not name.startswith(".")
        ]
        return [name for name in own if name > self._last] + [
            name for name in own if name <= self._last
        ]

    def _next(self, shelf):
        """The records of the next documents, up to the first one that cannot be read."""
        if shelf not in self._after:
            stored = self.context.offset_storage_reader.offset({"shelf": _text(shelf)})
            self._after[shelf] = -1 if stored is None else _place(stored, shelf)
        records = []
        for number in self._waiting(shelf)[: self._most]:
            try:
                records.append(self._record(shelf, number))
            except ConnectError:
                if not records:
                    raise
                break  # it is the first one of the next batch
        return records

    def _waiting(self, shelf):
        """The numbers of the documents that have not been read, in order."""
        path = os.path.join(self._directory, shelf)
        try:
            names = os.listdir(path)
        except OSError as error:
            kind = ConnectError if isinstance(error, PermissionError) else RetriableError
            raise self._failure(kind, path, error) from error
        numbers = [int(match[1]) for name in names if (match := NAME.fullmatch(name))]
        return sorted(number for number in numbers if number > self._after[shelf])

    def _record(self, shelf, number):
        path = os.path.join(self._directory, shelf, f"{number}.json")
        try:
            with open(path, "rb") as file:
                content = file.read()
        except OSError as error:
            kind = ConnectError if isinstance(error, PermissionError) else RetriableError
            raise self._failure(kind, path, error) from error
        document = _document(content, path)
        value = document["value"]
        key = document.get("key")
        headers = Headers()
        for name, text in document.get("headers", {}).items():
            headers.add_string(name, text)
        return SourceRecord(
            {"shelf": _text(shelf)},
            {"after": number},
            self._topic,
            value,
            SCHEMAS[type(value)],
            key=key,
            key_schema=None if key is None else STRING_SCHEMA,
            timestamp=document.get("time"),
            headers=headers,
        )

    def _failure(self, kind, path, error):
        return kind(
            f"{path} cannot be read: {type(error).__name__}: {error}",
            code="docspool.file",
            facts={"path": path},
        )


def _text(name):
    """The name of a shelf, which is UTF-8 on the disk whatever this process reads names as."""
    return os.fsencode(name).decode("utf-8", "surrogateescape")


def _document(content, path):
    """The document in a file, checked."""
    try:
        document = json.loads(content.decode("utf-8"))
        json.dumps(document, ensure_ascii=False).encode("utf-8")  # half a surrogate pair cannot be
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} is no JSON document: {error}", code="docspool.json") from error
    if not isinstance(document, dict):
        raise DataError(f"{path} must be an object", code="docspool.object")
    value = document.get("value")
    if type(value) not in SCHEMAS or (type(value) is int and not -(2**63) <= value < 2**63):
        raise DataError(
            f"value must be a text, a truth value or a whole number of 64 bits, "
            f"found {type(value).__name__} {str(value)[:60]!r} in {path}",
            code="docspool.value",
        )
    key, time, headers = (document.get(name) for name in ("key", "time", "headers"))
    if not isinstance(key, str | None) or not (time is None or (type(time) is int and time >= 0)):
        raise DataError(
            f"key must be a text and time a number, found {key!r} and {time!r} in {path}",
            code="docspool.key",
        )
    if "headers" in document and (
        not isinstance(headers, dict) or not all(isinstance(t, str) for t in headers.values())
    ):
        raise DataError(f"headers must be texts in {path}", code="docspool.headers")
    return document


def _place(offset, shelf):
    """The number in an offset, which an operator may have changed."""
    number = offset.get("after")
    if set(offset) != {"after"} or type(number) is not int or number < -1:
        raise ConnectError(
            f"an offset of shelf {shelf!r} must be {{'after': number}}, found {dict(offset)!r}",
            code="docspool.offset",
        )
    return number
