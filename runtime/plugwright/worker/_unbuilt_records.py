"""Polled columns as the loop passes them on: records are built where they are needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

from plugwright.record import SourceRecord

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugwright.source_columns import SourceColumns


class UnbuiltRecords(Sequence[SourceRecord]):
    """A part of columns that nobody has looked at; each access builds a new record.

    Args:
        columns: as polled.
        part: the indexes of these records.

    Attributes:
        columns: as polled.
        part: the indexes of these records.
    """

    __slots__ = ("columns", "part")

    def __init__(self, columns: SourceColumns, part: range) -> None:
        self.columns = columns
        self.part = part

    def separate(self) -> SourceColumns:
        """Columns of these records alone."""
        columns, first = self.columns, self.part.start
        part = slice(first, self.part.stop)
        return columns.replace(
            offset_at=lambda index: columns.offset_at(first + index),
            values=columns.values[part],
            keys=None if columns.keys is None else columns.keys[part],
        )

    def __len__(self) -> int:
        return len(self.part)

    def __iter__(self) -> Iterator[SourceRecord]:
        return map(self.columns.build, self.part)

    @overload
    def __getitem__(self, index: int) -> SourceRecord: ...
    @overload
    def __getitem__(self, index: slice) -> UnbuiltRecords: ...
    def __getitem__(self, index: int | slice) -> SourceRecord | UnbuiltRecords:
        if isinstance(index, slice):
            return UnbuiltRecords(self.columns, self.part[index])
        return self.columns.build(self.part[index])
