"""Sources with timestamps: their endpoint, a good one, and one that sets seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright_conformance.reference.rows.source import RowsSourceTask
from plugwright_conformance.reference.rows.testing import RowsEndpoint

if TYPE_CHECKING:
    from plugwright import SourceRecord

__all__ = ["ReadsSecondsTask", "ReadsTimesTask", "TimesEndpoint"]

_BEGIN = 1_700_000_000_123


class TimesEndpoint(RowsEndpoint):
    """A table whose lines were written 1001 ms apart."""

    def read_timestamps(self) -> list[int]:
        """The timestamp of each line, in milliseconds."""
        return [_BEGIN + 1001 * number for number, _ in enumerate(self.read_back(), 1)]


class ReadsTimesTask(RowsSourceTask):
    """Reads lines with their timestamps."""

    def record(self, table: str, line: int, row: Any) -> SourceRecord:
        """The record of a line."""
        record = super().record(table, line, row)
        record.timestamp = _BEGIN + 1001 * line
        return record


class ReadsSecondsTask(ReadsTimesTask):
    """Sets timestamps in seconds.

    Reported at https://github.com/jaredpetersen/kafka-connect-redis/pull/26.
    """

    def record(self, table: str, line: int, row: Any) -> SourceRecord:
        """The record of a line."""
        record = super().record(table, line, row)
        record.timestamp = (record.timestamp or 0) // 1000
        return record
