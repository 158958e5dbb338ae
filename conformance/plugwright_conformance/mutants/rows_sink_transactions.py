"""A sink that declares exactly-once delivery, but writes records and offsets separately."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.mutants._mutant import mutant
from plugwright_conformance.reference.rows.exact_sink import ExactSinkTask

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping

__all__ = ["StoresOffsetsSecondTask"]


@mutant(
    "M097",
    "the offset is stored in a second transaction, after that of the data",
    base="exact-lines-sink",
    killed_by="CON-DLV-05",
    failure="duplicated",
)
class StoresOffsetsSecondTask(ExactSinkTask):
    """Commits the lines before their offsets."""

    def _move(self, database: sqlite3.Connection, ends: Mapping[tuple[str, int], int]) -> None:
        database.execute("COMMIT")
        database.execute("BEGIN IMMEDIATE")
        super()._move(database, ends)
