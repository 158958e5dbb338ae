"""Stores a standalone worker's source offsets in a file, like ``FileOffsetBackingStore``."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugwright.errors import ConfigError, ConnectError
from plugwright.herder.java_map import JavaMap, JavaMapError, dumped, loaded
from plugwright.kafka import serialized_offsets

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.herder._worker_config import WorkerConfig
    from plugwright.herder._worker_interface import Offsets

OFFSETS_FILE = "offset.storage.file.filename"
_KEY_LENGTH = 2
_HINT = (
    "name the file of a standalone worker of Kafka Connect, or a new file in a directory that "
    "the worker may write to"
)


class OffsetFile:
    """The offsets of all source connectors of one worker, in Java's own format.

    Read once at start-up, and replaced as a whole with every change, so that a crash leaves either
    the old or the new file. Entries of other converters or programs are kept.

    Args:
        path: of the file; it is created with the first offset.

    Raises:
        ConfigError: if the file has another format, or cannot be read or created.
    """

    def __init__(self, path: Path) -> None:
        self._path = path.resolve()  # replaces the target of a link, not the link
        self._lock = threading.Lock()
        self._entries = self._read()

    @classmethod
    def of(cls, worker: WorkerConfig) -> OffsetFile | None:
        """Open the file that a worker's settings name, if any.

        Raises:
            ConfigError: if it cannot be used, or sources are exactly-once, because their
                offsets are part of Kafka transactions.
        """
        if not worker.offsets_file:
            return None
        if worker.exactly_once:
            raise _invalid(
                worker.offsets_file,
                "offsets of exactly-once sources are part of Kafka transactions",
                "remove it, and name a topic in offset.storage.topic; or set "
                "exactly.once.source.support=disabled",
            )
        return cls(Path(worker.offsets_file))

    def read(self, connector: str) -> Offsets:
        """Return every source partition of a connector with its offset, in a stable order."""
        with self._lock:
            entries = sorted(self._entries.items(), key=lambda entry: entry[0] or b"")
        found = []
        for key, value in entries:
            partition = _partition(key, connector)
            offset = _parsed(value)
            if partition is not None and isinstance(offset, dict):
                found.append((partition, offset))
        return found

    def write(self, connector: str, offsets: Offsets) -> None:
        """Set offsets, durably; ``None`` removes one.

        Raises:
            DataError: if a partition or an offset is not a flat map of plain values.
            ConnectError: if the file cannot be written.
        """
        changes: JavaMap = {}
        with self._lock:
            stated = {_canonical(key): key for key in self._entries}
            for key, value in serialized_offsets(connector, offsets):
                # The same partition with its keys in another order.
                changes[stated.get(_canonical(key), key)] = value
            entries = {**self._entries, **changes}
            try:
                self._replace(dumped(entries))
            except OSError as error:
                raise ConnectError(
                    f"offsets of {connector} were not stored in {self._path}: {error.strerror}",
                    code="offsets.not-stored",
                    facts={"file": str(self._path), "connector": connector},
                ) from error
            self._entries = entries

    def _read(self) -> JavaMap:
        try:
            data = self._path.read_bytes()
        except FileNotFoundError:
            return self._none_yet()
        except OSError as error:
            raise self._unusable(f"cannot be read: {error.strerror}") from error
        if not data:
            return {}
        try:
            return loaded(data)
        except JavaMapError as error:
            raise self._unusable(f"is not an offset file: {error}") from error

    def _none_yet(self) -> JavaMap:
        if not os.access(self._path.parent, os.W_OK | os.X_OK):
            raise self._unusable(f"cannot be created in {self._path.parent}")
        return {}

    def _replace(self, data: bytes) -> None:
        """Write and sync a temporary file, then rename it over this one."""
        number, name = tempfile.mkstemp(prefix=f".{self._path.name}.", dir=self._path.parent)
        try:
            with os.fdopen(number, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(number)
            if self._path.exists():
                shutil.copymode(self._path, name)
            Path(name).replace(self._path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        _sync_directory(self._path.parent)

    def _unusable(self, reason: str) -> ConfigError:
        return _invalid(str(self._path), reason, _HINT)


def _invalid(value: str, reason: str, hint: str) -> ConfigError:
    message = f"Invalid value {value} for configuration {OFFSETS_FILE}: {reason}"
    problems = ((OFFSETS_FILE, message),)
    return ConfigError(message, hint=hint, facts={"key": OFFSETS_FILE, "problems": problems})


def _sync_directory(directory: Path) -> None:
    number = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _partition(key: bytes | None, connector: str) -> Mapping[str, Any] | None:
    """The source partition of a key, if it belongs to this connector."""
    found = _parsed(key)
    if not isinstance(found, list) or len(found) != _KEY_LENGTH or found[0] != connector:
        return None
    return found[1] if isinstance(found[1], dict) else None


def _canonical(key: bytes | None) -> str:
    found = _parsed(key)
    return repr(key) if found is None else json.dumps(found, sort_keys=True)


def _parsed(data: bytes | None) -> Any:
    try:
        return json.loads(data or b"")
    except ValueError:
        return None
