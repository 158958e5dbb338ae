"""Sources of files that resume at the wrong place."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugwright import ConnectError
from plugwright_conformance.mutants._mutant import mutant
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
    says="0 look-ups",
)
class NeverAsksTask(FileStreamSourceTask):
    """Begins at the beginning, always."""

    def start(self, props: Mapping[str, str]) -> None:
        """Take the settings, and nothing else."""
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
    says="record 1 first",
)
class StartsOverTask(FileStreamSourceTask):
    """Looks up where to go on, for the look of it."""

    def start(self, props: Mapping[str, str]) -> None:
        """Forget what was looked up."""
        super().start(props)
        self._position = 0


@mutant(
    "M072",
    "resumes at the stored record instead of after it",
    killed_by="SRC-OFF-03",
    says="record 1 first",
)
class ResumesAtTheRecordTask(FileStreamSourceTask):
    """Stores where each record begins."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """The good records, each with the position before it."""
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
    says="records are lost",
)
class StoresBatchEndsTask(FileStreamSourceTask):
    """Resumes correctly only after whole batches."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """The good records, all with the last position."""
        records = super().poll()
        for record in records or ():
            record.source_offset = {"position": self._position}
        return records


@mutant(
    "M074",
    "offset map holds a datetime object",
    killed_by="SRC-OFF-04",
    says="datetime",
)
class DatetimeInOffsetTask(FileStreamSourceTask):
    """Notes when a record was read, in a form that JSON has not."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """The good records with the time in their offsets."""
        records = super().poll()
        for record in records or ():
            record.source_offset = {**(record.source_offset or {}), "read": datetime.now(UTC)}
        return records


@mutant(
    "M075",
    "resumes with what is greater than the last key",
    killed_by="SRC-OFF-05",
    says="after tie 1 of 10",
)
class SkipsTiesTask(FileStreamSourceTask):
    """Takes the text of a line for its key."""

    def start(self, props: Mapping[str, str]) -> None:
        """Look up the key of the last record."""
        super().start(props)
        before = Path(self._path).read_bytes()[: self._position].decode().split("\n")
        self._key = before[-2] if self._position else None

    def poll(self) -> Sequence[SourceRecord] | None:
        """The good records, without those whose key was seen before the restart."""
        return [record for record in super().poll() or () if record.value != self._key]


@mutant(
    "M080",
    "KeyError on an offset map of another version",
    killed_by="SRC-OFF-10",
    says="KeyError",
)
class KeyErrorOnForeignOffsetTask(FileStreamSourceTask):
    """Fails with a bare KeyError on the offset of another version."""

    def start(self, props: Mapping[str, str]) -> None:
        """Take the position out of the map before anybody has looked at it."""
        stored = self.context.offset_storage_reader.offset({"filename": props["file"]})
        position = stored["position"] if stored is not None else 0
        super().start(props)
        self._position = position


@mutant(
    "M080a",
    "starts over on an offset map of another version",
    killed_by="SRC-OFF-10",
    says="no error",
)
class GuessesOnForeignOffsetTask(FileStreamSourceTask):
    """Prefers a guess to an error."""

    def start(self, props: Mapping[str, str]) -> None:
        """Begin somewhere."""
        try:
            super().start(props)
        except ConnectError:
            self._position = 0


@mutant(
    "M171",
    "can deliver exactly once, it says, and stores coarse offsets",
    killed_by="CON-DLV-05",
    says="once each",
)
@mutant(
    "M170",
    "stores every tenth offset only",
    killed_by="SRC-OFF-02",
    says="duplicated",
)
class StoresEveryTenthTask(FileStreamSourceTask):
    """Repeats up to nine records after a clean stop."""

    _read = 0

    def start(self, props: Mapping[str, str]) -> None:
        """Begin where the last tenth record ended."""
        super().start(props)
        self._stored: Mapping[str, Any] = {"position": self._position}

    def poll(self) -> Sequence[SourceRecord] | None:
        """The good records with coarse positions."""
        records = super().poll()
        for record in records or ():
            self._read += 1
            if self._read % 10 == 0:
                self._stored = record.source_offset or {}
            record.source_offset = self._stored
        return records
