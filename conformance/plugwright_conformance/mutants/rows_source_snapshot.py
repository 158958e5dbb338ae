"""Sources that read what is there first, then what comes: a good one and two bad ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright import ConnectError
from plugwright_conformance.reference.rows.source import RowsSourceTask
from plugwright_conformance.reference.rows.testing import RowsEndpoint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import SourceRecord

__all__ = [
    "KeepsPlaceOfStreamTask",
    "SkipsRestOfSnapshotTask",
    "SnapshotEndpoint",
    "StreamsFromNowTask",
]

_PORTION = 4


class SnapshotEndpoint(RowsEndpoint):
    """A table that grows."""


class KeepsPlaceOfStreamTask(RowsSourceTask):
    """Notes where the stream begins before it reads the snapshot."""

    def _line(self, table: str) -> int:
        offset = self.context.offset_storage_reader.offset({"table": table})
        found = {"line": 0, "stream": len(self._read(table))} if offset is None else dict(offset)
        if sorted(found) != ["line", "stream"] or {type(n) for n in found.values()} != {int}:
            raise ConnectError("the offset must be {'line': n, 'stream': n}", code="rows.offset")
        self._stream: int = found["stream"]
        self._whole = 100
        return int(found["line"])

    def poll(self) -> Sequence[SourceRecord] | None:
        """The next lines, in small portions up to the end of the snapshot."""
        left = self._stream - sum(self._lines.values())
        self._batch = min(left, _PORTION) if left > 0 else self._whole
        return super().poll()

    def record(self, table: str, line: int, row: Any) -> SourceRecord:
        """The record of a line; its offset tells where the stream begins."""
        record = super().record(table, line, row)
        record.source_offset = {"line": line, "stream": self._stream}
        return record


class StreamsFromNowTask(KeepsPlaceOfStreamTask):
    """Begins the stream behind what is there when the snapshot ends."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """The next lines; after the last one of the snapshot, whatever is new from now on."""
        in_snapshot = sum(self._lines.values()) < self._stream
        records = super().poll()
        if in_snapshot and sum(self._lines.values()) == self._stream:
            self._lines = {table: len(self._read(table)) for table in self._lines}
        return records


class SkipsRestOfSnapshotTask(KeepsPlaceOfStreamTask):
    """Takes any stored offset for the end of the snapshot."""

    def _line(self, table: str) -> int:
        return max(super()._line(table), self._stream) if self._resumes(table) else 0

    def _resumes(self, table: str) -> bool:
        super()._line(table)
        return self.context.offset_storage_reader.offset({"table": table}) is not None
