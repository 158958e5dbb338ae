"""The system on the other side, and the first part to replace: here it is a ledger.

A ledger is an SQLite database with a table of entries and a table of positions: for each Kafka
partition, the offset after its last entry. Both change in the same transaction, so each record has
one entry whatever crashes. The rest of the package knows the ledger through the methods of `Ledger`
only.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from plugwright import ConnectError, RetriableError, TopicPartition

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = ["Entry", "Ledger"]

_BUSY_S = 5.0
_TABLES = (
    "CREATE TABLE IF NOT EXISTS entries (number INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT)",
    "CREATE TABLE IF NOT EXISTS positions"
    " (topic TEXT, part INTEGER, next INTEGER NOT NULL, PRIMARY KEY (topic, part))",
)


class Entry(NamedTuple):
    """One entry of a ledger, and the record that it comes from."""

    partition: TopicPartition
    offset: int
    text: str | None


class Ledger:
    """One ledger. Every call uses a connection of its own."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def create(self) -> None:
        """Create the tables that do not exist yet.

        Raises:
            ConnectError: if the ledger cannot be opened.
        """
        try:
            with closing(self._connect()) as database:
                for statement in _TABLES:
                    database.execute(statement)
        except sqlite3.Error as error:
            raise ConnectError(
                f"the ledger {self._path} cannot be opened: {error}",
                code="{{ cookiecutter.__distribution }}.ledger",
                facts={"file": str(self._path)},
            ) from error

    def positions(self) -> Mapping[TopicPartition, int]:
        """The offset after the last entry, for each partition that has one.

        Raises:
            RetriableError: if the ledger cannot be read now.
        """
        try:
            with closing(self._connect()) as database:
                return _positions(database)
        except sqlite3.Error as error:
            raise self._retriable("read", error) from error

    def append(self, entries: Sequence[Entry]) -> None:
        """Add the entries that are not there yet, and move the positions, all or nothing.

        A task that has lost a partition, and does not know it yet, may still write: what the
        partition's new task has written is not added again.

        Raises:
            RetriableError: if the ledger cannot be written now; nothing has changed.
        """
        try:
            with closing(self._connect()) as database:
                database.execute("BEGIN IMMEDIATE")
                known = _positions(database)
                fresh = [each for each in entries if each.offset >= known.get(each.partition, 0)]
                texts = [(each.text,) for each in fresh]
                database.executemany("INSERT INTO entries (text) VALUES (?)", texts)
                _move(database, {each.partition: each.offset + 1 for each in fresh})
                database.execute("COMMIT")
        except sqlite3.Error as error:
            raise self._retriable("written", error) from error

    def move(self, positions: Mapping[TopicPartition, int | None]) -> None:
        """Set positions, as an operator wants them; without one, everything is taken again.

        Raises:
            RetriableError: if the ledger cannot be written now; nothing has changed.
        """
        try:
            with closing(self._connect()) as database:
                database.execute("BEGIN IMMEDIATE")
                _move(database, {each: at for each, at in positions.items() if at is not None})
                _forget(database, [each for each, at in positions.items() if at is None])
                database.execute("COMMIT")
        except sqlite3.Error as error:
            raise self._retriable("written", error) from error

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=_BUSY_S, isolation_level=None)

    def _retriable(self, what: str, error: sqlite3.Error) -> RetriableError:
        return RetriableError(
            f"the ledger {self._path} cannot be {what} now: {error}",
            code="{{ cookiecutter.__distribution }}.ledger",
            facts={"file": str(self._path)},
        )


def _positions(database: sqlite3.Connection) -> dict[TopicPartition, int]:
    rows = database.execute("SELECT topic, part, next FROM positions")
    return {TopicPartition(topic, part): following for topic, part, following in rows}


def _move(database: sqlite3.Connection, positions: Mapping[TopicPartition, int]) -> None:
    rows = [(each.topic, each.partition, following) for each, following in positions.items()]
    database.executemany("INSERT OR REPLACE INTO positions VALUES (?, ?, ?)", rows)


def _forget(database: sqlite3.Connection, partitions: Sequence[TopicPartition]) -> None:
    rows = [(each.topic, each.partition) for each in partitions]
    database.executemany("DELETE FROM positions WHERE topic = ? AND part = ?", rows)
