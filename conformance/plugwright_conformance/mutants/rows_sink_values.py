"""Sinks of rows that get values wrong."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from plugwright_conformance.mutants._mutant import mutant
from plugwright_conformance.reference.rows.codec import encode
from plugwright_conformance.reference.rows.sink import RowsSinkTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import SinkRecord

__all__ = [
    "CutsAtSemicolonTask",
    "FlattensListsTask",
    "IgnoresScaleTask",
    "NullIsEmptyTask",
    "ParsesJsonTask",
    "StumblesOverTombstonesTask",
    "SwallowsRowsTask",
    "UnknownIsNullTask",
]


@mutant(
    "M021",
    "swallows values without a word that it does not declare",
    base="lines-sink",
    killed_by="CON-CAP-02",
    says="schemaless is not declared",
    sentinel=True,
)
class SwallowsRowsTask(RowsSinkTask):
    """Takes text, and lets the rest go."""

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write the text among the values."""
        super().put([record for record in records if isinstance(record.value, str)])


@mutant(
    "M056",
    "unknown type becomes null",
    base="lines-sink",
    killed_by="SNK-TYP-02",
    says="a Connect error for boolean",
)
class UnknownIsNullTask(RowsSinkTask):
    """Has a place for everything."""

    def line(self, record: SinkRecord) -> str:
        """Null for what is no text."""
        return encode(record.value if isinstance(record.value, str) else "null")


@mutant(
    "M057",
    "decimal scale ignored",
    killed_by="SNK-TYP-03",
    says="amount: Decimal",
)
class IgnoresScaleTask(RowsSinkTask):
    """Takes the digits of a decimal."""

    def plain(self, value: Any) -> Any:
        """The row, its amounts without their points."""
        row = super().plain(value)
        if isinstance(row, dict):
            return {k: v.scaleb(2) if isinstance(v, Decimal) else v for k, v in row.items()}
        return row


@mutant(
    "M058",
    "schemaless list flattened to its text",
    killed_by="SNK-TYP-04",
    says="put without schema",
)
class FlattensListsTask(RowsSinkTask):
    """Has no lists."""

    def plain(self, value: Any) -> Any:
        """Lists as their text."""
        row = super().plain(value)
        if isinstance(row, dict):
            return {k: str(v) if isinstance(v, list) else v for k, v in row.items()}
        return row


@mutant(
    "M059",
    "optional null stored as empty text",
    killed_by="SNK-TYP-05",
    says="note: None",
)
class NullIsEmptyTask(RowsSinkTask):
    """Has no nulls."""

    def plain(self, value: Any) -> Any:
        """Empty text for null."""
        row = super().plain(value)
        if isinstance(row, dict):
            return {k: "" if v is None else v for k, v in row.items()}
        return row


@mutant(
    "M060",
    "tombstone raises an attribute error",
    base="lines-sink",
    killed_by="SNK-TYP-06",
    says="AttributeError",
    sentinel=True,
)
class StumblesOverTombstonesTask(RowsSinkTask):
    """Expects a value in every record."""

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Look at every value before it is written."""
        for record in records:
            record.value.encode()
        super().put(records)


@mutant(
    "M062",
    "assumes that the value is JSON text",
    base="lines-sink",
    killed_by="SNK-TYP-09",
    says="JSONDecodeError",
)
class ParsesJsonTask(RowsSinkTask):
    """Knows what the bytes look like."""

    def plain(self, value: Any) -> Any:
        """What the text stands for."""
        return json.loads(value)


@mutant(
    "M064",
    "puts values into statements",
    base="lines-sink",
    killed_by="SNK-TYP-12",
    says="values that look like code",
)
class CutsAtSemicolonTask(RowsSinkTask):
    """Puts values into statements."""

    def plain(self, value: Any) -> Any:
        """What is left of it when the statement ends."""
        plain = super().plain(value)
        return plain.split(";")[0] if isinstance(plain, str) else plain
