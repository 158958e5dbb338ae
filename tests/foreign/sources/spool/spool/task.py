"""The task: a window of messages, each removed when it was acknowledged."""

from __future__ import annotations

import threading
from pathlib import Path

from plugwright import (
    STRING_SCHEMA,
    ConnectError,
    DataError,
    RetriableError,
    SourceRecord,
    SourceTask,
)
from spool.connector import CONFIG, VERSION

_WAIT_S = 0.05


class SpoolTask(SourceTask):
    def __init__(self):
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._under_way = set()

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._spool, self._topic, self._window = (
            Path(config["spool"]),
            config["topic"],
            config["window"],
        )
        with self._lock:
            self._under_way.clear()
        self._stopping.clear()

    def poll(self):
        with self._lock:
            taken = set(self._under_way)
        try:
            names = sorted(path.name for path in self._spool.iterdir() if path.suffix == ".msg")
        except OSError as error:
            raise self._failure(error) from error
        fresh = [name for name in names if name not in taken][: max(0, self._window - len(taken))]
        records = []
        for name in fresh:
            try:
                text = (self._spool / name).read_bytes().decode("utf-8")
            except UnicodeDecodeError as error:
                if records:
                    break
                raise DataError(
                    f"message {name} is not UTF-8 at byte {error.start}", code="spool.not-utf-8"
                ) from error
            except OSError as error:
                if records:
                    break
                raise self._failure(error) from error
            records.append(
                SourceRecord(
                    {"spool": str(self._spool)}, {"message": name}, self._topic, text, STRING_SCHEMA
                )
            )
            with self._lock:
                self._under_way.add(name)
        if not records:
            self._stopping.wait(_WAIT_S)
            return None
        return records

    def commit_record(self, record, metadata):
        name = record.source_offset["message"]
        (self._spool / name).unlink(missing_ok=True)
        with self._lock:
            self._under_way.discard(name)

    def stop(self):
        self._stopping.set()

    def _failure(self, error):
        if isinstance(error, (NotADirectoryError, PermissionError, FileNotFoundError)):
            return ConnectError(f"the spool cannot be read: {error}", code="spool.unreadable")
        self._stopping.wait(_WAIT_S)
        return RetriableError(f"the spool cannot be read now: {error}", code="spool.unreadable")
