"""Sinks whose transactions do not hold what belongs together."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from plugwright import ConnectError, RetriableError
from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.exact_sink import ExactSinkTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SinkRecord, TopicPartition

__all__ = [
    "CommitsPartTask",
    "GivesUpWhenLockedTask",
    "StoresOffsetsFirstTask",
    "StoresOffsetsLaterTask",
    "StoresOffsetsSecondTask",
]


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


@mutant(
    "M118",
    "rows written before the failed one are taken for the whole batch",
    base="exact-lines-sink",
    killed_by="SNK-ERR-08",
    failure="executemany() number 0 failed after",
)
class CommitsPartTask(ExactSinkTask):
    """Takes a bulk write that has changed something for a success."""

    def write(
        self, database: sqlite3.Connection, rows: Sequence[tuple[tuple[str, int], int, str | None]]
    ) -> None:
        """Append new lines, as far as the database takes them."""
        before = database.total_changes
        try:
            super().write(database, rows)
        except sqlite3.OperationalError:
            if database.total_changes == before:
                raise
            self._move(database, {home: offset + 1 for home, offset, _ in rows})


@mutant(
    "M097b",
    "offsets are stored in a transaction of their own, before the data",
    base="exact-lines-sink",
    killed_by="CON-DLV-08",
    failure="records below them missing",
)
class StoresOffsetsFirstTask(ExactSinkTask):
    """Commits the offsets of a batch before its lines."""

    def write(
        self, database: sqlite3.Connection, rows: Sequence[tuple[tuple[str, int], int, str | None]]
    ) -> None:
        """Store the offsets, then the lines."""
        self._move(database, {home: offset + 1 for home, offset, _ in rows})
        database.execute("COMMIT")
        database.execute("BEGIN IMMEDIATE")
        lines = [(line,) for _, _, line in rows if line is not None]
        database.executemany("INSERT INTO lines VALUES (?)", lines)


@mutant(
    "M097c",
    "offsets are stored when Kafka's are committed",
    base="exact-lines-sink",
    killed_by="CON-DLV-08",
    failure="0 records below them missing",
)
class StoresOffsetsLaterTask(ExactSinkTask):
    """Stores offsets in flush().

    Reported at https://github.com/scylladb/kafka-connect-scylladb/pull/46.
    """

    def _move(self, database: sqlite3.Connection, ends: Mapping[tuple[str, int], int]) -> None:
        """Leave it to flush()."""

    def flush(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Store the offsets."""
        with closing(self._connect()) as database:
            super()._move(database, {(h.topic, h.partition): end for h, end in offsets.items()})


@mutant(
    "M331",
    "a lock of the database fails the task",
    base="exact-lines-sink",
    killed_by="SNK-ERR-12",
    failure="database is locked",
)
class GivesUpWhenLockedTask(ExactSinkTask):
    """Takes every error of the database for one that does not pass.

    Reported at https://github.com/confluentinc/kafka-connect-jdbc/issues/515.
    """

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write a batch, or fail."""
        try:
            super().put(records)
        except RetriableError as error:
            raise ConnectError(str(error), code="rows.write") from error
