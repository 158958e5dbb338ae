"""Connectors that reach their endpoint past the interpreter, through the C library alone."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

from plugwright import (
    ConfigDef,
    RetriableError,
    SinkConnector,
    SinkTask,
    SourceConnector,
    SourceRecord,
    SourceTask,
)

C = ctypes.CDLL(None, use_errno=True)
CONFIG = ConfigDef().define("file", "STRING", importance="HIGH", documentation="Where.")
FORGETS = False
"""Whether a write that failed is called done, and a read that failed ends the reading."""


def opened(path, flags):
    """A descriptor that no Python code has opened."""
    found = C.open(path.encode(), flags, 0o600)
    if found < 0:
        raise RetriableError(f"{path}: {os.strerror(ctypes.get_errno())}")
    return found


class NativeConnector:
    """One task with the settings of the connector."""

    def config(self):
        """One setting."""
        return CONFIG

    def version(self):
        """That of the distribution."""
        return "1"

    def start(self, props):
        """Keep the settings."""
        self._props = dict(props)

    def stop(self):
        """Nothing is held."""

    def task_configs(self, max_tasks):
        """One task."""
        return [self._props]


class NativeSinkTask(SinkTask):
    """Writes a line for each record."""

    def version(self):
        """That of the distribution."""
        return "1"

    def start(self, props):
        """Keep the settings."""
        self._file = props["file"]

    def put(self, records):
        """Write and close."""
        text = b"".join(f"{record.value}\n".encode() for record in records)
        if not text:
            return
        try:
            descriptor = opened(self._file, os.O_WRONLY | os.O_APPEND)
        except RetriableError:
            if FORGETS:
                return
            raise
        C.write(descriptor, text, len(text))
        C.close(descriptor)

    def stop(self):
        """Nothing is held."""


class NativeSourceTask(SourceTask):
    """Reads lines."""

    def version(self):
        """That of the distribution."""
        return "1"

    def start(self, props):
        """Begin at the beginning."""
        self._file, self._topic, self._position, self._over = (
            props["file"],
            props["topic"],
            0,
            False,
        )

    def poll(self):
        """The lines that are new."""
        if self._over:
            return []
        try:
            descriptor = opened(self._file, os.O_RDONLY)
        except RetriableError:
            self._over = FORGETS
            raise
        buffer = ctypes.create_string_buffer(1 << 20)
        size = C.pread(descriptor, buffer, 1 << 20, ctypes.c_long(self._position))
        C.close(descriptor)
        records = []
        for line in buffer.raw[: max(size, 0)].splitlines(keepends=True):
            self._position += len(line)
            offset = {"position": self._position}
            records.append(SourceRecord({}, offset, self._topic, line[:-1].decode()))
        return records

    def stop(self):
        """Nothing is held."""


class NativeSinkConnector(NativeConnector, SinkConnector):
    """A sink."""

    def task_class(self):
        """Its task."""
        return NativeSinkTask


class NativeSourceConnector(NativeConnector, SourceConnector):
    """A source."""

    def task_class(self):
        """Its task."""
        return NativeSourceTask


class Endpoint:
    """A file that can be taken away and brought back."""

    def __init__(self, directory):
        self._file = directory / "lines"
        self._away = directory / "away"

    def start(self):
        """An empty file."""
        self._file.touch()
        return {"file": str(self._file)}

    def stop(self):
        """Remove it."""
        for path in (self._file, self._away):
            Path(path).unlink(missing_ok=True)

    def seed(self, values):
        """Add lines."""
        with self._file.open("ab") as file:
            file.writelines(f"{value}\n".encode() for value in values)

    def read_back(self):
        """Every line."""
        return self._file.read_bytes().decode().split("\n")[:-1]

    def refuse(self):
        """Take it away."""
        self._file.rename(self._away)
        return ("No such file",)

    def recover(self):
        """Bring it back."""
        self._away.rename(self._file)
        return ()
