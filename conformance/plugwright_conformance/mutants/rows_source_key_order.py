"""A source of rows that gives all of them one key, whichever table they are from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright import STRING_SCHEMA
from plugwright_conformance.reference.rows.source import RowsSourceTask

if TYPE_CHECKING:
    from plugwright import SourceRecord

__all__ = ["OneKeyForAllTask"]


class OneKeyForAllTask(RowsSourceTask):
    """Reads one table after the other."""

    def record(self, table: str, line: int, row: Any) -> SourceRecord:
        """The record, with the key."""
        record = super().record(table, line, row)
        record.key, record.key_schema = "everything", STRING_SCHEMA
        return record
