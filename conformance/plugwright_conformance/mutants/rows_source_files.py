"""Row sources that mishandle files that other processes write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.source import RowsSourceTask

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["CountsIncompleteRowTask", "WaitsForGoneRowsTask"]


@mutant(
    "M182",
    "a row that is still being written is counted, and never read",
    base="lines-source",
    killed_by="SRC-TYP-11",
    failure="half of it was written",
)
class CountsIncompleteRowTask(RowsSourceTask):
    """Skips a row that is still being written."""

    def _read(self, table: str) -> Sequence[str]:
        rows = super()._read(table)
        text = (self._directory / f"{table}.jsonl").read_text(encoding="utf-8", errors="replace")
        begun = text[text.rfind("\n") + 1 :]
        if begun and self._lines[table] == len(rows):
            self._lines[table] += 1
        return rows


@mutant(
    "M183",
    "a table that was replaced is waited for",
    base="lines-source",
    killed_by="SRC-OFF-09",
    failure="the file was replaced by a shorter one",
)
class WaitsForGoneRowsTask(RowsSourceTask):
    """Waits for rows of a replaced table."""

    def _read(self, table: str) -> Sequence[str]:
        rows = super()._read(table)
        if len(rows) < self._lines[table]:
            return [*rows, *[""] * (self._lines[table] - len(rows))]
        return rows
