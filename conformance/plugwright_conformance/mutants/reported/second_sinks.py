"""Reported faults of sinks, second set: several topics, no timestamp, large batches and offsets."""

from __future__ import annotations

import sqlite3
import struct
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from plugwright import RetriableError, TopicPartition
from plugwright_conformance.mutants.reported.sinks import (
    BufferSinkTask,
    LinesSinkTask,
    ObjectSinkTask,
    TableSinkTask,
    place_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from plugwright import SinkRecord

__all__ = [
    "FirstPartitionForAllTask",
    "KeepsFailedConnectionTask",
    "KeyedWithoutTopicTask",
    "LeavesBegunObjectTask",
    "NeedsTimestampTask",
    "OffsetInFourBytesTask",
    "OneStatementTask",
]


class KeyedWithoutTopicTask(BufferSinkTask):
    """Keeps its rows by partition and offset, and forgets the topic.

    https://github.com/confluentinc/kafka-connect-bigquery/issues/460: records of two topics with
    the same partition and offset met in one TreeMap, and one of them was silently dropped.
    """

    def write(self, records: Sequence[SinkRecord]) -> None:
        """Write the rows of a map."""
        rows = {(r.original_kafka_partition, r.original_kafka_offset): r for r in records}
        super().write(list(rows.values()))


class NeedsTimestampTask(LinesSinkTask):
    """Asks every record for the day on which it was made.

    https://github.com/confluentinc/kafka-connect-storage-common/pull/55: a record without a
    timestamp ended the task with a NullPointerException.
    """

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Append the values, day by day."""
        for record in records:
            self.day(record)
        super().put(records)

    @staticmethod
    def day(record: SinkRecord) -> str:
        """The day of a record."""
        made = datetime.fromtimestamp(record.timestamp / 1000, UTC)  # type: ignore[operator]  # the fault
        return f"{made:%Y-%m-%d}"


class FirstPartitionForAllTask(LinesSinkTask):
    """Groups a batch by topic, and saves its end under the partition of its first record.

    https://github.com/neo4j/neo4j-kafka-connector/pull/643: put() gets records of several
    partitions of a topic; after a restart some were skipped and others written twice.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Open the file, with no offsets."""
        super().start(props)
        self._next: dict[TopicPartition, int] = {}

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write a batch, and save where each topic is."""
        super().put(records)
        groups: dict[str, list[SinkRecord]] = {}
        for record in records:
            groups.setdefault(record.original_topic, []).append(record)
        for group in groups.values():
            last = max(record.original_kafka_offset for record in group)
            self._next[place_of(group[0])] = last + 1

    def pre_commit(self, offsets: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, int]:
        """What was saved."""
        self.flush(offsets)
        return dict(self._next)


class OneStatementTask(TableSinkTask):
    """Inserts a batch by one statement, with a parameter for every value.

    https://github.com/redpanda-data/connect/issues/2424: "The server supports a maximum of 2100
    parameters", and a larger batch could not be written at all.
    """

    def insert(self, values: Sequence[str]) -> None:
        """Insert values.

        Raises:
            RetriableError: if the database does not take them.
        """
        rows = ", ".join("(?)" for _ in values)
        try:
            with closing(sqlite3.connect(self._place, timeout=5)) as database, database:
                database.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 2100)
                database.execute(f"INSERT INTO entries (value) VALUES {rows}", values)  # noqa: S608
        except sqlite3.Error as error:
            raise RetriableError(f"cannot write {self._place}: {error}") from error


class KeepsFailedConnectionTask(TableSinkTask):
    """Opens a connection for every attempt, and closes it where the attempt succeeds.

    https://github.com/Altinity/clickhouse-sink-connector/issues/1258: after an exception the
    connection stayed in a map and was never closed, until the server took no more of them.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Keep the settings, and no connection yet."""
        super().start(props)
        self._connections: list[sqlite3.Connection] = []

    def insert(self, values: Sequence[str]) -> None:
        """Insert values.

        Raises:
            RetriableError: if the database does not take them now; nothing was inserted then.
        """
        try:
            self._connections.append(sqlite3.connect(self._place, timeout=5))
            with self._connections[-1] as database:
                rows = [(value,) for value in values]
                database.executemany("INSERT INTO entries (value) VALUES (?)", rows)
        except sqlite3.Error as error:
            raise RetriableError(f"cannot write {self._place}: {error}") from error
        self._connections.pop().close()


class LeavesBegunObjectTask(ObjectSinkTask):
    """Leaves a temporary object behind for every upload that fails.

    https://github.com/confluentinc/kafka-connect-bigquery/issues/412: temporary tables are deleted
    at the end of a good run; if the connector fails they stay for ever.
    """

    def discard(self, begun: Path) -> None:
        """Leave it."""


class OffsetInFourBytesTask(LinesSinkTask):
    """Stores the offset of each record as an integer of four bytes.

    https://github.com/snowflakedb/snowflake-kafka-connector/pull/1090: the offset of the metadata
    was stored as an integer, though an offset of Kafka is a long.
    """

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Append the values, with the metadata aside."""
        for record in records:
            struct.pack(">i", record.original_kafka_offset)
        super().put(records)
