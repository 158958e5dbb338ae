"""Row sources that handle a change of structure wrongly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright import STRING_SCHEMA, SchemaBuilder, Struct
from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.source import RowsSourceTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import Schema, SourceRecord

__all__ = [
    "DropsBatchOfChangeTask",
    "InfersNullsTask",
    "KeepsFirstStructureTask",
    "KeepsSchemaOfRecordsTask",
]


@mutant(
    "M065",
    "the first structure is kept for ever",
    base="evolving-source",
    killed_by="SRC-SCH-01",
    failure="added_later: no such field",
)
class KeepsFirstStructureTask(RowsSourceTask):
    """Leaves out columns that were added after the first row.

    Reported at https://github.com/spiceai/spiceai/issues/9782: the schema is inferred once, and
    never updated.
    """

    def schema_of(self, row: Mapping[str, Any]) -> Schema:  # noqa: ARG002  # the fault
        """The structure at the start."""
        return self._schema


@mutant(
    "M065a",
    "rows that were read with a change of structure are thrown away",
    base="evolving-source",
    killed_by="SRC-SCH-01",
    failure="3 records",
)
class DropsBatchOfChangeTask(RowsSourceTask):
    """Begins a new batch when the columns change, without sending the row that it has read."""

    _columns = 0

    def poll(self) -> Sequence[SourceRecord] | None:
        """The next rows; the first ones with other columns are lost."""
        records = super().poll()
        if not records:
            return records
        before, self._columns = self._columns, len(records[-1].value.schema.fields)
        return records[1:] if before and self._columns != before else records


@mutant(
    "M065b",
    "values have the new structure, and the schema of records the first one",
    base="evolving-source",
    killed_by="SRC-SCH-01",
    failure="a schema with the field added_later",
)
class KeepsSchemaOfRecordsTask(RowsSourceTask):
    """Sends new structs with the schema that was built at the start."""

    def record(self, table: str, line: int, row: Any) -> SourceRecord:
        """The record of a row, with the first schema."""
        record = super().record(table, line, row)
        record.value_schema = self._schema if isinstance(record.value, Struct) else None
        return record


@mutant(
    "M313",
    "whether a column may be null is inferred from each row",
    base="rows-source",
    killed_by="SRC-SCH-02",
    failure="note: optional False",
)
class InfersNullsTask(RowsSourceTask):
    """Makes a column optional only in rows in which it is null."""

    def schema_of(self, row: Mapping[str, Any]) -> Schema:
        """The schema of a row, with a note that is optional if the row has none."""
        builder = SchemaBuilder.struct().name("rows.Row")
        for field in super().schema_of(row).fields:
            there = field.name == "note" and row.get("note") is not None
            builder.field(field.name, STRING_SCHEMA if there else field.schema)
        return builder.build()
