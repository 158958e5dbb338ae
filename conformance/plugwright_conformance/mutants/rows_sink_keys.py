"""A row sink that writes only one record of each key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.sink import RowsSinkTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import SinkRecord

__all__ = ["LastOfKeyTask"]


@mutant(
    "M181",
    "of a batch only the last record of each key is written",
    base="lines-sink",
    killed_by="SNK-TYP-07",
    failure="of them missing",
)
class LastOfKeyTask(RowsSinkTask):
    """Writes the last record of each key of a batch."""

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write the last record of each key, and all records without a key."""
        last = {record.key: record for record in records if record.key is not None}
        super().put([r for r in records if r.key is None or last[r.key] is r])
