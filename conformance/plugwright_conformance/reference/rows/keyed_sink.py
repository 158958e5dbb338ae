"""A sink that keeps the last line of each key of a topic; a tombstone removes it."""

from __future__ import annotations

import json
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
)
from plugwright_conformance.reference.rows.codec import VERSION, directory_of, encode, settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SinkRecord, Task

    _Row = tuple[str, str, str | None]  # topic, key, line

__all__ = ["DATABASE", "KEYED_LINES", "KeyedSinkConnector", "KeyedSinkTask"]

DATABASE = "keyed.sqlite"
_BUSY_S = 5
KEYED_LINES = (
    "CREATE TABLE IF NOT EXISTS keyed"
    " (topic TEXT, key TEXT, line TEXT NOT NULL, PRIMARY KEY (topic, key))"
)
_PUT = (
    "INSERT INTO keyed VALUES (?, ?, ?) ON CONFLICT (topic, key) DO UPDATE SET line = excluded.line"
)
_REMOVE = "DELETE FROM keyed WHERE topic = ? AND key = ?"


class KeyedSinkConnector(SinkConnector):
    """Keeps one line for each key."""

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
        return KeyedSinkTask

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        """The same configuration for every task."""
        return [self._props for _ in range(max_tasks)]

    def stop(self) -> None:
        """Nothing is open."""


class KeyedSinkTask(SinkTask):
    """Writes a batch in one transaction, record by record."""

    def version(self) -> str:
        """The version of this distribution."""
        return VERSION

    def start(self, props: Mapping[str, str]) -> None:
        """Create the table where it is missing.

        Raises:
            ConnectError: if the database cannot be opened.
        """
        self._place = Path(directory_of(props["rows.url"])) / DATABASE
        try:
            with closing(self._connect()) as database:
                database.execute(KEYED_LINES)
        except sqlite3.Error as error:
            raise ConnectError(f"cannot open the database: {error}", code="rows.gone") from error

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self._place, timeout=_BUSY_S, isolation_level=None)

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write a batch, all of it or nothing.

        Raises:
            DataError: if a record has no key of text, or a value is no line.
            RetriableError: if the transaction was rolled back.
        """
        rows = [self.row(record) for record in records]
        if not rows:
            return
        try:
            with closing(self._connect()) as database:
                database.execute("BEGIN IMMEDIATE")
                self.write(database, rows)
                database.execute("COMMIT")
        except sqlite3.Error as error:
            raise RetriableError(f"cannot write: {error}", code="rows.write") from error

    def row(self, record: SinkRecord) -> _Row:
        """Topic, key and line of one record; a tombstone has no line."""
        if not isinstance(record.key, str):
            place = f"{record.topic}-{record.kafka_partition}@{record.kafka_offset}"
            raise DataError(
                f"a row needs a key of text, found {type(record.key).__name__} at {place}",
                code="rows.key",
            )
        line = None if record.value is None else self.line(record)
        return record.topic, json.dumps(record.key), line

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

    def write(self, database: sqlite3.Connection, rows: Sequence[_Row]) -> None:
        """Write rows in their order, inside the transaction that is open."""
        for topic, key, line in rows:
            if line is None:
                database.execute(_REMOVE, (topic, key))
            else:
                database.execute(_PUT, (topic, key, line))

    def stop(self) -> None:
        """Every call closes what it opens."""
