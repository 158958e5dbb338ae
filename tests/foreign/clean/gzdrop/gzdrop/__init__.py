"""gzdrop: gzip'ed files of JSON lines, as devices upload them, to Kafka.

Files appear in the directory under their final name when they are complete, and do not change
afterwards. The checkpoint of a file is the number of its lines that were read; a task takes the
files whose names hash to its number, so no list of files has to be handed out.
"""

from __future__ import annotations

import base64
import gzip
import itertools
import json
import threading
import zlib
from datetime import datetime
from pathlib import Path
from typing import Any, Iterator, NamedTuple

from plugwright import (
    BOOLEAN_SCHEMA,
    FLOAT64_SCHEMA,
    INT32_SCHEMA,
    OPTIONAL_BYTES_SCHEMA,
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
    Schema,
    SchemaBuilder,
    SourceConnector,
    SourceRecord,
    SourceTask,
    Struct,
    Timestamp,
)

__all__ = ["GzDropSourceConnector", "GzDropSourceTask"]
__version__ = "2024.5"

SUFFIX = ".ndjson.gz"
DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error)

READING: Schema = (
    SchemaBuilder.struct().name("gzdrop.Reading").version(1)
    .field("sensor", STRING_SCHEMA)
    .field("value", FLOAT64_SCHEMA)
    .field("samples", INT32_SCHEMA)
    .field("valid", BOOLEAN_SCHEMA)
    .field("taken", Timestamp.SCHEMA)
    .field("raw", OPTIONAL_BYTES_SCHEMA)
    .build()
)


def settings() -> ConfigDef:
    d = ConfigDef()
    d.define("drop.dir", ConfigType.STRING, importance=Importance.HIGH, validator=NonEmptyString(),
             documentation=f"Directory with the files; their names end with {SUFFIX}.")
    d.define("topic", ConfigType.STRING, importance=Importance.HIGH, validator=NonEmptyString(),
             documentation="Topic of the readings.")
    d.define("max.batch", ConfigType.INT, 1000, Importance.MEDIUM,
             "Upper limit of records per poll.", validator=Range.between(1, 19999))
    d.define("scan.interval.ms", ConfigType.INT, 2000, Importance.LOW,
             "How often to look for new files, in milliseconds.", validator=Range.at_least(1))
    d.define("task.number", ConfigType.INT, 0, Importance.LOW,
             "Set by the connector: which task this is.", internal=True)
    d.define("task.count", ConfigType.INT, 1, Importance.LOW,
             "Set by the connector: how many tasks there are.", internal=True)
    return d


SETTINGS = settings()


class GzDropSourceConnector(SourceConnector):
    def version(self) -> str:
        return __version__

    def config(self) -> ConfigDef:
        return SETTINGS

    def start(self, props) -> None:
        SETTINGS.parse(props)
        self._props = dict(props)

    def stop(self) -> None:
        """Nothing is held."""

    def task_class(self) -> type[SourceTask]:
        return GzDropSourceTask

    def task_configs(self, max_tasks: int):
        return [{**self._props, "task.number": str(n), "task.count": str(max_tasks)}
                for n in range(max_tasks)]

    def alter_offsets(self, props, offsets) -> bool:
        for partition, offset in offsets:
            match dict(partition):
                case {"file": str(), **rest} if not rest:
                    checkpoint(offset)
                case other:
                    raise ConnectError(f"a source partition has one key, 'file': {other}")
        return True


def checkpoint(offset) -> int:
    """How many lines of a file were read, by its stored offset."""
    match None if offset is None else dict(offset):
        case None:
            return 0
        case {"lines": int(lines), **rest} if not rest and type(lines) is int and lines >= 0:
            return lines
        case other:
            raise ConnectError(f"bad offset {other}: expected the number of 'lines'")


class Line(NamedTuple):
    number: int
    text: bytes


def lines_of(path: Path, skip: int) -> Iterator[Line]:
    with gzip.open(path, "rb") as stream:
        for number, text in itertools.islice(enumerate(stream, 1), skip, None):
            yield Line(number, text)


def reading(text: bytes) -> Struct:
    """Raises ValueError, KeyError, TypeError or DataError if the line has no reading."""
    data: dict[str, Any] = json.loads(text)
    raw = data.get("raw")
    struct = Struct(READING)
    struct["sensor"] = data["sensor"]
    value = data["value"]
    struct["value"] = float(value) if type(value) is int else value
    struct["samples"] = data["samples"]
    struct["valid"] = data["valid"]
    struct["taken"] = datetime.fromisoformat(data["taken"])
    struct["raw"] = None if raw is None else base64.b64decode(raw, validate=True)
    struct.validate()
    return struct


class GzDropSourceTask(SourceTask):
    def __init__(self) -> None:
        self._stop_requested = threading.Event()
        self._polling = threading.Lock()
        self._current: tuple[Path, Iterator[Line]] | None = None

    def version(self) -> str:
        return __version__

    def start(self, props) -> None:
        s = SETTINGS.parse(props)
        self._stop_requested.clear()
        self._directory = Path(s["drop.dir"])
        self._topic: str = s["topic"]
        self._limit: int = s["max.batch"]
        self._interval: float = s["scan.interval.ms"] / 1000
        self._number, self._count = s["task.number"], s["task.count"]
        self._finished: set[str] = set()
        self._progress: dict[str, int] = {}

    def stop(self) -> None:
        self._stop_requested.set()
        with self._polling:
            self._close()

    def poll(self):
        with self._polling:
            return self._poll()

    def _poll(self):
        try:
            while not self._stop_requested.is_set():
                if self._current is None and not self._open_next():
                    self._stop_requested.wait(self._interval)
                    return None
                records = self._read_batch()
                if records:
                    return records
        except DataError:
            self._close()
            raise
        except OSError as error:
            self._close()
            kind = ConnectError
            if not isinstance(error, (NotADirectoryError, PermissionError)):
                kind = RetriableError
                self._stop_requested.wait(self._interval)
            raise kind(f"{self._directory} cannot be read: {error}") from error
        return None

    def _mine(self, name: str) -> bool:
        return zlib.crc32(name.encode("utf-8", "surrogateescape")) % self._count == self._number

    def _open_next(self) -> bool:
        names = sorted(p.name for p in self._directory.iterdir() if p.name.endswith(SUFFIX))
        self._finished.intersection_update(names)
        for name in names:
            if name not in self._finished and self._mine(name):
                break
        else:
            return False
        if name not in self._progress:
            stored = self.context.offset_storage_reader.offset({"file": name})
            self._progress[name] = checkpoint(stored)
        path = self._directory / name
        self._current = path, lines_of(path, self._progress[name])
        return True

    def _close(self) -> None:
        if self._current is not None:
            self._current[1].close()
            self._current = None

    def _read_batch(self) -> list[SourceRecord]:
        path, lines = self._current
        records: list[SourceRecord] = []
        try:
            while len(records) < self._limit:
                line = next(lines, None)
                if line is None:
                    self._close()
                    self._finished.add(path.name)
                    self._progress.pop(path.name, None)
                    break
                if line.text.strip():
                    records.append(self._record(path.name, line))
                self._progress[path.name] = line.number
        except FileNotFoundError:
            self._close()
            if not self._directory.exists():
                raise
            self._progress.pop(path.name, None)  # someone has removed it since it was listed
        except DAMAGED as error:
            self._close()
            if not records:
                raise DataError(f"{path.name} is damaged after line "
                                f"{self._progress[path.name]}: {error}") from error
        except (DataError, OSError):
            self._close()  # the line comes again, after the records before it
            if not records:
                raise
        return records

    def _record(self, name: str, line: Line) -> SourceRecord:
        try:
            value = reading(line.text)
        except (ValueError, LookupError, TypeError, AttributeError, OverflowError, DataError) as error:
            raise DataError(f"{name}, line {line.number}: {error}",
                            facts={"file": name, "line": line.number}) from error
        headers = Headers().add_string("gzdrop.file", name).add_long("gzdrop.line", line.number)
        return SourceRecord({"file": name}, {"lines": line.number}, self._topic, value, READING,
                            headers=headers)
