"""The endpoint of the sinks that write to a database, read without the connector."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any, ClassVar

from plugwright_conformance.reference.rows.codec import decode
from plugwright_conformance.reference.rows.testing import RowsEndpoint

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from plugwright_conformance.reference.rows.database_sink import DatabaseSinkTask

__all__ = ["DatabaseEndpoint"]

_BUSY_S = 60


class DatabaseEndpoint(RowsEndpoint):
    """One table of lines, in the order in which they were committed.

    Attributes:
        TASK: the class that writes, for its file and its tables.
        TABLE: the name of the table.
    """

    TASK: ClassVar[type[DatabaseSinkTask]]
    TABLE: ClassVar[str]

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self._file = directory / "tables" / self.TASK.DATABASE

    def insert(self, rows: Sequence[tuple[str, ...]]) -> None:
        """Insert rows, as another program would."""
        marks = ", ".join("?" for _ in rows[0]) if rows else "NULL"
        with closing(sqlite3.connect(self._file, timeout=_BUSY_S)) as database, database:
            database.execute(self.TASK.TABLES[0])
            database.executemany(f"INSERT INTO {self.TABLE} VALUES ({marks})", rows)  # noqa: S608

    def read_back(self) -> list[Any]:
        """Every committed line."""
        if not self._file.exists():
            return []
        with closing(sqlite3.connect(self._file, timeout=_BUSY_S)) as database:
            exists = "SELECT 1 FROM sqlite_master WHERE name = ?"
            known = database.execute(exists, (self.TABLE,)).fetchall()
            query = f"SELECT line FROM {self.TABLE} ORDER BY rowid"  # noqa: S608
            return [decode(line) for (line,) in database.execute(query)] if known else []

    def refuse(self) -> Sequence[str]:
        """Make the database unavailable; returns SQLite's message."""
        super().refuse()
        return ("unable to open database file",)
