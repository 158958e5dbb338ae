"""A sink that keeps the last line of each key of a topic; a tombstone removes it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from plugwright import DataError
from plugwright_conformance.reference.rows.database_sink import (
    DatabaseSinkConnector,
    DatabaseSinkTask,
)

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from plugwright import SinkRecord, Task

    _Row = tuple[str, str, str | None]  # topic, key, line

__all__ = ["KeyedSinkConnector", "KeyedSinkTask"]

_PUT = (
    "INSERT INTO keyed VALUES (?, ?, ?) ON CONFLICT (topic, key) DO UPDATE SET line = excluded.line"
)
_REMOVE = "DELETE FROM keyed WHERE topic = ? AND key = ?"


class KeyedSinkConnector(DatabaseSinkConnector):
    """Keeps one line for each key."""

    def task_class(self) -> type[Task]:
        """The class that writes."""
        return KeyedSinkTask


class KeyedSinkTask(DatabaseSinkTask):
    """Writes a batch record by record."""

    DATABASE = "keyed.sqlite"
    TABLES = (
        (
            "CREATE TABLE IF NOT EXISTS keyed"
            " (topic TEXT, key TEXT, line TEXT NOT NULL, PRIMARY KEY (topic, key))"
        ),
    )

    def row(self, record: SinkRecord) -> _Row:
        """Topic, key and line of one record; a tombstone has no line.

        Raises:
            DataError: if the key or the value is not text.
        """
        if not isinstance(record.key, str):
            place = f"{record.topic}-{record.kafka_partition}@{record.kafka_offset}"
            raise DataError(
                f"a row needs a key of text, found {type(record.key).__name__} at {place}",
                code="rows.key",
            )
        return record.topic, json.dumps(record.key), self.line(record)

    def write(self, database: sqlite3.Connection, rows: Sequence[_Row]) -> None:
        """Write rows in their order, within the open transaction."""
        for topic, key, line in rows:
            if line is None:
                database.execute(_REMOVE, (topic, key))
            else:
                database.execute(_PUT, (topic, key, line))
