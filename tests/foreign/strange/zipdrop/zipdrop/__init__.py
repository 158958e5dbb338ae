"""Reads nightly archives that a partner drops in a directory, as on an FTP server.

An archive is a zip file with members of JSON lines. It is complete when there is an empty file of
the same name with ``.done`` at its end. Archives are read in the order of their names, their
members in the order of the archive. Nothing is moved or removed.
"""

# ruff: noqa: D102  # the methods are those of the contract

from __future__ import annotations

import json
import os
import threading
import zipfile
import zlib
from datetime import datetime
from decimal import Decimal as Number
from decimal import InvalidOperation
from pathlib import Path

from plugwright import (
    BOOLEAN_SCHEMA,
    INT64_SCHEMA,
    OPTIONAL_STRING_SCHEMA,
    STRING_SCHEMA,
    ConfigDef,
    ConfigType,
    ConnectError,
    DataError,
    Decimal,
    ExactlyOnceSupport,
    Importance,
    NonEmptyString,
    Range,
    RetriableError,
    SchemaBuilder,
    SourceConnector,
    SourceRecord,
    SourceTask,
    Struct,
    Timestamp,
)

VERSION = "0.4.0"
ROW = (
    SchemaBuilder.struct()
    .name("zipdrop.Row")
    .field("number", INT64_SCHEMA)
    .field("name", STRING_SCHEMA)
    .field("price", Decimal.schema(2))
    .field("due", Timestamp.SCHEMA)
    .field("open", BOOLEAN_SCHEMA)
    .field("note", OPTIONAL_STRING_SCHEMA)
    .build()
)

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
        "drop.directory",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Directory of the archives.",
    )
    .define(
        "drop.batch",
        ConfigType.INT,
        default=500,
        validator=Range.between(1, 10000),
        documentation="The most rows that one poll returns.",
    )
    .define(
        "drop.interval.ms",
        ConfigType.INT,
        default=5000,
        validator=Range.between(1, 60000),
        documentation="How often to look for archives.",
    )
)


class ZipDropSourceConnector(SourceConnector):
    """Archives have an order, so there is one task."""

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
        return ZipDropSourceTask

    def task_configs(self, max_tasks):
        return [dict(self._props)]

    def stop(self):
        pass

    def exactly_once_support(self, props):
        return ExactlyOnceSupport.SUPPORTED

    def alter_offsets(self, props, offsets):
        for partition, offset in offsets:
            if set(partition) != {"directory"}:
                raise ConnectError(
                    f"a partition is {{'directory': path}}, found {dict(partition)!r}",
                    code="zipdrop.partition",
                )
            if offset is not None:
                _place(offset)
        return False


class ZipDropSourceTask(SourceTask):
    """Reads on from a row of a member of an archive; has no file open between polls."""

    def __init__(self):
        self._stopping = threading.Event()

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._topic = config["topic"]
        self._directory = Path(config["drop.directory"])
        self._batch = config["drop.batch"]
        self._pause = config["drop.interval.ms"] / 1000
        self._partition = {"directory": config["drop.directory"]}
        stored = self.context.offset_storage_reader.offset(self._partition)
        self._place = _place(stored) if stored else ("", "", 0)
        self._stopping.clear()

    def poll(self):
        try:
            records = self._read()
        except OSError as error:
            self._stopping.wait(min(self._pause, 1))
            raise RetriableError(
                f"the archives in {self._directory} cannot be read: {error}",
                code="zipdrop.read",
                facts={"directory": str(self._directory)},
            ) from error
        if not records:
            self._stopping.wait(self._pause)
            return None
        return records

    def stop(self):
        self._stopping.set()

    def _read(self):
        """Rows of the first archive that has any left."""
        for name in self._archives():
            if name < self._place[0] or self._stopping.is_set():
                continue
            records = []
            try:
                with zipfile.ZipFile(self._directory / name) as archive:
                    self._read_archive(name, archive, records)
            except DataError:
                if not records:
                    raise
            except (zipfile.BadZipFile, zlib.error, EOFError) as error:
                if not records:
                    raise _broken(name, error) from error
            if records:
                self._place = _place(records[-1].source_offset)
                return records
        return []

    def _archives(self):
        """The names of the archives that are complete, in order."""
        names = set(os.listdir(self._directory))  # noqa: PTH208  # glob hides errors
        return sorted(n for n in names if n.endswith(".zip") and f"{n}.done" in names)

    def _read_archive(self, name, archive, records):
        """Add rows behind the place, up to the limit."""
        members = [each for each in archive.namelist() if each.endswith(".jsonl")]
        seen, member, count = self._place
        if name == seen:
            if member not in members:
                raise _broken(name, f"it has no member {member} any more")
            members = members[members.index(member) :]
        for each in members:
            skipped = count if (name, each) == (seen, member) else 0
            self._read_member(name, archive, each, skipped, records)
            if len(records) >= self._batch:
                break

    def _read_member(self, name, archive, member, skipped, records):
        with archive.open(member) as file:
            for number, line in enumerate(file, 1):
                if number <= skipped:
                    continue
                row = _row(line, f"row {number} of {member} in {name}")
                offset = {"archive": name, "member": member, "row": number}
                records.append(SourceRecord(dict(self._partition), offset, self._topic, row, ROW))
                if len(records) >= self._batch:
                    break


def _broken(name, error):
    return DataError(
        f"archive {name} cannot be read: {error}",
        code="zipdrop.archive",
        hint="have the archive sent again, or set the offset behind it",
        facts={"archive": name},
    )


def _row(line, where):
    row = Struct(ROW)
    try:
        fields = json.loads(line)
        row["number"] = fields["number"]
        row["name"] = fields["name"]
        row["price"] = Number(fields["price"])
        row["due"] = datetime.fromisoformat(fields["due"])
        row["open"] = fields["open"]
        row["note"] = fields.get("note")
        row.validate()
    except (ValueError, KeyError, TypeError, AttributeError, InvalidOperation, DataError) as error:
        raise DataError(
            f"{where} is not a row: {type(error).__name__}: {error}",
            code="zipdrop.row",
            facts={"where": where},
        ) from error
    return row


def _place(offset):
    """Archive, member and row of an offset, which an operator may have changed."""
    place = offset.get("archive"), offset.get("member"), offset.get("row")
    good = all(isinstance(name, str) and name for name in place[:2])
    if not good or type(place[2]) is not int or place[2] < 0 or len(offset) != len(place):
        raise ConnectError(
            "an offset has archive and member, texts, and row, a number from 0 on, found"
            f" {dict(offset)!r}",
            code="zipdrop.offset",
        )
    return place
