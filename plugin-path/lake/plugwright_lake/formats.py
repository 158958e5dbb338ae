"""The formats of files, and what they have in common."""

from __future__ import annotations

from dataclasses import dataclass
from types import NoneType
from typing import TYPE_CHECKING, Any, Protocol

from plugwright import DataError

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugwright import Schema, SinkColumns

__all__ = ["FileFormat", "RowCollection", "Rows", "of_one_schema"]


class RowCollection(Protocol):
    """Rows that wait for their file; a list is one."""

    def append(self, row: Any, /) -> None:
        """Add a row."""

    def extend(self, rows: Any, /) -> None:
        """Add rows."""

    def __getitem__(self, part: slice, /) -> RowCollection: ...


class Rows(Protocol):
    """The rows of one schema, for one file."""

    def row(self, schema: Schema | None, value: Any) -> Any:
        """A row of a value, which is called once for each record.

        Raises:
            DataError: if the format has no place for the value.
        """

    def rows(self, part: SinkColumns) -> Any:
        """The rows of many values, equal to what `row` makes of each, which can be sliced.

        A format with columns overrides it.

        Returns:
            ``None`` if a value is null or has no place.
        """
        if NoneType in {*map(type, part.values)}:
            return None
        try:
            return [self.row(part.value_schema, value) for value in part.values]
        except DataError:
            return None

    def collection(self) -> RowCollection:
        """A new collection for what `row` and `rows` return."""
        return []

    def file(self, rows: Any, name: str) -> bytes:
        """The bytes of a file of rows: the same ones for the same rows and name."""


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A format of files.

    Attributes:
        extension: of file names, with its full stop.
        has_schema: whether all rows of a file have one schema.
        rows: makes what writes rows of a schema, or raises a ``DataError``.
    """

    extension: str
    has_schema: bool
    rows: Callable[[Schema | None], Rows]


def of_one_schema(extension: str, rows: Callable[[Schema], Rows]) -> FileFormat:
    """A format whose files have a schema, one each."""

    def made(schema: Schema | None) -> Rows:
        assert schema is not None  # noqa: S101  # has_schema says so
        return rows(schema)

    return FileFormat(extension, True, made)
