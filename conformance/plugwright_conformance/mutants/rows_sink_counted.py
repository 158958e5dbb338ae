"""A sink that counts its records, and takes the count for an offset."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.exact_sink import ExactSinkTask

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    _Row = tuple[tuple[str, int], int, str | None]

__all__ = ["CountsOffsetsTask"]


@mutant(
    "M293",
    "the offset to go on from is the number of records written",
    base="exact-lines-sink",
    killed_by="SNK-OFF-11",
    failure="offsets are missing between records",
)
class CountsOffsetsTask(ExactSinkTask):
    """Adds up how many records each partition had.

    Reported at https://github.com/confluentinc/kafka-connect-hdfs/issues/334.
    """

    def write(self, database: sqlite3.Connection, rows: Sequence[_Row]) -> None:
        """Write the lines, and then the counts."""
        known = database.execute("SELECT topic, part, next FROM ends").fetchall()
        ends = {(topic, part): end for topic, part, end in known}
        super().write(database, rows)
        counts = Counter(home for home, offset, _ in rows if offset >= ends.get(home, 0))
        self._move(database, {home: ends.get(home, 0) + n for home, n in counts.items()})
