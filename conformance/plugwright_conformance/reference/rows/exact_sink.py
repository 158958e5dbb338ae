"""A sink of lines that keeps Kafka's offsets in the transaction that writes the lines."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright import (
    ConfigDef,
    ConnectError,
    DataError,
    RetriableError,
    SinkConnector,
    SinkTask,
    TopicPartition,
)
from plugwright_conformance.reference.rows.codec import (
    VERSION,
    directory_of,
    encode,
    settings,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from plugwright import SinkRecord, Task

    _Row = tuple[tuple[str, int], int, str | None]  # topic and partition, offset, line

__all__ = ["DATABASE", "LINES", "ExactSinkConnector", "ExactSinkTask"]

DATABASE = "lines.sqlite"
LINES = "CREATE TABLE IF NOT EXISTS lines (line TEXT NOT NULL)"
_BUSY_S = 5
_ENDS = (
    "CREATE TABLE IF NOT EXISTS ends"
    " (topic TEXT, part INTEGER, next INTEGER NOT NULL, PRIMARY KEY (topic, part))"
)


class ExactSinkConnector(SinkConnector):
    """Writes each line once, whatever crashes."""

    def version(self) -> str:
        """The version of this distribution."""
        return VERSION

    def config(self) -> ConfigDef:
        """``rows.url`` and ``rows.password``."""
        found, shared = ConfigDef(), settings().keys
        for name in ("rows.url", "rows.password"):
            found.add(shared[name])
        return found

    def start(self, props: Mapping[str, str]) -> None:
        """Keep the settings."""
        self._props = dict(props)

    def task_class(self) -> type[Task]:
        """The class that writes."""
        return ExactSinkTask

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        """Every task does the same for other partitions."""
        return [self._props for _ in range(max_tasks)]

    def stop(self) -> None:
        """Nothing is open."""


class ExactSinkTask(SinkTask):
    """Resumes at the offsets that stand beside the lines."""

    def version(self) -> str:
        """The version of this distribution."""
        return VERSION

    def start(self, props: Mapping[str, str]) -> None:
        """Create the tables where they are missing.

        Raises:
            ConnectError: if the database cannot be opened.
        """
        self._place = Path(directory_of(props["rows.url"])) / DATABASE
        try:
            with closing(self._connect()) as database:
                database.execute(LINES)
                database.execute(_ENDS)
        except sqlite3.Error as error:
            raise ConnectError(f"cannot open the database: {error}", code="rows.gone") from error

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self._place, timeout=_BUSY_S, isolation_level=None)

    def open(self, partitions: Collection[TopicPartition]) -> None:
        """Seek to the offsets of the database, whatever Kafka has.

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

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write lines and offsets in one transaction.

        Raises:
            DataError: if a value is no line.
            RetriableError: if the transaction was rolled back.
        """
        rows = [
            (
                (r.original_topic, r.original_kafka_partition),
                r.original_kafka_offset,
                None if r.value is None else self.line(r),
            )
            for r in records
        ]
        if not rows:
            return
        try:
            with closing(self._connect()) as database:
                database.execute("BEGIN IMMEDIATE")
                self._append(database, rows)
                database.execute("COMMIT")
        except sqlite3.Error as error:
            raise RetriableError(f"cannot write: {error}", code="rows.write") from error

    @staticmethod
    def line(record: SinkRecord) -> str:
        """The line of one record.

        Raises:
            DataError: if the value is no text.
        """
        if isinstance(record.value, str):
            return encode(record.value)
        found = type(record.value).__name__
        place = f"{record.topic}-{record.kafka_partition}@{record.kafka_offset}"
        raise DataError(f"a line is text, found {found} at {place}", code="rows.type")

    def _append(self, database: sqlite3.Connection, rows: Sequence[_Row]) -> None:
        """Add what is not there yet: another task may have had the same partition meanwhile."""
        known = database.execute("SELECT topic, part, next FROM ends").fetchall()
        ends = {(topic, part): end for topic, part, end in known}
        fresh = [row for row in rows if row[1] >= ends.get(row[0], 0)]
        lines = [(line,) for _, _, line in fresh if line is not None]
        database.executemany("INSERT INTO lines VALUES (?)", lines)
        self._move(database, {home: offset + 1 for home, offset, _ in fresh})

    def _move(self, database: sqlite3.Connection, ends: Mapping[tuple[str, int], int]) -> None:
        rows = [(*home, end) for home, end in ends.items()]
        database.executemany("INSERT OR REPLACE INTO ends VALUES (?, ?, ?)", rows)

    def stop(self) -> None:
        """Every call closes what it opens."""
