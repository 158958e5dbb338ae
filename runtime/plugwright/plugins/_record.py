"""The rows of a ``RECORD`` (recording installed projects), whatever is wrong with some of them."""

from __future__ import annotations

import csv
import io
import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_COLUMNS = 3


@dataclass(frozen=True, slots=True)
class RecordRow:
    """One row.

    Attributes:
        text: as it stands in the file, with its line ending.
        cells: path, hash and size; more or fewer in a row that is wrong.
    """

    text: str
    cells: Sequence[str]

    @property
    def path(self) -> str:
        """Where the file lies below the import path, in one spelling; empty if it is not said."""
        return posixpath.normpath(self.cells[0].replace("\\", "/")) if any(self.cells[:1]) else ""

    @property
    def is_whole(self) -> bool:
        """Whether it has a path, a hash and a size, of which the last two may be empty."""
        return len(self.cells) == _COLUMNS and bool(self.cells[0])


def record_rows(data: bytes) -> Iterator[RecordRow]:
    """Every row in the order of the file; one that is wrong spoils no other.

    A path that is no UTF-8 is decoded as the file system does it.
    """
    yield from _rows(data.decode(errors="surrogateescape"))


def _rows(text: str) -> Iterator[RecordRow]:
    lines = io.StringIO(text, newline="")
    held: list[str] = []

    def read() -> Iterator[str]:
        for line in lines:
            held.append(line)
            yield line

    reader = csv.reader(read(), strict=True)
    while True:
        cells: Sequence[str] = ()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            reader = csv.reader(read(), strict=True)
        if len(held) > 1 and len(cells) != _COLUMNS:  # a quote without an end
            yield from (row for line in held for row in _rows(line))
        else:
            yield RecordRow("".join(held), cells)
        held.clear()
