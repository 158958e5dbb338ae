"""The endpoint of the sink that writes each line exactly once."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

from plugwright_conformance.reference.rows.codec import encode
from plugwright_conformance.reference.rows.database_testing import DatabaseEndpoint
from plugwright_conformance.reference.rows.exact_sink import ExactSinkTask

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ExactEndpoint"]


class ExactEndpoint(DatabaseEndpoint):
    """One table of lines, in the order in which they were committed."""

    TASK = ExactSinkTask
    TABLE = "lines"

    def read_offsets(self) -> Sequence[tuple[str, int, int]]:
        """Topic, partition and offset of each partition that the sink has stored."""
        if not self._file.exists():
            return []
        with closing(sqlite3.connect(self._file)) as database:
            exists = "SELECT 1 FROM sqlite_master WHERE name = 'ends'"
            known = database.execute(exists).fetchall()
            return (
                database.execute("SELECT topic, part, next FROM ends").fetchall() if known else []
            )

    def seed(self, values: Sequence[Any]) -> None:
        """Insert lines."""
        self.insert([(encode(value),) for value in values])
