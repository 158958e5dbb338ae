"""Row sinks that report bad records: a good one, and one whose errors have secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright import DataError
from plugwright_conformance.reference.rows.sink import RowsSinkTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SinkRecord

__all__ = ["ReportsBadRowsTask", "ReportsPasswordTask"]


class ReportsBadRowsTask(RowsSinkTask):
    """Reports what is no line of text, if it may, and writes the rest."""

    def start(self, props: Mapping[str, str]) -> None:
        """Open the table."""
        super().start(props)
        self._password = props["rows.password"]

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write the good records.

        Raises:
            DataError: if a value has no column, and nobody takes reports.
        """
        reporter = self.context.errant_record_reporter()
        if reporter is None:
            super().put(records)
            return
        good = [record for record in records if isinstance(record.value, str | None)]
        for record in records:
            if not isinstance(record.value, str | None):
                reporter.report(record, DataError(self.reason(record)))
        super().put(good)

    def reason(self, record: SinkRecord) -> str:
        """What is wrong with a record."""
        return f"no line of text takes {type(record.value).__name__}"


class ReportsPasswordTask(ReportsBadRowsTask):
    """Tells with which password it writes."""

    def reason(self, record: SinkRecord) -> str:
        """What is wrong with a record, and the login."""
        return f"{super().reason(record)}; user: user, password: {self._password}"
