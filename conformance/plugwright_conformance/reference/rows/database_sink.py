"""The common part of the sinks that write lines to an SQLite database in transactions."""

from __future__ import annotations

import sqlite3
from abc import abstractmethod
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

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

    from plugwright import SinkRecord

__all__ = ["DatabaseSinkConnector", "DatabaseSinkTask"]

_BUSY_S = 5


class DatabaseSinkConnector(SinkConnector):
    """Gives every task the same configuration; subclasses name the task class."""

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

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        """The same configuration for every task."""
        return [self._props for _ in range(max_tasks)]

    def stop(self) -> None:
        """Nothing is open."""


class DatabaseSinkTask(SinkTask):
    """Writes each batch in one transaction.

    Attributes:
        DATABASE: the name of the database file.
        TABLES: the statements that create missing tables.
    """

    DATABASE: ClassVar[str]
    TABLES: ClassVar[tuple[str, ...]]

    def version(self) -> str:
        """The version of this distribution."""
        return VERSION

    def start(self, props: Mapping[str, str]) -> None:
        """Create missing tables.

        Raises:
            ConnectError: if the database cannot be opened.
        """
        self._file = Path(directory_of(props["rows.url"])) / self.DATABASE
        try:
            with closing(self._connect()) as database:
                for statement in self.TABLES:
                    database.execute(statement)
        except sqlite3.Error as error:
            raise ConnectError(f"cannot open the database: {error}", code="rows.gone") from error

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self._file, timeout=_BUSY_S, isolation_level=None)

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write a batch, all of it or nothing.

        Raises:
            DataError: if a record cannot be written.
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

    @abstractmethod
    def row(self, record: SinkRecord) -> tuple[Any, ...]:
        """The values of one record.

        Raises:
            DataError: if the record cannot be written.
        """

    @abstractmethod
    def write(self, database: sqlite3.Connection, rows: Sequence[Any]) -> None:
        """Write rows within the open transaction."""

    @staticmethod
    def line(record: SinkRecord) -> str | None:
        """The line of one record, ``None`` for a tombstone.

        Raises:
            DataError: if the value is not text.
        """
        if record.value is None:
            return None
        if isinstance(record.value, str):
            return encode(record.value)
        found = type(record.value).__name__
        place = f"{record.topic}-{record.kafka_partition}@{record.kafka_offset}"
        raise DataError(f"a line is text, found {found} at {place}", code="rows.type")

    def stop(self) -> None:
        """Every call closes what it opens."""
