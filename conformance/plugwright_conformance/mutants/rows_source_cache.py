"""A row source with a cache that has no limit."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.source import RowsSourceTask

if TYPE_CHECKING:
    from plugwright import SourceRecord

__all__ = ["CachesEveryRowTask"]


@functools.cache
def _described(table: str, line: int) -> str:
    return f"row {line} of {table}, as it was read first"


@mutant(
    "M320",
    "what is computed for a row is cached without a limit",
    base="lines-source",
    killed_by="CON-RES-04",
    failure="bytes more for each value",
)
class CachesEveryRowTask(RowsSourceTask):
    """Has a cache whose key is new for every row.

    Reported at https://github.com/streamthoughts/kafka-connect-file-pulse/issues/183: the cache of
    states should have a limit.
    """

    def record(self, table: str, line: int, row: Any) -> SourceRecord:
        """The record of a row; describes the row for a log."""
        _described(table, line)
        return super().record(table, line, row)
