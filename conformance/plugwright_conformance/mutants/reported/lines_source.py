"""A good source: the lines of one text file, or of every file in a directory."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugwright import (
    STRING_SCHEMA,
    ConnectError,
    DataError,
    RetriableError,
    SourceRecord,
    group_partitions,
)
from plugwright_conformance.mutants.reported.plain import PlainSource, PlainSourceTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["FolderSource", "FolderSourceTask", "LinesSource", "LinesSourceTask", "position_of"]

_IDLE_S = 0.05
_RETRY_S = 0.2
_FINAL = (PermissionError, IsADirectoryError, NotADirectoryError)


def position_of(offset: Mapping[str, Any]) -> int:
    """The byte position in a stored offset.

    Raises:
        ConnectError: unless the offset is ``{"position": n}`` with a whole number from 0.
    """
    position = offset.get("position")
    if set(offset) != {"position"} or type(position) is not int or position < 0:
        raise ConnectError(f"an offset must be {{'position': n}}, found {dict(offset)!r}")
    return position


class LinesSourceTask(PlainSourceTask):
    """Reads complete lines of UTF-8; the offset of a record is the byte behind its line."""

    def __init__(self) -> None:
        self._stopping = threading.Event()

    def start(self, props: Mapping[str, str]) -> None:
        """Look up where an earlier task stopped."""
        found = LinesSource().config().parse(props)
        self._batch: int = found["batch.size"]
        self._topic: str = found["topic"]
        self._stopping.clear()
        self._positions = {path: self.begin(path) for path in self.paths(props)}

    def paths(self, props: Mapping[str, str]) -> Sequence[Path]:
        """The files of this task."""
        return [Path(props["place"])]

    def begin(self, path: Path) -> int:
        """Where to begin in a file."""
        stored = self.context.offset_storage_reader.offset(self.partition(path))
        return 0 if stored is None else position_of(stored)

    def partition(self, path: Path) -> Mapping[str, Any]:
        """The source partition of a file."""
        return {"file": path.name}

    def poll(self) -> Sequence[SourceRecord] | None:
        """The next lines of a file that has some, or nothing after a short wait.

        Raises:
            RetriableError: if a file cannot be read now.
            ConnectError: if it cannot be read at all.
        """
        for path in self._positions:
            if records := self.records(path):
                return records
        self.idle()
        return None

    def idle(self) -> None:
        """Wait a little; ends with the task."""
        self._stopping.wait(_IDLE_S)

    def records(self, path: Path) -> list[SourceRecord]:
        """The next records of a file."""
        try:
            data = self.read(path, self._positions[path])
        except _FINAL as error:
            raise ConnectError(f"cannot read {path}: {error.strerror}") from error
        except OSError as error:
            self._stopping.wait(_RETRY_S)
            raise RetriableError(f"cannot read {path}: {error.strerror}") from error
        return [self.record(path, line) for line in self.lines(data)[: self._batch]]

    def read(self, path: Path, position: int) -> bytes:
        """What the file has behind a position.

        Raises:
            ConnectError: if it is shorter than that.
        """
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size < position:
                raise ConnectError(f"{path} is shorter than {position}: truncated or replaced")
            file.seek(position)
            return file.read()

    def lines(self, data: bytes) -> list[bytes]:
        """The complete lines."""
        return data.split(b"\n")[:-1]

    def record(self, path: Path, line: bytes) -> SourceRecord:
        """The record of the next line.

        Raises:
            DataError: if it is no UTF-8.
        """
        position = self._positions[path]
        try:
            text = self.text(line)
        except UnicodeDecodeError as error:
            raise DataError(f"{path} is not UTF-8 at byte {position + error.start}") from error
        self._positions[path] = position + len(line) + 1
        return SourceRecord(
            self.partition(path),
            {"position": self._positions[path]},
            self._topic,
            text,
            STRING_SCHEMA,
        )

    def text(self, line: bytes) -> str:
        """The text of a line."""
        return line.decode()

    def stop(self) -> None:
        """End a waiting poll."""
        self._stopping.set()


class LinesSource(PlainSource):
    """Reads one file."""

    TASK = LinesSourceTask


class FolderSourceTask(LinesSourceTask):
    """Reads the files whose names it was given."""

    def paths(self, props: Mapping[str, str]) -> Sequence[Path]:
        """The files of this task."""
        return [Path(props["place"]) / name for name in props["files"].split("|")]


class FolderSource(PlainSource):
    """Shares the files of a directory out."""

    TASK = FolderSourceTask

    def names(self) -> list[str]:
        """The names of the files."""
        return sorted(os.listdir(self._props["place"]))  # noqa: PTH208  # names are wanted

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        """The files, shared out."""
        names = self.names()
        if not names:
            return []
        groups = group_partitions(names, min(max_tasks, len(names)))
        return [{**self._props, "files": "|".join(group)} for group in groups]
