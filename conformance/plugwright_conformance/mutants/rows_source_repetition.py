"""A row source that repeats rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.source import RowsSourceTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import SourceRecord

__all__ = ["BeginsAnewWhenIdleTask"]


@mutant(
    "M178",
    "an idle source begins anew, once",
    base="lines-source",
    killed_by="CON-DLV-04",
    failure="duplicated 10",
)
class BeginsAnewWhenIdleTask(RowsSourceTask):
    """Starts again from the beginning when it is idle for the first time."""

    def __init__(self) -> None:
        super().__init__()
        self._first = True

    def poll(self) -> Sequence[SourceRecord] | None:
        """The next rows; resets the positions when there are none for the first time."""
        records = super().poll()
        if not records and self._first and any(self._lines.values()):
            self._first = False
            self._lines = dict.fromkeys(self._lines, 0)
        return records
