"""Row sources that log too much."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.source import RowsSourceTask

if TYPE_CHECKING:
    from plugwright import SourceRecord

__all__ = ["LogsEachRowTask"]

_LOG = logging.getLogger(__name__)


@mutant(
    "M312a",
    "every row that was read is logged at INFO",
    base="lines-source",
    killed_by="CON-OBS-03",
    failure="200 of them from rows_source_log.py",
)
class LogsEachRowTask(RowsSourceTask):
    """Tells of each row that it was read."""

    def record(self, table: str, line: int, row: Any) -> SourceRecord:
        """The record of a row; tells where it stands."""
        _LOG.info("row %d of %s was read", line, table)
        return super().record(table, line, row)
