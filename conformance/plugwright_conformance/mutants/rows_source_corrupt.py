"""Sources of lines one of which cannot be read: their endpoints, good ones, and broken ones."""

from __future__ import annotations

import json
from itertools import takewhile
from typing import TYPE_CHECKING

from plugwright import DataError
from plugwright_conformance.reference.rows.codec import decode
from plugwright_conformance.reference.rows.source import RowsSourceTask
from plugwright_conformance.reference.rows.testing import RowsEndpoint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright import SourceRecord

__all__ = [
    "CorruptEndpoint",
    "HidesPlaceTask",
    "PassesCorruptRowsTask",
    "PassesRestTask",
    "PlacesErrorsTask",
    "ToleratedEndpoint",
]


class CorruptEndpoint(RowsEndpoint):
    """A table in which a line may be cut off; the source has to tell where."""

    def seed_corrupt(self) -> Sequence[str]:
        """Add such a line; its place."""
        table = self._directory / "table0.jsonl"
        with table.open("a", encoding="utf-8") as file:
            file.write('{"row": {"na\n')
        return ("table0", f"row {len(table.read_text('utf-8').splitlines())}")


class ToleratedEndpoint(CorruptEndpoint):
    """The same, where the source is to pass over such lines."""

    def seed_corrupt(self) -> Sequence[str]:
        """Add such a line."""
        super().seed_corrupt()
        return ()


class PlacesErrorsTask(RowsSourceTask):
    """Fails at a corrupt line, and tells where it is."""

    def poll(self) -> Sequence[SourceRecord] | None:
        """The next rows."""
        for table, line in self._lines.items():
            if rows := self._read(table)[line : line + self._batch]:
                records = self.records(table, line, rows)
                self._lines[table] = line + len(rows)
                return records
        return super().poll()

    def records(self, table: str, line: int, rows: Sequence[str]) -> list[SourceRecord]:
        """The records of some lines."""
        records = []
        for number, row in enumerate(rows, line + 1):
            try:
                records.append(self.record(table, number, decode(row)))
            except json.JSONDecodeError as error:
                self.refuse(table, number, error)
        return records

    def refuse(self, table: str, number: int, error: ValueError) -> None:
        """Fail.

        Raises:
            DataError: with the place of the line.
        """
        raise DataError(f"{table}, row {number}: {error}") from error


class HidesPlaceTask(PlacesErrorsTask):
    """Fails, and does not tell where."""

    def refuse(self, table: str, number: int, error: ValueError) -> None:  # noqa: ARG002  # the fault
        """Fail.

        Raises:
            DataError: with what the parser says.
        """
        raise DataError(f"cannot parse: {error}") from error


class PassesCorruptRowsTask(PlacesErrorsTask):
    """Leaves out a corrupt line."""

    def refuse(self, table: str, number: int, error: ValueError) -> None:
        """Go on."""


class PassesRestTask(PassesCorruptRowsTask):
    """Leaves out a corrupt line, and what was read after it."""

    def records(self, table: str, line: int, rows: Sequence[str]) -> list[SourceRecord]:
        """The records before the first corrupt line."""
        return super().records(table, line, [*takewhile(_is_whole, rows)])


def _is_whole(row: str) -> bool:
    try:
        decode(row)
    except json.JSONDecodeError:
        return False
    return True
