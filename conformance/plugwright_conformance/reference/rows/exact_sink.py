"""A sink of lines that stores Kafka's offsets in the transaction that writes the lines."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from plugwright import RetriableError, TopicPartition
from plugwright_conformance.reference.rows.database_sink import (
    DatabaseSinkConnector,
    DatabaseSinkTask,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from plugwright import SinkRecord, Task

    _Row = tuple[tuple[str, int], int, str | None]  # topic and partition, offset, line

__all__ = ["ExactSinkConnector", "ExactSinkTask"]


class ExactSinkConnector(DatabaseSinkConnector):
    """Writes each line exactly once."""

    def task_class(self) -> type[Task]:
        """The class that writes."""
        return ExactSinkTask


class ExactSinkTask(DatabaseSinkTask):
    """Resumes at the offsets in the database."""

    DATABASE = "lines.sqlite"
    TABLES = (
        "CREATE TABLE IF NOT EXISTS lines (line TEXT NOT NULL)",
        (
            "CREATE TABLE IF NOT EXISTS ends"
            " (topic TEXT, part INTEGER, next INTEGER NOT NULL, PRIMARY KEY (topic, part))"
        ),
    )

    def open(self, partitions: Collection[TopicPartition]) -> None:
        """Seek to the offsets of the database, instead of Kafka's.

        Raises:
            RetriableError: if the database cannot be read.
        """
        try:
            with closing(self._connect()) as database:
                rows = database.execute("SELECT topic, part, next FROM ends").fetchall()
        except sqlite3.Error as error:
            raise RetriableError(f"cannot read offsets: {error}", code="rows.read") from error
        ends = {TopicPartition(topic, part): end for topic, part, end in rows}
        self.context.offset({home: ends[home] for home in partitions if home in ends})

    def row(self, record: SinkRecord) -> _Row:
        """Partition, offset and line of one record; a tombstone has no line.

        Raises:
            DataError: if the value is not text.
        """
        home = record.original_topic, record.original_kafka_partition
        return home, record.original_kafka_offset, self.line(record)

    def write(self, database: sqlite3.Connection, rows: Sequence[_Row]) -> None:
        """Append new lines; another task may have written some since this one was assigned."""
        known = database.execute("SELECT topic, part, next FROM ends").fetchall()
        ends = {(topic, part): end for topic, part, end in known}
        fresh = [row for row in rows if row[1] >= ends.get(row[0], 0)]
        lines = [(line,) for _, _, line in fresh if line is not None]
        database.executemany("INSERT INTO lines VALUES (?)", lines)
        self._move(database, {home: offset + 1 for home, offset, _ in fresh})

    def _move(self, database: sqlite3.Connection, ends: Mapping[tuple[str, int], int]) -> None:
        rows = [(*home, end) for home, end in ends.items()]
        database.executemany("INSERT OR REPLACE INTO ends VALUES (?, ?, ?)", rows)
