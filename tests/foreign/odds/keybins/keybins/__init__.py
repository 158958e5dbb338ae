"""Keeps the latest value of each key in small files, which are replaced; a tombstone removes it."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import zlib
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

VERSION = "1.0.0"
BINS = 8
PERMANENT = {
    errno.EACCES,
    errno.EISDIR,
    errno.ENAMETOOLONG,
    errno.ENOENT,
    errno.ENOTDIR,
    errno.EPERM,
    errno.EROFS,
    None,
}
CONFIG = (
    ConfigDef()
    .define(
        "bins.directory",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Directory of the files; it must exist.",
    )
    .define(
        "bins.sync",
        ConfigType.BOOLEAN,
        default=True,
        importance=Importance.LOW,
        documentation="Whether files have to be on the disk before offsets are committed.",
    )
)


class KeyBinsSinkConnector(SinkConnector):
    """Any number of tasks write; each partition has files of its own."""

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
        return KeyBinsSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass


class KeyBinsSinkTask(SinkTask):
    """Bins are changed in memory, and written before offsets are committed.

    A bin knows the offset up to which it has the changes of its partition, so older ones that
    come again do not bring older values back.
    """

    def __init__(self):
        self._bins = {}

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._directory = Path(config["bins.directory"])
        self._sync = config["bins.sync"]
        self._bins = {}

    def put(self, records):
        changes = []
        for record in records:
            try:
                changes.append((record, _name(record), _plain(record.value, _where(record))))
            except DataError as error:
                reporter = self.context.errant_record_reporter()
                if reporter is None:
                    raise
                reporter.report(record, error)
        for record, name, value in changes:
            found = self._bin(record, name)
            offset = record.original_kafka_offset
            if offset < found["next"]:
                continue
            if record.value is None:
                found["entries"].pop(name, None)
            else:
                found["entries"][name] = {"value": value, "at": record.timestamp}
            found["next"] = offset + 1

    def flush(self, offsets):
        for (place, topic, number), content in list(self._bins.items()):
            self._write(self._path(place, topic, number), content)
            del self._bins[place, topic, number]

    def close(self, partitions):
        gone = set(partitions)
        self._bins = {at: found for at, found in self._bins.items() if at[0] not in gone}

    def stop(self):
        self._bins = {}

    def _bin(self, record, name):
        place = TopicPartition(record.original_topic, record.original_kafka_partition)
        number = zlib.crc32(name.encode()) % BINS
        at = (place, record.topic, number)
        if at not in self._bins:
            self._bins[at] = self._read(self._path(*at))
        return self._bins[at]

    def _path(self, place, topic, number):
        part = f"{quote(place.topic, safe='')}-{place.partition}"
        return self._directory / f"t+{quote(topic, safe='')}" / part / f"{number:02d}.json"

    def _read(self, path):
        try:
            found = json.loads(path.read_text("utf-8"))
            return {**found, "read": found["next"]}
        except FileNotFoundError:
            if self._directory.is_dir():
                return {"next": 0, "entries": {}, "read": 0}
            raise self._failure(path, f"{self._directory} is not a directory") from None
        except OSError as error:
            raise self._failure(path, error) from error
        except ValueError as error:
            raise DataError(
                f"{path} is no bin of keys: {error}",
                code="keybins.file",
                hint="remove the file, and go back to the first offset of its partition",
            ) from error

    def _write(self, path, content):
        draft = path.with_suffix(".draft")
        try:
            path.parent.parent.mkdir(exist_ok=True)
            path.parent.mkdir(exist_ok=True)
            with _locked(path.parent):
                self._require_unchanged(path, content)
                self._replace(path, draft, content)
        except OSError as error:
            raise self._failure(path, error) from error

    def _require_unchanged(self, path, content):
        """Another task may have had the partition meanwhile; its changes must stay."""
        if self._read(path)["next"] != content["read"]:
            self._bins = {}
            raise RetriableError(
                f"{path} was written by another task meanwhile", code="keybins.behind"
            )

    def _replace(self, path, draft, content):
        with draft.open("w", encoding="utf-8") as file:
            json.dump({name: content[name] for name in ("next", "entries")}, file)
            file.flush()
            if self._sync:
                os.fsync(file.fileno())
        draft.replace(path)

    def _failure(self, path, error):
        permanent = getattr(error, "errno", None) in PERMANENT
        return (ConnectError if permanent else RetriableError)(
            f"cannot keep keys in {path}: {error}",
            code="keybins.file",
            facts={"file": str(path)},
        )


@contextlib.contextmanager
def _locked(directory):
    """No other task writes here."""
    held = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def _where(record):
    return (
        f"{record.original_topic}-{record.original_kafka_partition}@{record.original_kafka_offset}"
    )


def _name(record):
    """A text for a key, which no other key has."""
    where = _where(record)
    if record.key is None:
        raise DataError(f"a key is needed, found none at {where}", code="keybins.key")
    return json.dumps(_plain(record.key, where), sort_keys=True)


def _plain(value, where):
    """A value as JSON has it."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case list() | tuple():
            return [_plain(each, where) for each in value]
        case dict() if all(isinstance(name, str) for name in value):
            return {name: _plain(each, where) for name, each in value.items()}
    raise DataError(
        f"keys and values have to be JSON, found {type(value).__name__} at {where}",
        code="keybins.value",
    )
