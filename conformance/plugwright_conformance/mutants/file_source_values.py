"""File sources with wrong records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright_conformance.mutants.mutant import mutant
from plugwright_file_source import FileStreamSourceTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import SourceRecord

__all__ = [
    "CutsLongValuesTask",
    "ForgetsTypedPieceTask",
    "ReusesOffsetMapTask",
    "ReusesRecordsTask",
]

_WIDTH = 65_535


@mutant(
    "M049a",
    "long values are cut",
    killed_by="SRC-TYP-02",
    failure="value 18: ",
)
class CutsLongValuesTask(FileStreamSourceTask):
    """Truncates long values."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """The records, truncated."""
        return [record.new_record(value=record.value[:_WIDTH]) for record in super().poll() or ()]


@mutant(
    "M053",
    "one map is filled again for every record",
    killed_by="SRC-TYP-07",
    failure="after later polls",
)
class ReusesOffsetMapTask(FileStreamSourceTask):
    """Uses one offset map for all records."""

    def __init__(self) -> None:
        super().__init__()
        self._offset: dict[str, Any] = {}

    def poll(self) -> Sequence[SourceRecord] | None:
        """The records, all with the same map."""
        records = super().poll()
        for record in records or ():
            self._offset.update(record.source_offset or {})
            record.source_offset = self._offset
        return records


@mutant(
    "M053a",
    "one record object is returned again and again",
    killed_by="SRC-TYP-07",
    failure="one object several times",
)
class ReusesRecordsTask(FileStreamSourceTask):
    """Returns the same record object with changed attributes."""

    def __init__(self) -> None:
        super().__init__()
        self._record: SourceRecord | None = None

    def poll(self) -> Sequence[SourceRecord] | None:
        """The records, all as the same object."""
        return [self._refilled(record) for record in super().poll() or ()]

    def _refilled(self, fresh: SourceRecord) -> SourceRecord:
        record = self._record = self._record or fresh
        record.value, record.source_offset = fresh.value, fresh.source_offset
        return record


@mutant(
    "M212",
    "a piece of a line that was typed is forgotten when the rest comes",
    killed_by="SRC-TYP-12",
    failure="records",
)
class ForgetsTypedPieceTask(FileStreamSourceTask):
    """Drops an incomplete line of standard input."""

    def _more(self) -> bytes:
        """More bytes, without the incomplete line before them."""
        if self._input is not None:
            self._tail.clear()
        return super()._more()
