"""Row sinks that handle schema changes wrongly."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from plugwright import SchemaType, Struct
from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.codec import FIELDS, decode, directory_of, encode
from plugwright_conformance.reference.rows.sink import RowsSinkTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SinkRecord

__all__ = [
    "ClearsAtNewSchemaTask",
    "CoercesWithStrTask",
    "FillsRemovedFieldsTask",
    "FollowsLastSchemaTask",
    "IgnoresNewFieldsTask",
    "KeepsNarrowColumnTask",
]

_NARROW = 2**31


@mutant(
    "M066",
    "a new field is left out",
    base="evolving-sink",
    killed_by="SNK-SCH-01",
    failure="added_later: None",
)
class IgnoresNewFieldsTask(RowsSinkTask):
    """Drops fields that are not columns.

    Reported at https://github.com/ClickHouse/clickhouse-kafka-connect/issues/277: new fields are
    dropped without a word.
    """

    def plain(self, value: Any) -> Any:
        """The row, without unknown fields."""
        row = super().plain(value)
        known = dict(FIELDS)
        return {k: v for k, v in row.items() if k in known} if isinstance(row, dict) else row


@mutant(
    "M067",
    "the table is given the columns of whatever schema came last",
    base="evolving-sink",
    killed_by="SNK-SCH-02",
    failure="in random order",
)
class FollowsLastSchemaTask(RowsSinkTask):
    """Removes columns that the last schema does not have."""

    def start(self, props: Mapping[str, str]) -> None:
        """Open the table, and remember its path."""
        super().start(props)
        self._place = f"{directory_of(props['rows.url'])}/table0.jsonl"

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write a batch, and restrict the table to the columns of its last row."""
        super().put(records)
        rows = [self.plain(r.value) for r in records if isinstance(r.value, Struct)]
        if rows and self._descriptor is not None:
            self._restrict(self._descriptor, set(rows[-1]))

    def _restrict(self, descriptor: int, columns: set[str]) -> None:
        with open(self._place, encoding="utf-8") as file:  # noqa: PTH123  # a plain path
            there = [decode(line) for line in file]
        kept = [{k: v for k, v in row.items() if k in columns} for row in there]
        os.ftruncate(descriptor, 0)
        os.write(descriptor, "".join(f"{encode(row)}\n" for row in kept).encode())


@mutant(
    "M068",
    "a column stays as narrow as it was; what does not fit wraps",
    base="evolving-sink",
    killed_by="SNK-SCH-03",
    failure="id: -2147483643",
)
class KeepsNarrowColumnTask(RowsSinkTask):
    """Does not widen INT32 columns."""

    def start(self, props: Mapping[str, str]) -> None:
        """Start without columns."""
        super().start(props)
        self._narrow: set[str] = set()

    def plain(self, value: Any) -> Any:
        """The row, with numbers wrapped to 32 bits."""
        row = super().plain(value)
        if isinstance(value, Struct):
            fields = {field.name: field.schema.type for field in value.schema.fields}
            self._narrow |= {name for name, kind in fields.items() if kind is SchemaType.INT32}
            for name in self._narrow & {n for n, k in fields.items() if k is SchemaType.INT64}:
                row[name] = (row[name] + _NARROW) % (2 * _NARROW) - _NARROW
        return row


@mutant(
    "M069",
    "what does not fit is stored as its printed form",
    base="rows-sink",
    killed_by="SNK-SCH-05",
    failure="note: '",
)
class CoercesWithStrTask(RowsSinkTask):
    """Stores structs as text."""

    def field(self, value: Struct, name: str) -> Any:
        """The value of a field, a struct as text."""
        found = value.get_without_default(name)
        return str(found) if isinstance(found, Struct) else super().field(value, name)


@mutant(
    "M070",
    "a new schema empties the buffer of rows of the old one",
    base="evolving-sink",
    killed_by="SNK-SCH-08",
    failure="one of them missing",
)
class ClearsAtNewSchemaTask(RowsSinkTask):
    """Drops buffered rows when the schema changes."""

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write the rows with the last schema of a batch."""
        buffer: list[SinkRecord] = []
        for record in records:
            if buffer and record.value_schema != buffer[-1].value_schema:
                buffer.clear()
            buffer.append(record)
        super().put(buffer)


@mutant(
    "M185",
    "a field that is gone is filled with something",
    base="evolving-sink",
    killed_by="SNK-SCH-04",
    failure="None, or its default",
)
class FillsRemovedFieldsTask(RowsSinkTask):
    """Fills removed fields with a text."""

    def plain(self, value: Any) -> Any:
        """The row, with all columns."""
        row = super().plain(value)
        if isinstance(row, dict) and "id" in row:
            return {name: "n/a" for name, kind in FIELDS if kind == "string"} | row
        return row
