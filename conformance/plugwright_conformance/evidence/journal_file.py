"""A journal file with one JSON object per line, which an interrupted run can continue."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

__all__ = ["JournalFile"]


class JournalFile:
    """Reads the rows of a journal and appends rows to it.

    Args:
        path: of the file, which need not exist; ``None`` stores nothing.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def rows(self) -> Iterator[Mapping[str, Any]]:
        """The rows so far, without truncated lines and lines without an object."""
        for line in self._text().splitlines():
            try:
                row = json.loads(line)
            except ValueError:
                continue
            if isinstance(row, dict):
                yield row

    def append(self, row: Mapping[str, Any]) -> None:
        """Write a row on a new line, even if the last line is truncated."""
        if self._path is None:
            return
        text = self._text()
        begin = "\n" if text and not text.endswith("\n") else ""
        with self._path.open("a", encoding="utf-8") as file:
            file.write(f"{begin}{json.dumps(row, sort_keys=True)}\n")

    def _text(self) -> str:
        if self._path is None or not self._path.exists():
            return ""
        return self._path.read_text("utf-8")
