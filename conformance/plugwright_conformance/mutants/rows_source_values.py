"""Row sources that change or drop values."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from plugwright import STRING_SCHEMA, ConnectError, SchemaBuilder, SourceRecord, Struct
from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.codec import decode
from plugwright_conformance.reference.rows.source import (
    RowsSourceTask,
    row_schema,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import Schema

__all__ = [
    "DecimalAsFloatTask",
    "DropsUnknownColumnsTask",
    "JsonTextTask",
    "LargeNumbersAsTextTask",
    "MissingIsNullTask",
    "PassesFailedRowTask",
]

_EXACT = 2**53


@mutant(
    "M048",
    "declared int64, emits text for large values",
    killed_by="SRC-TYP-01",
    failure="that fits its schema",
)
class LargeNumbersAsTextTask(RowsSourceTask):
    """Emits large numbers as text, against the schema."""

    def struct(self, row: Mapping[str, Any]) -> Struct:
        """The row, with large numbers as text."""
        struct = super().struct(row)
        values = [struct.get_without_default(name) for name in tuple(struct.keys())]
        return Struct.adopt(
            struct.schema,
            [str(v) if isinstance(v, int) and abs(v) > _EXACT else v for v in values],
        )


def _with_float_amount() -> Schema:
    builder = SchemaBuilder.struct().name("rows.Row")
    for field in row_schema().fields:
        plain = SchemaBuilder.float64().build() if field.name == "amount" else field.schema
        builder.field(field.name, plain)
    return builder.build()


@mutant(
    "M050",
    "decimal emitted as float",
    killed_by="SRC-TYP-03",
    failure="amount as org.apache.kafka.connect.data.Decimal",
    sentinel=True,
)
class DecimalAsFloatTask(RowsSourceTask):
    """Emits a decimal as a float."""

    def __init__(self) -> None:
        super().__init__()
        self._schema = _with_float_amount()

    def struct(self, row: Mapping[str, Any]) -> Struct:
        """The row, with the amount as a float."""
        return super().struct({**row, "amount": float(row["amount"])})


@mutant(
    "M051",
    "missing field emitted as null, default lost",
    killed_by="SRC-TYP-04",
    failure="state: 'new'",
)
class MissingIsNullTask(RowsSourceTask):
    """Emits null instead of a default."""

    def struct(self, row: Mapping[str, Any]) -> Struct:
        """The row, with null for a missing state."""
        return super().struct({"state": None, **row})


@mutant(
    "M052",
    "unsupported column silently dropped",
    killed_by="SRC-TYP-06",
    failure="no error",
)
class DropsUnknownColumnsTask(RowsSourceTask):
    """Skips rows with an unsupported column."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """The next rows; skips those that fail."""
        try:
            return super().poll()
        except ConnectError:
            self._lines = {table: line + 1 for table, line in self._lines.items()}
            return None


@mutant(
    "M223",
    "a row that cannot be read is passed over when rows before it were handed out",
    killed_by="SRC-TYP-06",
    failure="no error, 5 records",
)
class PassesFailedRowTask(RowsSourceTask):
    """Moves its position before it creates records.

    After https://github.com/confluentinc/kafka-connect-jdbc/pull/1239: the position in memory went
    past the row at which reading failed.
    """

    def poll(self) -> Sequence[SourceRecord] | None:
        """The rows before the first one that cannot be read."""
        for table, line in self._lines.items():
            rows = self._read(table)[line:]
            self._lines[table] = line + len(rows)
            records: list[SourceRecord] = []
            for number, row in enumerate(rows, line + 1):
                try:
                    records.append(self.record(table, number, decode(row)))
                except ConnectError:
                    if not records:
                        raise
                    break
            if records:
                return records
        self._stopping.wait(0.05)
        return None


@mutant(
    "M054",
    "emits JSON text whatever the converter",
    base="lines-source",
    killed_by="SRC-TYP-09",
    failure="through JSON with schemas",
)
class JsonTextTask(RowsSourceTask):
    """Serializes rows to JSON itself."""

    def record(self, table: str, line: int, row: Any) -> SourceRecord:
        """The row as JSON text."""
        text = json.dumps(row, default=str)
        return SourceRecord({"table": table}, {"line": line}, self._topic, text, STRING_SCHEMA)
