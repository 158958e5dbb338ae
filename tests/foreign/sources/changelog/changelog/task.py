"""The task: changes of its shards, each shard in its order."""

from __future__ import annotations

import json
import threading
from pathlib import Path

from changelog.connector import TASK_CONFIG, VERSION, place_of
from plugwright import (
    OPTIONAL_STRING_SCHEMA,
    STRING_SCHEMA,
    ConnectError,
    DataError,
    Headers,
    RetriableError,
    SourceRecord,
    SourceTask,
)


class Shard:
    """One shard, with the segment that is being read kept open."""

    def __init__(self, directory, segment, position):
        self.directory = directory
        self.segment, self.position = segment, position
        self.file = None

    def lines(self, limit):
        """Complete lines with the place after each; they are not consumed before `advance`."""
        found = []
        segment, position = self.segment, self.position
        while len(found) < limit:
            line = self._line(segment, position)
            if line is not None:
                position += len(line)
                found.append((line[:-1], segment, position))
            elif self._path(segment + 1).exists() and self._line(segment, position) is None:
                segment, position = segment + 1, 0
            else:
                break
        return found

    def advance(self, segment, position):
        self.segment, self.position = segment, position

    def close(self):
        if self.file is not None:
            self.file[1].close()
            self.file = None

    def _path(self, segment):
        return self.directory / f"{segment:06d}.log"

    def _line(self, segment, position):
        if self.file is None or self.file[0] != segment:
            self.close()
            try:
                self.file = segment, self._path(segment).open("rb")
            except FileNotFoundError:
                if segment == 1 and position == 0 and not self._later(segment):
                    return None
                raise ConnectError(
                    f"segment {self._path(segment)} is gone", code="changelog.gone"
                ) from None
        file = self.file[1]
        if file.tell() != position:
            file.seek(position)
        line = file.readline()
        if line.endswith(b"\n"):
            return line
        file.seek(position)
        return None

    def _later(self, segment):
        return any(path.name > self._path(segment).name for path in self.directory.glob("*.log"))


class ChangeLogTask(SourceTask):
    def __init__(self):
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._shards = {}

    def version(self):
        return VERSION

    def start(self, props):
        config = TASK_CONFIG.parse(props)
        self._topic = config["topic"]
        self._limit = config["batch.changes"]
        self._deletes = config["emit.deletes"]
        self._wait_s = config["poll.interval.ms"] / 1000
        directory = Path(config["log.directory"])
        stored = self.context.offset_storage_reader.offsets(
            [{"shard": name} for name in config["task.shards"]]
        )
        self._shards = {}
        for partition, offset in stored:
            segment, position = (1, 0) if offset is None else place_of(offset)
            self._shards[partition["shard"]] = Shard(
                directory / partition["shard"], segment, position
            )
        self._stopping.clear()

    def poll(self):
        with self._lock:
            if self._stopping.is_set():
                return None
            records = []
            share = max(1, self._limit // max(1, len(self._shards)))
            for name, shard in self._shards.items():
                try:
                    self._read(name, shard, share, records)
                except (DataError, ConnectError):
                    if not records:
                        raise
                    break
                except OSError as error:
                    shard.close()
                    if not records:
                        raise self._failure(name, error) from error
                    break
        if records:
            return records
        self._stopping.wait(self._wait_s)
        return None

    def stop(self):
        self._stopping.set()
        with self._lock:
            for shard in self._shards.values():
                shard.close()

    def _read(self, name, shard, limit, records):
        for line, segment, position in shard.lines(limit):
            record = self._record(name, line, segment, position)
            if record is not None:
                records.append(record)
            shard.advance(segment, position)

    def _record(self, name, line, segment, position):
        try:
            change = json.loads(line)
        except ValueError as error:
            raise DataError(
                f"shard {name} has no change before byte {position} of segment {segment}: {error}",
                code="changelog.not-json",
            ) from error
        value = change["value"]
        if value is not None and not isinstance(value, str):
            raise DataError(
                f"shard {name} has {type(value).__name__} as the value of {change['key']!r}, expected text",
                code="changelog.not-text",
            )
        if value is None and not self._deletes:
            return None
        headers = Headers()
        headers.add("op", change["op"], STRING_SCHEMA)
        for header, text in change.get("headers", {}).items():
            headers.add(header, text, STRING_SCHEMA)
        return SourceRecord(
            {"shard": name},
            {"segment": segment, "position": position},
            self._topic,
            value,
            OPTIONAL_STRING_SCHEMA,
            key=change["key"],
            key_schema=STRING_SCHEMA,
            timestamp=change["ts"],
            headers=headers,
        )

    def _failure(self, name, error):
        if isinstance(error, (PermissionError, NotADirectoryError, IsADirectoryError)):
            return ConnectError(
                f"shard {name} cannot be read: {error}", code="changelog.unreadable"
            )
        self._stopping.wait(self._wait_s)
        return RetriableError(
            f"shard {name} cannot be read now: {error}", code="changelog.unreadable"
        )
