"""Row sinks that change the structure of a table that other tasks use."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from plugwright import ConnectError, Struct
from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.codec import FIELDS, directory_of
from plugwright_conformance.reference.rows.sink import RowsSinkTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SinkRecord

__all__ = ["AddsColumnsOnceTask"]


@mutant(
    "M322",
    "a column that another task has added is added again",
    base="evolving-sink",
    killed_by="SNK-SCH-07",
    failure="as another task has just done",
)
class AddsColumnsOnceTask(RowsSinkTask):
    """Adds columns that the table did not have when the task began.

    Reported at https://github.com/debezium/debezium/pull/6577: the second task that creates a
    table fails, because it is there.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Open the table, and remember its columns."""
        super().start(props)
        self._place = directory_of(props["rows.url"])
        there = {name.partition(".")[2] for name in os.listdir(self._place)}  # noqa: PTH208
        self._columns = {name for name, _ in FIELDS} | there

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Add the missing columns, then write."""
        rows = [record.value for record in records if isinstance(record.value, Struct)]
        for name in {field.name for row in rows for field in row.schema.fields}:
            if name not in self._columns:
                self._add(name)
        super().put(records)

    def _add(self, name: str) -> None:
        try:
            with open(f"{self._place}/column.{name}", "x", encoding="utf-8"):  # noqa: PTH123
                self._columns.add(name)
        except FileExistsError as error:
            raise ConnectError(f"column {name} is there already", code="rows.column") from error
