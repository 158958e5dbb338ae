"""The endpoint of the sink that keeps the last line of each key, read without the connector."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import count
from typing import TYPE_CHECKING, Any

from plugwright_conformance.reference.rows.codec import decode, encode
from plugwright_conformance.reference.rows.keyed_sink import DATABASE, KEYED_LINES
from plugwright_conformance.reference.rows.testing import RowsEndpoint

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["KeyedEndpoint"]

_BUSY_S = 60


class KeyedEndpoint(RowsEndpoint):
    """One table of lines by topic and key; each seeded line has a key of its own."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self._file = directory / "tables" / DATABASE
        self._seeded = count()

    def seed(self, values: Sequence[Any]) -> None:
        """Insert lines, as somebody else would."""
        rows = [("", f"seed {next(self._seeded)}", encode(value)) for value in values]
        with closing(sqlite3.connect(self._file, timeout=_BUSY_S)) as database, database:
            database.execute(KEYED_LINES)
            database.executemany("INSERT INTO keyed VALUES (?, ?, ?)", rows)

    def read_back(self) -> list[Any]:
        """Every line that is committed, in the order in which its key came first."""
        if not self._file.exists():
            return []
        with closing(sqlite3.connect(self._file, timeout=_BUSY_S)) as database:
            known = database.execute("SELECT 1 FROM sqlite_master WHERE name = 'keyed'").fetchall()
            query = "SELECT line FROM keyed ORDER BY rowid"
            return [decode(line) for (line,) in database.execute(query)] if known else []

    def refuse(self) -> Sequence[str]:
        """Be gone; the words by which SQLite says so."""
        super().refuse()
        return ("unable to open database file",)
