"""File sources that resume at the wrong position."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugwright import ConnectError
from plugwright_conformance.mutants.mutant import mutant
from plugwright_file_source import FileStreamSourceTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SourceRecord

__all__ = [
    "DatetimeInOffsetTask",
    "GuessesOnForeignOffsetTask",
    "KeyErrorOnForeignOffsetTask",
    "NeverAsksTask",
    "ResumesAtTheRecordTask",
    "SkipsTiesTask",
    "StartsOverTask",
    "StoresBatchEndsTask",
    "StoresEveryTenthTask",
]


@mutant(
    "M071",
    "never asks for stored offsets",
    killed_by="SRC-OFF-01",
    failure="0 look-ups",
)
class NeverAsksTask(FileStreamSourceTask):
    """Always starts at the beginning."""

    def start(self, props: Mapping[str, str]) -> None:
        """Read the settings, but no stored offset."""
        self._path = props["file"]
        self._topic = props["topic"]
        self._batch_size = int(props.get("batch.size", "2000"))
        self._partition = {"filename": self._path}
        self._position = 0
        self._input = None


@mutant(
    "M071a",
    "asks for stored offsets and starts over",
    killed_by="SRC-OFF-03",
    failure="record 1 first",
)
class StartsOverTask(FileStreamSourceTask):
    """Reads the stored offset and ignores it."""

    def start(self, props: Mapping[str, str]) -> None:
        """Start, and reset the position."""
        super().start(props)
        self._position = 0


@mutant(
    "M072",
    "resumes at the stored record instead of after it",
    killed_by="SRC-OFF-03",
    failure="record 1 first",
)
class ResumesAtTheRecordTask(FileStreamSourceTask):
    """Stores the position before each record."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """The records, each with the position before it."""
        at = self._position
        records = super().poll()
        for record in records or ():
            record.source_offset = {"position": at}
            at += len(record.value.encode()) + 1
        return records


@mutant(
    "M073",
    "resumes correctly only from batch boundaries",
    killed_by="SRC-OFF-03",
    failure="records are lost",
)
class StoresBatchEndsTask(FileStreamSourceTask):
    """Stores the end of the batch with every record."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """The records, all with the last position."""
        records = super().poll()
        for record in records or ():
            record.source_offset = {"position": self._position}
        return records


@mutant(
    "M074",
    "offset map holds a datetime object",
    killed_by="SRC-OFF-04",
    failure="datetime",
)
class DatetimeInOffsetTask(FileStreamSourceTask):
    """Stores a datetime in offsets, which JSON does not support."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """The records, with the time in their offsets."""
        records = super().poll()
        for record in records or ():
            record.source_offset = {**(record.source_offset or {}), "read": datetime.now(UTC)}
        return records


@mutant(
    "M075",
    "resumes with what is greater than the last key",
    killed_by="SRC-OFF-05",
    failure="after tie 1 of 10",
)
class SkipsTiesTask(FileStreamSourceTask):
    """Resumes after the key of the last record, so it skips equal keys."""

    def start(self, props: Mapping[str, str]) -> None:
        """Start, and read the key of the last record."""
        super().start(props)
        before = Path(self._path).read_bytes()[: self._position].decode().split("\n")
        self._key = before[-2] if self._position else None

    def poll(self) -> Sequence[SourceRecord] | None:
        """The records, except those with the last key before the restart."""
        return [record for record in super().poll() or () if record.value != self._key]


@mutant(
    "M080",
    "KeyError on an offset map of another version",
    killed_by="SRC-OFF-10",
    failure="KeyError",
)
class KeyErrorOnForeignOffsetTask(FileStreamSourceTask):
    """Fails with a bare KeyError on the offset of another version."""

    def start(self, props: Mapping[str, str]) -> None:
        """Read the position without validating the offset."""
        stored = self.context.offset_storage_reader.offset({"filename": props["file"]})
        position = stored["position"] if stored is not None else 0
        super().start(props)
        self._position = position


@mutant(
    "M080a",
    "starts over on an offset map of another version",
    killed_by="SRC-OFF-10",
    failure="no error",
)
class GuessesOnForeignOffsetTask(FileStreamSourceTask):
    """Starts at the beginning if the offset is invalid."""

    def start(self, props: Mapping[str, str]) -> None:
        """Start, and ignore an invalid offset."""
        try:
            super().start(props)
        except ConnectError:
            self._position = 0


@mutant(
    "M171",
    "can deliver exactly once, it says, and stores coarse offsets",
    killed_by="CON-DLV-05",
    failure="once each",
)
@mutant(
    "M170",
    "stores every tenth offset only",
    killed_by="SRC-OFF-02",
    failure="duplicated",
)
class StoresEveryTenthTask(FileStreamSourceTask):
    """Stores only every tenth offset."""

    _read = 0

    def start(self, props: Mapping[str, str]) -> None:
        """Start at the stored position."""
        super().start(props)
        self._stored: Mapping[str, Any] = {"position": self._position}

    def poll(self) -> Sequence[SourceRecord] | None:
        """The records, with coarse positions."""
        records = super().poll()
        for record in records or ():
            self._read += 1
            if self._read % 10 == 0:
                self._stored = record.source_offset or {}
            record.source_offset = self._stored
        return records
