"""Row sinks that change or reject values wrongly."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from plugwright_conformance.mutants.mutant import mutant
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
    failure="schemaless is not declared",
    sentinel=True,
)
class SwallowsRowsTask(RowsSinkTask):
    """Drops values that are not text."""

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write the text values."""
        super().put([record for record in records if isinstance(record.value, str)])


@mutant(
    "M056",
    "unknown type becomes null",
    base="lines-sink",
    killed_by="SNK-TYP-02",
    failure="a Connect error for boolean",
)
class UnknownIsNullTask(RowsSinkTask):
    """Writes unknown types as null."""

    def line(self, record: SinkRecord) -> str:
        """The text, or null."""
        return encode(record.value if isinstance(record.value, str) else "null")


@mutant(
    "M057",
    "decimal scale ignored",
    killed_by="SNK-TYP-03",
    failure="amount: Decimal",
)
class IgnoresScaleTask(RowsSinkTask):
    """Ignores the scale of a decimal."""

    def plain(self, value: Any) -> Any:
        """The row, with amounts without their decimal point."""
        row = super().plain(value)
        if isinstance(row, dict):
            return {k: v.scaleb(2) if isinstance(v, Decimal) else v for k, v in row.items()}
        return row


@mutant(
    "M058",
    "schemaless list flattened to its text",
    killed_by="SNK-TYP-04",
    failure="put without schema",
)
class FlattensListsTask(RowsSinkTask):
    """Writes lists as text."""

    def plain(self, value: Any) -> Any:
        """The row, with lists as text."""
        row = super().plain(value)
        if isinstance(row, dict):
            return {k: str(v) if isinstance(v, list) else v for k, v in row.items()}
        return row


@mutant(
    "M059",
    "optional null stored as empty text",
    killed_by="SNK-TYP-05",
    failure="note: None",
)
class NullIsEmptyTask(RowsSinkTask):
    """Writes null as empty text."""

    def plain(self, value: Any) -> Any:
        """The row, with empty text for null."""
        row = super().plain(value)
        if isinstance(row, dict):
            return {k: "" if v is None else v for k, v in row.items()}
        return row


@mutant(
    "M060",
    "tombstone raises an attribute error",
    base="lines-sink",
    killed_by="SNK-TYP-06",
    failure="AttributeError",
    sentinel=True,
)
class StumblesOverTombstonesTask(RowsSinkTask):
    """Requires a value in every record."""

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Encode every value, then write."""
        for record in records:
            record.value.encode()
        super().put(records)


@mutant(
    "M062",
    "assumes that the value is JSON text",
    base="lines-sink",
    killed_by="SNK-TYP-09",
    failure="JSONDecodeError",
)
class ParsesJsonTask(RowsSinkTask):
    """Parses every value as JSON."""

    def plain(self, value: Any) -> Any:
        """The parsed text."""
        return json.loads(value)


@mutant(
    "M064",
    "puts values into statements",
    base="lines-sink",
    killed_by="SNK-TYP-12",
    failure="values that look like code",
)
class CutsAtSemicolonTask(RowsSinkTask):
    """Truncates values at a semicolon, like a statement built from text."""

    def plain(self, value: Any) -> Any:
        """The value up to its first semicolon."""
        plain = super().plain(value)
        return plain.split(";")[0] if isinstance(plain, str) else plain
