"""Reads one table, or the query, on from its position."""

from __future__ import annotations

import datetime as dt
import decimal
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plugwright import ConnectError, SourceRecord, Struct
from plugwright_sql.description import described
from plugwright_sql.position import Position
from plugwright_sql.source_settings import Mode
from plugwright_sql.statement import moment_from

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from zoneinfo import ZoneInfo

    from sqlalchemy import Connection

    from plugwright_sql.database import Database
    from plugwright_sql.description import Description
    from plugwright_sql.names import Identifiers, TableName

__all__ = ["Reading", "TableReader"]


@dataclass(frozen=True, slots=True)
class Reading:
    """The settings for reading the tables of a task.

    Attributes:
        settings: of the task, parsed.
        zone: of timestamps that bear none.
    """

    database: Database
    identifiers: Identifiers
    settings: Mapping[str, Any]
    mode: Mode
    zone: ZoneInfo

    def topic(self, table: TableName | None) -> str:
        """The topic of a table, or of the query."""
        if self.settings["topic"]:
            return str(self.settings["topic"])
        return f"{self.settings['topic.prefix']}{table.name if table else ''}"

    def now(self, connection: Connection) -> dt.datetime:
        """The present moment of the database."""
        dialect = self.database.dialect
        found = connection.exec_driver_sql(f"SELECT {dialect.now}").scalar_one()
        return moment_from(found, dt.UTC)


class TableReader:
    """One table, or the query, and how far it has been read.

    Args:
        reading: what all readers of the task share.
        table: the table, or ``None`` for the query.
        position: the stored one, or one without parts.
    """

    def __init__(self, reading: Reading, table: TableName | None, position: Position) -> None:
        self._reading = reading
        self._table = table
        self._position = position
        self._label = f"table {table}" if table else "the query"
        self.partition: dict[str, Any] = (
            {"query": "query"} if table is None else {"table": str(table)}
        )
        self._topic = reading.topic(table)
        self._limit: int = reading.settings["batch.max.rows"]
        self._description: Description | None = None
        self._fresh = not position.offset()
        self._waiting: list[Sequence[Any]] = []  # rows of a table that is read as a whole
        self._due = 0.0

    def wait_s(self) -> float:
        """Seconds until the table is to be read again; none if it is due."""
        return max(self._due - time.monotonic(), 0.0)

    def read(self) -> list[SourceRecord]:
        """The next rows as records; empty if there are no new ones.

        Raises:
            ConnectError: if they cannot be read; the position stays where it is.
        """
        self._due = time.monotonic() + self._reading.settings["poll.interval.ms"] / 1000
        if self._reading.mode is Mode.BULK:
            return self._read_whole()
        facts = self.partition
        with self._reading.database.connection(f"read {self._label}", **facts) as connection:
            described_now = self._describe(connection)
            rows = self._next_rows(connection, described_now)
        return self._records(described_now, rows)

    def _describe(self, connection: Connection) -> Description:
        """The present columns; refreshed after a change."""
        self._description = described(connection, self._reading, self._table, self._description)
        return self._description

    def _read_whole(self) -> list[SourceRecord]:
        if not self._waiting:
            facts = self.partition
            with self._reading.database.connection(f"read {self._label}", **facts) as connection:
                found = self._describe(connection)
                rows = connection.exec_driver_sql(found.selection.whole(), ()).all()
            self._waiting = [*rows]
        assert self._description is not None  # noqa: S101  # made with the rows that wait
        batch, self._waiting = self._waiting[: self._limit], self._waiting[self._limit :]
        if self._waiting:
            self._due = 0.0
        return [self._record(self._description, row, None) for row in batch]

    def _next_rows(self, connection: Connection, found: Description) -> list[Sequence[Any]]:
        selection, before = found.selection, None
        if self._reading.mode.dates:
            before = self._before(connection)
        rows = _rows(connection, selection.after(self._position, before, self._limit))
        if len(rows) < self._limit:
            return rows
        self._due = 0.0
        if self._reading.mode is not Mode.TIMESTAMP:
            return rows
        return self._undivided(connection, found, rows)

    def _before(self, connection: Connection) -> dt.datetime:
        """Rows are to be older than this."""
        now = self._reading.now(connection)
        initial = self._reading.settings["timestamp.initial"]
        if self._fresh and initial is not None:
            start = (
                now
                if initial < 0
                else moment_from("1970-01-01", dt.UTC) + dt.timedelta(milliseconds=initial)
            )
            self._position = Position(start, None)
        self._fresh = False
        delay = self._reading.settings["timestamp.delay.interval.ms"]
        return now - dt.timedelta(milliseconds=delay)

    def _undivided(
        self, connection: Connection, found: Description, rows: list[Sequence[Any]]
    ) -> list[Sequence[Any]]:
        """Rows up to the end of a moment: an offset cannot point between rows of one."""
        last = rows[-1][-1]
        whole = [row for row in rows if row[-1] != last]
        if whole:
            return whole
        return _rows(connection, found.selection.at(moment_from(last, self._reading.zone)))

    def _records(self, found: Description, rows: Sequence[Sequence[Any]]) -> list[SourceRecord]:
        """Records up to a row that is invalid, which fails the next call.

        In mode timestamp they end before its moment, or the others of that moment would come again.
        """
        records: list[SourceRecord] = []
        whole = 0  # so many of them have an offset after themselves
        for number, row in enumerate(rows):
            try:
                reached = self._reached(found, row)
                stored = self._storable(reached, rows[number + 1 :])
                records.append(self._record(found, row, stored.offset() or None))
            except ConnectError:
                if not whole:
                    raise
                self._due = 0.0
                return records[:whole]
            self._position = stored
            whole = len(records) if stored == reached else whole
        return records

    def _storable(self, reached: Position, rest: Sequence[Sequence[Any]]) -> Position:
        """The offset of a record: in mode timestamp, not before all rows of that time were read."""
        if self._reading.mode is not Mode.TIMESTAMP or not rest:
            return reached
        return self._position if self._moment(rest[0]) == reached.moment else reached

    def _reached(self, found: Description, row: Sequence[Any]) -> Position:
        moment = self._moment(row) if self._reading.mode.dates else None
        if not self._reading.mode.counts:
            return Position(moment)
        count = row[found.count]
        whole = isinstance(count, int | float | decimal.Decimal) and not isinstance(count, bool)
        if not whole or count % 1 != 0:
            raise ConnectError(
                f"{self._label}, column {found.selection.count}: an incrementing column holds "
                f"whole numbers, found {type(count).__name__}",
                code="sql.bad-incrementing-column",
                facts={**self.partition, "column": found.selection.count},
            )
        return Position(moment, int(count))

    def _moment(self, row: Sequence[Any]) -> dt.datetime:
        return moment_from(row[-1], self._reading.zone)

    def _record(
        self, found: Description, row: Sequence[Any], offset: dict[str, Any] | None
    ) -> SourceRecord:
        values = [read(value) for read, value in zip(found.readers, row, strict=False)]
        value = Struct.from_trusted(found.schema, values)
        return SourceRecord(dict(self.partition), offset, self._topic, value, found.schema)


def _rows(connection: Connection, statement: tuple[str, tuple[Any, ...]]) -> list[Sequence[Any]]:
    return [*connection.exec_driver_sql(*statement).all()]
