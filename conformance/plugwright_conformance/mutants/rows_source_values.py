"""Sources of rows that get values wrong."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from plugwright import STRING_SCHEMA, ConnectError, SchemaBuilder, SourceRecord, Struct
from plugwright_conformance.reference.rows.source import (
    RowsSourceConnector,
    RowsSourceTask,
    row_schema,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import Schema, Task

__all__ = [
    "DecimalAsFloat",
    "DropsUnknownColumns",
    "JsonText",
    "LargeNumbersAsText",
    "MissingIsNull",
]

_EXACT = 2**53


class LargeNumbersAsTextTask(RowsSourceTask):
    """Spares readers that know doubles only."""

    def struct(self, row: Mapping[str, Any]) -> Struct:
        """Large numbers as text, whatever the schema says."""
        struct = super().struct(row)
        values = [struct.get_without_default(name) for name in tuple(struct.keys())]
        return Struct.adopt(
            struct.schema,
            [str(v) if isinstance(v, int) and abs(v) > _EXACT else v for v in values],
        )


class LargeNumbersAsText(RowsSourceConnector):
    """Declares int64 and gives text."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return LargeNumbersAsTextTask


def _with_float_amount() -> Schema:
    builder = SchemaBuilder.struct().name("rows.Row")
    for field in row_schema().fields:
        plain = SchemaBuilder.float64().build() if field.name == "amount" else field.schema
        builder.field(field.name, plain)
    return builder.build()


class DecimalAsFloatTask(RowsSourceTask):
    """Thinks that a float is precise enough."""

    def __init__(self) -> None:
        super().__init__()
        self._schema = _with_float_amount()

    def struct(self, row: Mapping[str, Any]) -> Struct:
        """The amount as a float."""
        return super().struct({**row, "amount": float(row["amount"])})


class DecimalAsFloat(RowsSourceConnector):
    """Loses cents."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return DecimalAsFloatTask


class MissingIsNullTask(RowsSourceTask):
    """Knows no defaults."""

    def struct(self, row: Mapping[str, Any]) -> Struct:
        """Null for what is missing."""
        return super().struct({"state": None, **row})


class MissingIsNull(RowsSourceConnector):
    """Takes missing for null."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return MissingIsNullTask


class DropsUnknownColumnsTask(RowsSourceTask):
    """Goes on whatever comes."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """Rows, or nothing if a column is strange."""
        try:
            return super().poll()
        except ConnectError:
            self._lines = {table: line + 1 for table, line in self._lines.items()}
            return None


class DropsUnknownColumns(RowsSourceConnector):
    """Loses what it does not know."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return DropsUnknownColumnsTask


class JsonTextTask(RowsSourceTask):
    """Serializes by itself."""

    def record(self, table: str, line: int, row: Any) -> SourceRecord:
        """The row as JSON text."""
        text = json.dumps(row, default=str)
        return SourceRecord({"table": table}, {"line": line}, self._topic, text, STRING_SCHEMA)


class JsonText(RowsSourceConnector):
    """Leaves nothing to the converter."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return JsonTextTask
