"""Row sources that remember too much, or for too long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright import STRING_SCHEMA
from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.source import RowsSourceTask

if TYPE_CHECKING:
    from plugwright import SourceRecord

__all__ = ["KeepsFirstKeyTask", "RemembersEveryRowTask"]


@mutant(
    "M220",
    "every record has the key of the first row that the task has read",
    base="lines-source",
    killed_by="SRC-OFF-18",
    failure="key",
)
class KeepsFirstKeyTask(RowsSourceTask):
    """Uses the key of the first row for all records."""

    def __init__(self) -> None:
        super().__init__()
        self._key = ""

    def record(self, table: str, line: int, row: Any) -> SourceRecord:
        """The record of a row, with a key."""
        record = super().record(table, line, row)
        self._key = self._key or f"{table}-{line}"
        record.key, record.key_schema = self._key, STRING_SCHEMA
        return record


@mutant(
    "M221",
    "the place of every row that was read is remembered for ever",
    base="lines-source",
    killed_by="CON-RES-12",
    failure="_handed_out had 20, then 140, then 260",
)
class RemembersEveryRowTask(RowsSourceTask):
    """Remembers every row, without limit.

    Reported at https://github.com/redis-field-engineering/redis-kafka-connect/issues/54: the list
    of offsets grew with every record and was never read.
    """

    def __init__(self) -> None:
        super().__init__()
        self._handed_out: set[tuple[str, int]] = set()

    def record(self, table: str, line: int, row: Any) -> SourceRecord:
        """The record of a row; remembers the row."""
        self._handed_out.add((table, line))
        return super().record(table, line, row)
