"""The task: follows its files in turn."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

from dropbox.connector import TASK_CONFIG, VERSION, position_of
from plugwright import (
    STRING_SCHEMA,
    ConnectError,
    DataError,
    RetriableError,
    SourceRecord,
    SourceTask,
)

_CHUNK = 64 * 1024
_WAIT_S = 0.1


class DropboxTask(SourceTask):
    def __init__(self):
        self._stopping = threading.Event()
        self._positions = {}

    def version(self):
        return VERSION

    def start(self, props):
        config = TASK_CONFIG.parse(props)
        self._directory = Path(config["directory"])
        self._topic = config["topic"]
        self._limit = config["batch.lines"]
        names = json.loads(config["files"])
        partitions = [{"file": name} for name in names]
        stored = self.context.offset_storage_reader.offsets(partitions)
        self._positions = {
            partition["file"]: 0 if offset is None else position_of(offset)
            for partition, offset in stored
        }
        self._turn = 0
        self._stopping.clear()

    def poll(self):
        names = list(self._positions)
        for _ in names:
            if self._stopping.is_set():
                return None
            name = names[self._turn % len(names)]
            self._turn += 1
            records = self._read(name)
            if records:
                return records
        self._stopping.wait(_WAIT_S)
        return None

    def stop(self):
        self._stopping.set()

    def _read(self, name):
        path = self._directory / name
        position = self._positions[name]
        try:
            with path.open("rb") as file:
                if os.fstat(file.fileno()).st_size < position:
                    raise ConnectError(
                        f"{path} is shorter than {position} bytes, which were read",
                        code="dropbox.truncated",
                    )
                file.seek(position)
                lines = self._lines(file)
        except FileNotFoundError:
            return []  # it was taken away; the connector will notice
        except (PermissionError, NotADirectoryError, IsADirectoryError) as error:
            raise ConnectError(
                f"{path} cannot be read: {error.strerror}", code="dropbox.unreadable"
            ) from error
        except OSError as error:
            self._stopping.wait(_WAIT_S)
            raise RetriableError(
                f"{path} cannot be read now: {error.strerror}", code="dropbox.unreadable"
            ) from error
        return self._records(name, position, lines)

    def _lines(self, file):
        """Complete lines, without what ends them, up to the limit."""
        lines, rest = [], b""
        while len(lines) < self._limit:
            chunk = file.read(_CHUNK)
            if not chunk:
                break
            *complete, rest = (rest + chunk).split(b"\n")
            lines += complete
        return lines[: self._limit]

    def _records(self, name, position, lines):
        records = []
        for line in lines:
            try:
                text = self._text(name, position, line)
            except DataError:
                if records:
                    break
                raise
            position += len(line) + 1
            records.append(
                SourceRecord(
                    {"file": name},
                    {"position": position},
                    self._topic,
                    text,
                    STRING_SCHEMA,
                    key=name,
                    key_schema=STRING_SCHEMA,
                )
            )
        self._positions[name] = position
        return records

    def _text(self, name, position, line):
        try:
            value = json.loads(line.decode("utf-8"))
        except ValueError as error:
            raise DataError(
                f"{name} has no JSON at byte {position}: {error}", code="dropbox.no-json"
            ) from error
        if not isinstance(value, str):
            raise DataError(
                f"{name} has {type(value).__name__} at byte {position}, expected text",
                code="dropbox.not-text",
            )
        return value
