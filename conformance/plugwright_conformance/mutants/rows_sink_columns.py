"""A sink that takes the fields of the first row of a batch for those of all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright import Struct
from plugwright_conformance.mutants._mutant import mutant
from plugwright_conformance.reference.rows.sink import RowsSinkTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import SinkRecord

__all__ = ["ColumnsOfFirstRowTask"]


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
