"""Sinks that take the fields of one row for those of another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugwright import ConnectError, Struct
from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.codec import decode, directory_of
from plugwright_conformance.reference.rows.sink import RowsSinkTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SinkRecord

__all__ = ["ColumnsOfFirstRowTask", "RequiresAllColumnsTask"]


@mutant(
    "M296",
    "rows of a batch have the columns of its first row",
    base="rows-sink",
    killed_by="SNK-SCH-09",
    failure="KeyError",
)
class ColumnsOfFirstRowTask(RowsSinkTask):
    """Determines the columns once per batch.

    Reported at https://github.com/confluentinc/kafka-connect-storage-common/pull/110.
    """

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write a batch."""
        rows = [record.value for record in records if isinstance(record.value, Struct)]
        self._columns = list(super().plain(rows[0])) if rows else []
        super().put(records)

    def plain(self, value: Any) -> Any:
        """A struct as a row with those columns."""
        row = super().plain(value)
        return {name: row[name] for name in self._columns} if isinstance(value, Struct) else row


@mutant(
    "M296a",
    "a row must have every field that a row before it had",
    base="rows-sink",
    killed_by="SNK-SCH-09",
    failure="is missing field added_later",
)
class RequiresAllColumnsTask(RowsSinkTask):
    """Looks at the rows of its table first, and refuses what lacks a column of theirs.

    Reported at https://github.com/ClickHouse/clickhouse-kafka-connect/issues/94.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Open the table, and remember its path."""
        super().start(props)
        self._place = Path(directory_of(props["rows.url"])) / "table0.jsonl"

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write a batch, one record after the other.

        Raises:
            ConnectError: if a row lacks a column.
        """
        for record in records:
            if isinstance(record.value, Struct):
                self._require_columns(self.plain(record.value))
            super().put([record])

    def _require_columns(self, row: Mapping[str, Any]) -> None:
        rows = map(decode, self._place.read_text("utf-8").splitlines())
        columns = {name for each in rows if isinstance(each, dict) for name in each}
        if absent := columns - {*row}:
            raise ConnectError(f"a record is missing field {min(absent)}", code="rows.missing")
