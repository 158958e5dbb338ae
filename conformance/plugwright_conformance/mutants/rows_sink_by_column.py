"""Row sinks that take columns, but not all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.sink import RowsSinkTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import SinkColumns

__all__ = ["TakesFirstPartTask"]


@mutant(
    "M325",
    "of a batch of columns, only the first partition is written",
    base="lines-sink",
    killed_by="SNK-TYP-23",
    failure="6 are missing",
)
class TakesFirstPartTask(RowsSinkTask):
    """Writes one part of a batch, which is all of it while there is one partition."""

    def put_batch(self, batch: Sequence[SinkColumns]) -> None:
        """Write the first part."""
        for part in batch[:1]:
            self.put(part.records())
