"""Exactly-once sinks that do not reckon with another task, or with a kill."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.exact_sink import ExactSinkTask

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Mapping, Sequence

    from plugwright import TopicPartition
    from plugwright_conformance.reference.rows.exact_sink import _Row

__all__ = [
    "KnowsItsOwnOffsetsTask",
    "StoresOffsetsWhenStoppedTask",
    "TrustsItsAssignmentTask",
]


@mutant(
    "M100",
    "the offsets are stored when the task ends in order, which no kill lets it do",
    base="exact-lines-sink",
    killed_by="CON-DLV-06",
    failure="duplicated",
)
class StoresOffsetsWhenStoppedTask(ExactSinkTask):
    """Keeps the offsets in memory until the partitions are closed."""

    def start(self, props: Mapping[str, str]) -> None:
        """Start without offsets."""
        super().start(props)
        self._ends: dict[tuple[str, int], int] = {}

    def close(self, partitions: Collection[TopicPartition]) -> None:
        """Store the offsets."""
        with closing(self._connect()) as database, database:
            super()._move(database, self._ends)
        self._ends = {}
        super().close(partitions)

    def _move(self, database: sqlite3.Connection, ends: Mapping[tuple[str, int], int]) -> None:  # noqa: ARG002
        self._ends.update(ends)


@mutant(
    "M103",
    "offsets are compared when partitions are assigned, and not when records are written",
    base="exact-lines-sink",
    killed_by="CON-DLV-12",
    failure="duplicated",
)
class TrustsItsAssignmentTask(ExactSinkTask):
    """Appends every line of a batch."""

    def write(self, database: sqlite3.Connection, rows: Sequence[_Row]) -> None:
        """Append all lines, whatever another task has written."""
        lines = [(line,) for _, _, line in rows if line is not None]
        database.executemany("INSERT INTO lines VALUES (?)", lines)
        self._move(database, {home: offset + 1 for home, offset, _ in rows})


@mutant(
    "M157",
    "each attempt compares records with the offsets that it has written itself",
    base="exact-lines-sink",
    killed_by="CON-SPK-04",
    failure="duplicated",
)
class KnowsItsOwnOffsetsTask(ExactSinkTask):
    """Reads the offsets of others only when partitions are assigned."""

    def start(self, props: Mapping[str, str]) -> None:
        """Start without offsets."""
        super().start(props)
        self._ends: dict[tuple[str, int], int] = {}

    def write(self, database: sqlite3.Connection, rows: Sequence[_Row]) -> None:
        """Append the lines that this attempt has not written yet."""
        fresh = [row for row in rows if row[1] >= self._ends.get(row[0], 0)]
        lines = [(line,) for _, _, line in fresh if line is not None]
        database.executemany("INSERT INTO lines VALUES (?)", lines)
        self._ends.update({home: offset + 1 for home, offset, _ in fresh})
        self._move(database, self._ends)
