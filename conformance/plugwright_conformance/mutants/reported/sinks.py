"""Good sinks: lines of a file, at once or from a buffer, objects of a directory, table rows."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright import ConnectError, DataError, RetriableError, TopicPartition
from plugwright_conformance.mutants.reported.plain import PlainSink, PlainSinkTask, settings

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from plugwright import SinkRecord

__all__ = [
    "BufferSink",
    "BufferSinkTask",
    "LinesSink",
    "LinesSinkTask",
    "ObjectSink",
    "ObjectSinkTask",
    "TableSink",
    "TableSinkTask",
    "place_of",
    "text_of",
]


def place_of(record: SinkRecord) -> TopicPartition:
    """The partition that a record was read from, before transformations."""
    return TopicPartition(record.original_topic, record.original_kafka_partition)


def text_of(record: SinkRecord) -> str:
    """The text of a record.

    Raises:
        DataError: if it is of another type.
    """
    if isinstance(record.value, str):
        return record.value
    raise DataError(
        f"only strings are written, found {type(record.value).__name__} at "
        f"{record.original_topic}-{record.original_kafka_partition}@{record.original_kafka_offset}"
    )


class LinesSinkTask(PlainSinkTask):
    """Appends each value and a line feed; a tombstone is left out."""

    def __init__(self) -> None:
        self._descriptor: int | None = None

    def start(self, props: Mapping[str, str]) -> None:
        """Open the file for appending.

        Raises:
            ConnectError: if that cannot be.
        """
        self._place: str = settings().parse(props)["place"]
        self.open_file()

    def open_file(self) -> None:
        """Open the file."""
        flags = os.O_APPEND | os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC
        try:
            self._descriptor = os.open(self._place, flags, 0o666)
        except OSError as error:
            raise ConnectError(f"cannot write {self._place}: {error.strerror}") from error

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Append the values of a batch."""
        self.write(records)

    def write(self, records: Sequence[SinkRecord]) -> None:
        """Append the lines of records, all in one piece where the system does so.

        Raises:
            DataError: if one has no line; nothing was written then.
            RetriableError: if nothing could be written.
            ConnectError: if a part could be.
        """
        data = b"".join(self.line(record) for record in records if record.value is not None)
        if data:
            self.append(data)

    def append(self, data: bytes) -> None:
        """Append bytes."""
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self.descriptor(), rest) :]
        except OSError as error:
            kind = RetriableError if len(rest) == len(data) else ConnectError
            raise kind(f"cannot append to {self._place}: {error.strerror}") from error

    def descriptor(self) -> int:
        """The open file."""
        assert self._descriptor is not None  # noqa: S101  # put comes after start
        return self._descriptor

    def line(self, record: SinkRecord) -> bytes:
        """The line of a record."""
        return self.encoded(text_of(record)) + b"\n"

    def encoded(self, text: str) -> bytes:
        """The bytes of a text.

        Raises:
            DataError: if it has none in UTF-8.
        """
        try:
            return text.encode()
        except UnicodeEncodeError as error:
            raise DataError(f"a value cannot be written as UTF-8: {error}") from error

    def flush(self, offsets: Mapping[TopicPartition, int]) -> None:  # noqa: ARG002
        """Wait until the lines are on the disk.

        Raises:
            ConnectError: if that cannot be promised.
        """
        try:
            os.fsync(self.descriptor())
        except OSError as error:
            raise ConnectError(f"{self._place} is not durable: {error.strerror}") from error

    def stop(self) -> None:
        """Close the file."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


class LinesSink(PlainSink):
    """Appends lines to a file."""

    TASK = LinesSinkTask


class BufferSinkTask(LinesSinkTask):
    """Writes when offsets are to be committed; what cannot be written then comes again."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting: list[SinkRecord] = []

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Keep records, and ask for a commit when there are many."""
        for record in records:
            if record.value is not None:
                text_of(record)  # refuses what cannot be written
        self._waiting += records
        if len(self._waiting) > 500:  # noqa: PLR2004  # any bound will do
            self.context.request_commit()

    def flush(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Write everything; if that fails, the worker goes back to the last commit."""
        waiting, self._waiting = self._waiting, []
        self.write(waiting)
        super().flush(offsets)

    def close(self, partitions: Collection[TopicPartition]) -> None:
        """Forget the records of these partitions."""
        lost = set(partitions)
        self._waiting = [record for record in self._waiting if place_of(record) not in lost]


class BufferSink(PlainSink):
    """Appends lines to a file, from a buffer."""

    TASK = BufferSinkTask


class ObjectSinkTask(PlainSinkTask):
    """Writes one object for the records of a partition since the last commit."""

    def __init__(self) -> None:
        self._waiting: dict[TopicPartition, list[SinkRecord]] = {}

    def start(self, props: Mapping[str, str]) -> None:
        """Keep the settings."""
        self._folder = Path(settings().parse(props)["place"])

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Keep records by partition."""
        for record in records:
            if record.value is not None:
                text_of(record)
            self._waiting.setdefault(place_of(record), []).append(record)

    def pre_commit(self, offsets: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, int]:
        """Write the objects; the offsets behind them may be committed."""
        waiting, self._waiting = self._waiting, {}
        for place, records in waiting.items():
            self.upload(place, records)
        return offsets

    def upload(self, place: TopicPartition, records: Sequence[SinkRecord]) -> None:
        """Write an object, all or nothing.

        Raises:
            ConnectError: if that cannot be.
        """
        values = [text_of(record) for record in records if record.value is not None]
        if not values:
            return
        target = self._folder / self.name(place, records)
        begun = target.with_suffix(f".begun-{id(self)}")
        try:
            with begun.open("wb") as file:
                file.write("".join(f"{value}\n" for value in values).encode())
                file.flush()
                os.fsync(file.fileno())
            begun.replace(target)
        except OSError as error:
            self.discard(begun)
            raise ConnectError(f"cannot write {target}: {error.strerror}") from error

    def discard(self, begun: Path) -> None:
        """Remove an object that could not be finished."""
        with suppress(OSError):  # what cannot be written may not be removed either
            begun.unlink(missing_ok=True)

    def name(self, place: TopicPartition, records: Sequence[SinkRecord]) -> str:
        """The name of an object, with the first and the last offset."""
        first, last = (records[n].original_kafka_offset for n in (0, -1))
        return f"{place.topic}+{place.partition}+{first:019}+{last:019}.txt"

    def close(self, partitions: Collection[TopicPartition]) -> None:
        """Forget the records of these partitions."""
        for place in partitions:
            self._waiting.pop(place, None)

    def stop(self) -> None:
        """Nothing is held."""


class ObjectSink(PlainSink):
    """Writes objects."""

    TASK = ObjectSinkTask


class TableSinkTask(PlainSinkTask):
    """Inserts the values of a batch in one transaction."""

    def start(self, props: Mapping[str, str]) -> None:
        """Keep the settings."""
        self._place: str = settings().parse(props)["place"]

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Insert values, all or none."""
        values = [text_of(record) for record in records if record.value is not None]
        if values:
            self.insert(values)

    def insert(self, values: Sequence[str]) -> None:
        """Insert values.

        Raises:
            RetriableError: if the database does not take them now; nothing was inserted then.
        """
        try:
            with closing(sqlite3.connect(self._place, timeout=5)) as database, database:
                rows = [(value,) for value in values]
                database.executemany("INSERT INTO entries (value) VALUES (?)", rows)
        except sqlite3.Error as error:
            raise RetriableError(f"cannot write {self._place}: {error}") from error

    def stop(self) -> None:
        """Nothing is held."""


class TableSink(PlainSink):
    """Inserts into a table."""

    TASK = TableSinkTask
