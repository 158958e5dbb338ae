"""A source of rows that counts in floating-point numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.source import RowsSourceTask

if TYPE_CHECKING:
    from plugwright import SourceRecord

__all__ = ["CountsInFloatsTask"]


@mutant(
    "M300",
    "positions in source offsets are doubles",
    base="lines-source",
    killed_by="SRC-OFF-19",
    failure="1.0, 10.0, 11.0",
)
class CountsInFloatsTask(RowsSourceTask):
    """Stores the number of a line as a float.

    Reported at https://github.com/confluentinc/kafka-connect-jdbc/pull/96.
    """

    def record(self, table: str, line: int, row: Any) -> SourceRecord:
        """The record of a line."""
        record = super().record(table, line, row)
        record.source_offset = {"line": float(line)}
        return record

    def _line(self, table: str) -> int:
        offset = self.context.offset_storage_reader.offset({"table": table})
        return 0 if offset is None else int(offset["line"])
