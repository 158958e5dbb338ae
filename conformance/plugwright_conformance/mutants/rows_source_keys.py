"""Sources of lines with keys: their endpoint, a good one, and one that makes keys of positions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright import STRING_SCHEMA
from plugwright_conformance.reference.rows.source import RowsSourceTask
from plugwright_conformance.reference.rows.testing import RowsEndpoint

if TYPE_CHECKING:
    from plugwright import SourceRecord

__all__ = ["KeysByLineTask", "KeysByRowTask", "KeysEndpoint"]

_ROWS = 5


class KeysEndpoint(RowsEndpoint):
    """A table in which every fifth line is about the same row."""

    def read_keys(self) -> list[str]:
        """The row of each line."""
        return [f"row {number % _ROWS}" for number, _ in enumerate(self.read_back(), 1)]


class KeysByRowTask(RowsSourceTask):
    """Has the row as key."""

    def record(self, table: str, line: int, row: Any) -> SourceRecord:
        """The record of a line."""
        record = super().record(table, line, row)
        record.key_schema, record.key = STRING_SCHEMA, f"row {self.key_of(line)}"
        return record

    def key_of(self, line: int) -> int:
        """The number of the row that a line is about."""
        return line % _ROWS


class KeysByLineTask(KeysByRowTask):
    """Has the number of the line as key."""

    def key_of(self, line: int) -> int:
        """The number of the line."""
        return line
