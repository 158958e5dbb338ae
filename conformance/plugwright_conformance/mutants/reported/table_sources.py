"""Good sources over SQLite: by timestamp and id, page by page, and from a queue."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from typing import TYPE_CHECKING, Any

from plugwright import STRING_SCHEMA, ConnectError, RetriableError, SourceRecord
from plugwright_conformance.mutants.reported.plain import PlainSource, PlainSourceTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import RecordMetadata

__all__ = [
    "EventsSource",
    "EventsSourceTask",
    "PagesSource",
    "PagesSourceTask",
    "QueueSource",
    "QueueSourceTask",
    "TableSourceTask",
]

_IDLE_S = 0.05
_RETRY_S = 0.2


class TableSourceTask(PlainSourceTask):
    """Queries a database, with a connection for every query."""

    def __init__(self) -> None:
        self._stopping = threading.Event()

    def start(self, props: Mapping[str, str]) -> None:
        """Keep the settings."""
        found = EventsSource().config().parse(props)
        self._place: str = found["place"]
        self._batch: int = found["batch.size"]
        self._topic: str = found["topic"]
        self._stopping.clear()

    def ask(self, statement: str, *values: object) -> list[Any]:
        """The rows that a statement gives.

        Raises:
            RetriableError: if the database does not answer now.
        """
        try:
            with closing(sqlite3.connect(self._place, timeout=5)) as database, database:
                return database.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            self._stopping.wait(_RETRY_S)
            raise RetriableError(f"cannot ask {self._place}: {error}") from error

    def idle(self) -> None:
        """Wait a little; ends with the task."""
        self._stopping.wait(_IDLE_S)

    def stop(self) -> None:
        """End a waiting poll."""
        self._stopping.set()


class EventsSourceTask(TableSourceTask):
    """Reads by time of change and, for those of one time, by id."""

    def start(self, props: Mapping[str, str]) -> None:
        """Look up the last row that was stored."""
        super().start(props)
        stored = self.context.offset_storage_reader.offset({"table": "events"})
        self._last = ("", 0) if stored is None else self.checked(stored)

    @staticmethod
    def checked(offset: Mapping[str, Any]) -> tuple[str, int]:
        """Time and id of an offset.

        Raises:
            ConnectError: if it is of another form.
        """
        match dict(offset):
            case {"at": str(at), "id": int(number), **rest} if not rest:
                return at, number
        raise ConnectError(f"an offset must be {{'at': text, 'id': n}}, found {dict(offset)!r}")

    def poll(self) -> Sequence[SourceRecord] | None:
        """The next rows, or nothing after a short wait."""
        records = [self.record(*row) for row in self.rows()]
        if not records:
            self.idle()
        return records or None

    def rows(self) -> list[Any]:
        """The next rows behind the last one."""
        return self.ask(
            "SELECT id, at, value FROM events WHERE at > ? OR (at = ? AND id > ?) "
            "ORDER BY at, id LIMIT ?",
            self._last[0],
            *self._last,
            self._batch,
        )

    def record(self, number: int, at: str, value: str) -> SourceRecord:
        """The record of a row, which is the last one from now on."""
        self._last = (at, number)
        return self.made({"at": at, "id": number}, value)

    def made(self, offset: Mapping[str, Any], value: str) -> SourceRecord:
        """A record with an offset."""
        return SourceRecord({"table": "events"}, offset, self._topic, value, STRING_SCHEMA)


class EventsSource(PlainSource):
    """Reads a table of events."""

    TASK = EventsSourceTask


class PagesSourceTask(TableSourceTask):
    """Reads page by page, each from the cursor that came with the last one."""

    def start(self, props: Mapping[str, str]) -> None:
        """Look up the last item that was stored."""
        super().start(props)
        stored = self.context.offset_storage_reader.offset({"stream": "items"})
        self._cursor = 0 if stored is None else self.checked(stored)

    @staticmethod
    def checked(offset: Mapping[str, Any]) -> int:
        """The cursor of an offset.

        Raises:
            ConnectError: if it is of another form.
        """
        cursor = offset.get("cursor")
        if set(offset) != {"cursor"} or type(cursor) is not int or cursor < 0:
            raise ConnectError(f"an offset must be {{'cursor': n}}, found {dict(offset)!r}")
        return cursor

    def page(self, cursor: int, size: int = 20) -> list[Any]:
        """Ids and values of the items behind a cursor, twenty at most, whatever is asked for."""
        query = "SELECT id, value FROM items WHERE id > ? ORDER BY id LIMIT ?"
        return self.ask(query, cursor, min(size, 20))

    def poll(self) -> Sequence[SourceRecord] | None:
        """The items of the next page that has some, or nothing after a short wait."""
        while page := self.page(self._cursor):
            self._cursor = page[-1][0]
            if records := [self.record(*item) for item in page if item[1] is not None]:
                return records
        self.idle()
        return None

    def record(self, number: int, value: str) -> SourceRecord:
        """The record of an item."""
        partition, offset = {"stream": "items"}, {"cursor": number}
        return SourceRecord(partition, offset, self._topic, value, STRING_SCHEMA)


class PagesSource(PlainSource):
    """Reads an interface with pages."""

    TASK = PagesSourceTask


class QueueSourceTask(TableSourceTask):
    """Reads a queue and acknowledges what Kafka has; the queue remembers, not Kafka."""

    def start(self, props: Mapping[str, str]) -> None:
        """Begin with whatever is not acknowledged."""
        super().start(props)
        self._given = 0

    def poll(self) -> Sequence[SourceRecord] | None:
        """The next messages, or nothing after a short wait."""
        query = "SELECT id, value FROM messages WHERE done = 0 AND id > ? ORDER BY id LIMIT ?"
        rows = self.ask(query, self._given, self._batch)
        if not rows:
            self.idle()
            return None
        self._given = rows[-1][0]
        return [self.record(*row) for row in rows]

    def record(self, number: int, value: str) -> SourceRecord:
        """The record of a message."""
        partition, offset = {"queue": "messages"}, {"id": number}
        return SourceRecord(partition, offset, self._topic, value, STRING_SCHEMA)

    def commit_record(self, record: SourceRecord, metadata: RecordMetadata | None) -> None:  # noqa: ARG002
        """Acknowledge the message that Kafka has."""
        offset = record.source_offset
        assert offset is not None  # noqa: S101  # every record of ours has one
        self.acknowledge(offset["id"])

    def acknowledge(self, number: int) -> None:
        """Have the queue forget a message."""
        self.ask("UPDATE messages SET done = 1 WHERE id = ?", number)


class QueueSource(PlainSource):
    """Reads a queue."""

    TASK = QueueSourceTask
