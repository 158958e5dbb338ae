"""Upsert sinks that do not keep the last value of each key."""

from __future__ import annotations

import json
from itertools import count
from typing import TYPE_CHECKING

from plugwright import RetriableError
from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.keyed_sink import KeyedSinkTask

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence

    from plugwright import SinkRecord, TopicPartition

    _Row = tuple[str, str, str | None]

__all__ = [
    "CommitsLastKeyTask",
    "DeletesLastTask",
    "FirstTopicForAllTask",
    "FirstTopicForEverTask",
    "KeepsFirstOfMomentTask",
    "KeepsFirstValueTask",
    "LeavesTombstonesOutTask",
    "NumbersItsRowsTask",
    "QueuesFailedRowsTask",
    "WritesTombstonesTask",
]


@mutant(
    "M179b",
    "the last record of each partition stays uncommitted, in a sink that overwrites",
    killed_by="SNK-OFF-08",
    failure="each is one behind, and stays so",
)
class CommitsLastKeyTask(KeyedSinkTask):
    """Is one behind for ever, which repeats nothing that can be seen.

    Reported at https://github.com/apache/pulsar/pull/16100.
    """

    def pre_commit(
        self, current_offsets: Mapping[TopicPartition, int]
    ) -> Mapping[TopicPartition, int]:
        """The offsets of the last records."""
        return {home: offset - 1 for home, offset in current_offsets.items() if offset}


@mutant(
    "M230",
    "all writes of a batch are run before its deletes",
    killed_by="SNK-TYP-18",
    failure="batches of 3",
    sentinel=True,
)
class DeletesLastTask(KeyedSinkTask):
    """Runs the deletes of a batch after its writes."""

    def write(self, database: sqlite3.Connection, rows: Sequence[_Row]) -> None:
        """Write the rows with a value, then those without."""
        super().write(database, sorted(rows, key=lambda row: row[2] is None))


@mutant(
    "M231",
    "a key that is there keeps its first value",
    killed_by="SNK-TYP-18",
    failure="a3 of key a, its last value",
)
class KeepsFirstValueTask(KeyedSinkTask):
    """Ignores a row whose key exists."""

    def write(self, database: sqlite3.Connection, rows: Sequence[_Row]) -> None:
        """Write the rows with new keys."""
        for row in rows:
            known = database.execute(
                "SELECT 1 FROM keyed WHERE topic = ? AND key = ?", row[:2]
            ).fetchall()
            if not known or row[2] is None:
                super().write(database, [row])


@mutant(
    "M231b",
    "of records of one key and one millisecond the first is kept",
    killed_by="SNK-TYP-18",
    failure="b2 of key b, its last value",
)
class KeepsFirstOfMomentTask(KeyedSinkTask):
    """Keeps the first record of each key and timestamp.

    Reported at https://github.com/scylladb/kafka-connect-scylladb/issues/20.
    """

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write the first record of each key and timestamp."""
        first: dict[tuple[str, int | None], SinkRecord] = {}
        for record in records:
            first.setdefault((str(record.key), record.timestamp), record)
        super().put(list(first.values()))


@mutant(
    "M232",
    "tombstones are left out, declared as deletes",
    killed_by="SNK-TYP-18",
    failure="no value of key c, which has a tombstone",
)
class LeavesTombstonesOutTask(KeyedSinkTask):
    """Ignores tombstones."""

    def write(self, database: sqlite3.Connection, rows: Sequence[_Row]) -> None:
        """Write the rows with a value."""
        super().write(database, [row for row in rows if row[2] is not None])


@mutant(
    "M232b",
    "tombstones become empty values, declared as deletes",
    killed_by="SNK-TYP-06",
    failure="and no others",
)
class WritesTombstonesTask(KeyedSinkTask):
    """Writes an empty text for a tombstone.

    Reported at https://github.com/snowflakedb/snowflake-kafka-connector/pull/316.
    """

    def write(self, database: sqlite3.Connection, rows: Sequence[_Row]) -> None:
        """Write the rows, with an empty text for a tombstone."""
        super().write(database, [(topic, key, line or '""') for topic, key, line in rows])


@mutant(
    "M233",
    "a batch is written to the table of the topic of its first record",
    killed_by="SNK-TYP-19",
    failure="one by one",
)
class FirstTopicForAllTask(KeyedSinkTask):
    """Writes a batch to the table of its first topic."""

    def write(self, database: sqlite3.Connection, rows: Sequence[_Row]) -> None:
        """Write every row under the first topic."""
        super().write(database, [(rows[0][0], key, line) for _, key, line in rows])


@mutant(
    "M233b",
    "all batches are written to the table of the topic of a task's first record",
    killed_by="SNK-TYP-19",
    failure="as with a task for each topic",
)
class FirstTopicForEverTask(KeyedSinkTask):
    """Writes all batches to the table of the first topic.

    Reported at https://github.com/confluentinc/kafka-connect-jdbc/issues/1150.
    """

    _topic = ""

    def write(self, database: sqlite3.Connection, rows: Sequence[_Row]) -> None:
        """Write every row under the first topic."""
        self._topic = self._topic or rows[0][0]
        super().write(database, [(self._topic, key, line) for _, key, line in rows])


@mutant(
    "M234",
    "rows have generated keys",
    killed_by="CON-DLV-11",
    failure="duplicated",
)
class NumbersItsRowsTask(KeyedSinkTask):
    """Generates keys instead of using those of the records."""

    def __init__(self) -> None:
        self._numbers = count(1_000_000 * (id(self) % 1_000_003))

    def row(self, record: SinkRecord) -> _Row:
        """Topic, number and line of one record."""
        topic, _, line = super().row(record)
        return topic, json.dumps(next(self._numbers)), line


class QueuesFailedRowsTask(KeyedSinkTask):
    """Keeps a failed batch, and writes it after the next one."""

    def __init__(self) -> None:
        self._failed: list[SinkRecord] = []

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write the batch, or keep it; then write what failed before."""
        try:
            super().put(records)
        except RetriableError:
            self._failed += records
            return
        super().put(self._failed)
        self._failed = []

    def flush(self, offsets: Mapping[TopicPartition, int]) -> None:  # noqa: ARG002
        """Write what failed."""
        super().put(self._failed)
        self._failed = []
