"""The endpoint of the sink that writes lines once: a database, read without the connector."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

from plugwright_conformance.reference.rows.codec import decode, encode
from plugwright_conformance.reference.rows.exact_sink import DATABASE, LINES
from plugwright_conformance.reference.rows.testing import RowsEndpoint

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["ExactEndpoint"]

_BUSY_S = 60


class ExactEndpoint(RowsEndpoint):
    """One table of lines, in the order in which they were committed."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self._file = directory / "tables" / DATABASE

    def seed(self, values: Sequence[Any]) -> None:
        """Insert lines, as somebody else would."""
        with closing(sqlite3.connect(self._file, timeout=_BUSY_S)) as database, database:
            database.execute(LINES)
            database.executemany("INSERT INTO lines VALUES (?)", [(encode(v),) for v in values])

    def read_back(self) -> list[Any]:
        """Every line that is committed."""
        if not self._file.exists():
            return []
        with closing(sqlite3.connect(self._file, timeout=_BUSY_S)) as database:
            known = database.execute("SELECT 1 FROM sqlite_master WHERE name = 'lines'").fetchall()
            query = "SELECT line FROM lines ORDER BY rowid"
            return [decode(line) for (line,) in database.execute(query)] if known else []

    def refuse(self) -> Sequence[str]:
        """Be gone; the words by which SQLite says so."""
        super().refuse()
        return ("unable to open database file",)
