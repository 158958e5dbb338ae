"""Reads a directory of books, files that grow by lines, and divides the books among tasks."""

from __future__ import annotations

import errno
import json
import threading
from pathlib import Path

from plugwright import (
    STRING_SCHEMA,
    ConfigDef,
    ConfigType,
    ConnectError,
    DataError,
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
TRANSIENT = {errno.EAGAIN, errno.EINTR, errno.EIO}
CONFIG = (
    ConfigDef()
    .define(
        "directory",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Directory of the books, which are there before the connector starts.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic that receives a record for each line.",
    )
    .define(
        "batch.max.lines",
        ConfigType.INT,
        default=25,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="The most lines of one book in one poll.",
    )
)


class LedgerFeedConnector(SourceConnector):
    """Each task gets books of its own."""

    def version(self):
        return VERSION

    def config(self):
        return CONFIG

    def start(self, props):
        self.props = dict(props)
        self.directory = Path(CONFIG.parse(props)["directory"])

    def task_class(self):
        return LedgerFeedTask

    def task_configs(self, max_tasks):
        try:
            names = sorted(path.name for path in self.directory.iterdir() if path.suffix == ".book")
        except OSError as error:
            raise ConnectError(
                f"cannot list {self.directory}: {error}",
                code="ledgerfeed.list",
                facts={"directory": str(self.directory)},
            ) from error
        if not names:
            return []
        configs = []
        for group in group_partitions(names, min(max_tasks, len(names))):
            config = dict(self.props)
            config["books"] = json.dumps(group)
            configs.append(config)
        return configs

    def stop(self):
        pass


class LedgerFeedTask(SourceTask):
    """Keeps its books open."""

    def __init__(self):
        self._stopping = threading.Event()
        self._files = {}
        self._positions = {}

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._directory = Path(config["directory"])
        self._topic = config["topic"]
        self._limit = config["batch.max.lines"]
        self._books = json.loads(props["books"])
        self._stopping.clear()
        self._positions.clear()
        for book in self._books:
            stored = self.context.offset_storage_reader.offset(self._partition(book))
            self._positions[book] = 0 if stored is None else _position(stored)
        self._files = self._opened()

    def poll(self):
        records = []
        try:
            for book in self._books:
                records += self._lines(book)
        except OSError as error:
            raise self._failure(error) from error
        for record in records:
            self._positions[record.source_partition["book"]] = _position(record.source_offset)
        if not records:
            self._stopping.wait(0.1)
        return records or None

    def stop(self):
        self._stopping.set()
        files, self._files = self._files, {}
        for file in files.values():
            file.close()

    def _opened(self):
        files = {}
        try:
            for book in self._books:
                files[book] = (self._directory / book).open("rb")
        except OSError as error:
            for file in files.values():
                file.close()
            raise self._failure(error) from error
        return files

    def _lines(self, book):
        (self._directory / book).stat()
        file, position = self._files[book], self._positions[book]
        file.seek(position)
        records = []
        while len(records) < self._limit:
            line = file.readline()
            if not line.endswith(b"\n"):
                break
            position += len(line)
            try:
                records.append(self._record(book, json.loads(line), position))
            except DataError:
                if records:
                    break
                raise
        return records

    def _record(self, book, entry, position):
        text, at = entry["text"], entry["at"]
        if not isinstance(text, str):
            raise DataError(
                f"{book} has a {type(text).__name__} before byte {position}, expected text",
                code="ledgerfeed.text",
            )
        return SourceRecord(
            source_partition=self._partition(book),
            source_offset={"position": position},
            topic=self._topic,
            value=text,
            value_schema=STRING_SCHEMA,
            timestamp=at,
        )

    def _partition(self, book):
        return {"book": book}

    def _failure(self, error):
        return (RetriableError if error.errno in TRANSIENT else ConnectError)(
            f"cannot read {self._directory}: {error}",
            code="ledgerfeed.read",
            facts={"directory": str(self._directory)},
        )


def _position(offset):
    """The position in an offset, which an operator may have written."""
    value = offset.get("position")
    if set(offset) != {"position"} or type(value) is not int or value < 0:
        raise ConnectError(
            f"an offset must be {{'position': whole number from 0}}, found {dict(offset)!r}",
            code="ledgerfeed.offset",
        )
    return value
