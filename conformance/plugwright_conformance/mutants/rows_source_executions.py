"""Row sources that bring something else when they are executed again."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.source import RowsSourceTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SourceRecord

__all__ = ["ReadsLastHourTask", "ReadsOncePerProcessTask"]

_HOUR_S = 3600


@mutant(
    "M155",
    "what a planned partition holds depends on the wall clock",
    base="lines-source",
    killed_by="CON-SPK-02",
    failure="executed twice, a day apart",
)
class ReadsLastHourTask(RowsSourceTask):
    """Reads the tables that were written in the last hour."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """The next rows, unless they are old."""
        since = time.time() - _HOUR_S
        for table in [*self._lines]:
            if (self._directory / f"{table}.jsonl").stat().st_mtime < since:
                del self._lines[table]
        return super().poll()


@mutant(
    "M155a",
    "what a process has read is not read in it again",
    base="lines-source",
    killed_by="CON-SPK-02",
    failure="executed twice, a day apart",
)
class ReadsOncePerProcessTask(RowsSourceTask):
    """Remembers for all tasks of a process how far each table was read."""

    _reached: ClassVar[dict[str, int]] = {}

    def start(self, props: Mapping[str, str]) -> None:
        """Go on where the last task of this process stopped."""
        super().start(props)
        self._at = str(self._directory)
        for table, line in self._lines.items():
            self._lines[table] = max(line, self._reached.get(f"{self._at}/{table}", 0))

    def poll(self) -> Sequence[SourceRecord] | None:
        """The next rows."""
        records = super().poll()
        self._reached.update({f"{self._at}/{table}": n for table, n in self._lines.items()})
        return records
