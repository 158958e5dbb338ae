"""The task of the source: reads its tables in turn."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from plugwright import RetriableError, SourceTask
from plugwright_sql.names import Identifiers, tables_from_json
from plugwright_sql.position import Position
from plugwright_sql.shared_settings import VERSION, checked, reached, zone_of
from plugwright_sql.source_settings import TABLES, TASK_CONFIG, Mode, source_problems
from plugwright_sql.table_reader import Reading, TableReader

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SourceRecord
    from plugwright_sql.database import Database
    from plugwright_sql.names import TableName

__all__ = ["SqlSourceTask"]

_LONGEST_WAIT_S = 1.0


class SqlSourceTask(SourceTask):
    """Reads tables, or a query, each on from its stored offset."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._database: Database | None = None
        self._readers: list[TableReader] = []

    def version(self) -> str:
        """The version of this distribution."""
        return VERSION

    def start(self, props: Mapping[str, str]) -> None:
        """Look up how far each table was read.

        Raises:
            ConfigError: if a setting is missing or wrong.
            ConnectError: if the database cannot be reached, or a stored offset is invalid.
        """
        self._stopping.clear()
        settings = checked(TASK_CONFIG, props, source_problems)
        self._database = reached(settings, self._stopping.wait)
        dialect = self._database.dialect
        reading = Reading(
            self._database,
            Identifiers(dialect, always=settings["quote.sql.identifiers"] == "always"),
            settings,
            Mode(settings["mode"]),
            zone_of(str(settings["db.timezone"])),
        )
        tables: list[TableName | None] = [*tables_from_json(str(settings[TABLES]))]
        places = [None] if settings["query"] else tables
        self._readers = [self._reader(reading, place) for place in places]

    def poll(self) -> Sequence[SourceRecord] | None:
        """The next rows of the table whose turn it is, or nothing after a wait.

        Raises:
            RetriableError: if the database cannot be reached now.
            ConnectError: if a table cannot be read.
        """
        with self._lock:
            if self._stopping.is_set():
                return None
            try:
                if records := self._next_records():
                    return records
            except RetriableError:
                self._stopping.wait(_LONGEST_WAIT_S)
                raise
            waits = [reader.wait_s() for reader in self._readers]
            self._stopping.wait(min([*waits, _LONGEST_WAIT_S]))
            return None

    def stop(self) -> None:
        """Close the connection; ends a waiting poll."""
        self._stopping.set()
        with self._lock:
            self._readers = []
            if self._database is not None:
                self._database.close()
                self._database = None

    def _next_records(self) -> Sequence[SourceRecord]:
        for _ in range(len(self._readers)):
            reader = self._readers.pop(0)
            self._readers.append(reader)  # it is the others' turn first
            if not reader.wait_s() and (records := reader.read()):
                return records
        return ()

    def _reader(self, reading: Reading, table: TableName | None) -> TableReader:
        partition = {"query": "query"} if table is None else {"table": str(table)}
        stored = self.context.offset_storage_reader.offset(partition)
        position = Position() if stored is None else Position.from_offset(stored, reading.mode)
        return TableReader(reading, table, position)
