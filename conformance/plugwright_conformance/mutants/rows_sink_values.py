"""Sinks of rows that get values wrong."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from plugwright_conformance.reference.rows.codec import encode
from plugwright_conformance.reference.rows.sink import RowsSinkConnector, RowsSinkTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import SinkRecord, Task

__all__ = [
    "CutsAtSemicolon",
    "FlattensLists",
    "IgnoresScale",
    "NullIsEmpty",
    "ParsesJson",
    "StumblesOverTombstones",
    "SwallowsRows",
    "UnknownIsNull",
]


class SwallowsRowsTask(RowsSinkTask):
    """Takes text, and lets the rest go."""

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write the text among the values."""
        super().put([record for record in records if isinstance(record.value, str)])


class SwallowsRows(RowsSinkConnector):
    """Says nothing about what it cannot do."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return SwallowsRowsTask


class UnknownIsNullTask(RowsSinkTask):
    """Has a place for everything."""

    def line(self, record: SinkRecord) -> str:
        """Null for what is no text."""
        return encode(record.value if isinstance(record.value, str) else "null")


class UnknownIsNull(RowsSinkConnector):
    """Bends what it does not know."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return UnknownIsNullTask


class IgnoresScaleTask(RowsSinkTask):
    """Takes the digits of a decimal."""

    def plain(self, value: Any) -> Any:
        """The row, its amounts without their points."""
        row = super().plain(value)
        if isinstance(row, dict):
            return {k: v.scaleb(2) if isinstance(v, Decimal) else v for k, v in row.items()}
        return row


class IgnoresScale(RowsSinkConnector):
    """Is off by a factor of a hundred."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return IgnoresScaleTask


class FlattensListsTask(RowsSinkTask):
    """Has no lists."""

    def plain(self, value: Any) -> Any:
        """Lists as their text."""
        row = super().plain(value)
        if isinstance(row, dict):
            return {k: str(v) if isinstance(v, list) else v for k, v in row.items()}
        return row


class FlattensLists(RowsSinkConnector):
    """Makes text of lists."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return FlattensListsTask


class NullIsEmptyTask(RowsSinkTask):
    """Has no nulls."""

    def plain(self, value: Any) -> Any:
        """Empty text for null."""
        row = super().plain(value)
        if isinstance(row, dict):
            return {k: "" if v is None else v for k, v in row.items()}
        return row


class NullIsEmpty(RowsSinkConnector):
    """Takes null for empty."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return NullIsEmptyTask


class StumblesOverTombstonesTask(RowsSinkTask):
    """Expects a value in every record."""

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Look at every value before it is written."""
        for record in records:
            record.value.encode()
        super().put(records)


class StumblesOverTombstones(RowsSinkConnector):
    """Knows no tombstones."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return StumblesOverTombstonesTask


class ParsesJsonTask(RowsSinkTask):
    """Knows what the bytes look like."""

    def plain(self, value: Any) -> Any:
        """What the text stands for."""
        return json.loads(value)


class ParsesJson(RowsSinkConnector):
    """Needs JSON text as its value."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return ParsesJsonTask


class CutsAtSemicolonTask(RowsSinkTask):
    """Puts values into statements."""

    def plain(self, value: Any) -> Any:
        """What is left of it when the statement ends."""
        plain = super().plain(value)
        return plain.split(";")[0] if isinstance(plain, str) else plain


class CutsAtSemicolon(RowsSinkConnector):
    """Takes data for syntax."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return CutsAtSemicolonTask
