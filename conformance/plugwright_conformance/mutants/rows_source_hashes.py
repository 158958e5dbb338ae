"""A row source whose keys differ from process to process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright import INT64_SCHEMA
from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.source import RowsSourceTask

if TYPE_CHECKING:
    from plugwright import SourceRecord

__all__ = ["HashedKeyTask"]


@mutant(
    "M314",
    "the key of a record is hash() of its text",
    base="lines-source",
    killed_by="SRC-TYP-08",
    failure="as in the first process",
)
class HashedKeyTask(RowsSourceTask):
    """Makes keys by a function whose result differs from process to process.

    Reported at https://github.com/Opentrons/opentrons/pull/12581: keys made by hash() changed with
    every start.
    """

    def record(self, table: str, line: int, row: Any) -> SourceRecord:
        """The record of a line, with a number as its key."""
        record = super().record(table, line, row)
        record.key_schema, record.key = INT64_SCHEMA, hash(str(row))
        return record
