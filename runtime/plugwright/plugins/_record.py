"""Parses the rows of a ``RECORD`` file, tolerating malformed ones."""

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
        text: the row in the file, with its line ending.
        cells: path, hash and size; more or fewer in a malformed row.
    """

    text: str
    cells: Sequence[str]

    @property
    def path(self) -> str:
        """The normalised path below the import path; empty if missing."""
        return posixpath.normpath(self.cells[0].replace("\\", "/")) if any(self.cells[:1]) else ""

    @property
    def is_whole(self) -> bool:
        """Whether it has a path, a hash and a size, of which the last two may be empty."""
        return len(self.cells) == _COLUMNS and bool(self.cells[0])


def record_rows(data: bytes) -> Iterator[RecordRow]:
    """Every row in file order; a malformed one does not affect the others.

    A path that is not UTF-8 is decoded with the file system's encoding.
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
        if len(held) > 1 and len(cells) != _COLUMNS:  # an unterminated quote
            yield from (row for line in held for row in _rows(line))
        else:
            yield RecordRow("".join(held), cells)
        held.clear()
