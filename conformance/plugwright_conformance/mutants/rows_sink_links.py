"""A row sink that keeps everything by a chain, where no container shows it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.sink import RowsSinkTask

if TYPE_CHECKING:
    from plugwright import SinkRecord

__all__ = ["LinksEveryLineTask"]


@mutant(
    "M321",
    "each line holds the one before it, for a comparison that nobody makes",
    base="lines-sink",
    killed_by="CON-RES-04",
    failure="bytes more for each value",
)
class LinksEveryLineTask(RowsSinkTask):
    """Keeps the last line with the one before, which has the one before that.

    Reported at https://github.com/getindata/kafka-connect-iceberg-sink/issues/44: memory increases
    without an apparent limit.
    """

    def __init__(self) -> None:
        super().__init__()
        self._last: tuple[str, Any] = ("", None)

    def line(self, record: SinkRecord) -> str:
        """The line of one record."""
        line = super().line(record)
        self._last = (json.dumps(line), self._last)
        return line
