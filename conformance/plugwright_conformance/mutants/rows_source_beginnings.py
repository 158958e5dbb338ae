"""A row source that begins too late."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.source import RowsSourceTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import SourceRecord

__all__ = ["BeginsBehindFirstRowsTask"]


@mutant(
    "M315",
    "a table that was empty at first is read from the end of what comes into it first",
    base="lines-source",
    killed_by="SRC-OFF-13",
    failure="none were there; after idle polls there were",
)
class BeginsBehindFirstRowsTask(RowsSourceTask):
    """Looks for the place to begin until there is one.

    Reported at https://github.com/estuary/connectors/issues/5143: as long as nothing has come, the
    place to begin is the latest one, whatever has come meanwhile.
    """

    def __init__(self) -> None:
        super().__init__()
        self._empty: set[str] | None = None

    def poll(self) -> Sequence[SourceRecord] | None:
        """The next rows; those that come first into an empty table are skipped."""
        there = {table: len(self._read(table)) for table in self._lines}
        if self._empty is None:
            self._empty = {table for table, count in there.items() if not count}
        for table in {table for table in self._empty if there[table]}:
            self._lines[table] = there[table]
            self._empty.discard(table)
        return super().poll()
