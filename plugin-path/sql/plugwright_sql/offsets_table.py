"""Kafka's offsets, kept in the database and moved in the transactions that write the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright import ConnectError, TopicPartition
from plugwright_sql.columns import table_columns
from plugwright_sql.names import TableName

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlalchemy import Connection

    from plugwright_sql.database import Database
    from plugwright_sql.names import Identifiers

__all__ = ["OffsetsTable"]

_NOTHING_YET = -1


class OffsetsTable:
    """One row for each connector, topic and partition: the offset that is written next.

    Args:
        database: where the table is.
        identifiers: write names.
        name: of the table.
        connector: whose offsets are meant.
    """

    def __init__(
        self, database: Database, identifiers: Identifiers, name: str, connector: str
    ) -> None:
        self._database = database
        self._identifiers = identifiers
        self._name = TableName.parse(name)
        self._table = identifiers.table(self._name)
        self._connector = connector
        self._mark = identifiers.dialect.parameter

    def create(self) -> None:
        """Create the table if it is missing.

        Raises:
            ConnectError: if that cannot be done.
        """
        text = "VARCHAR(249)"
        with self._database.connection(f"create table {self._name}") as connection:
            if table_columns(connection, self._name):
                return
        try:
            with self._database.connection(f"create table {self._name}") as connection:
                connection.exec_driver_sql(
                    f"CREATE TABLE IF NOT EXISTS {self._table} (connector {text} NOT NULL, "
                    f"topic {text} NOT NULL, kafka_partition INT NOT NULL, "
                    "next_offset BIGINT NOT NULL, "
                    "PRIMARY KEY (connector, topic, kafka_partition))",
                    (),
                )
                connection.commit()
        except ConnectError as error:
            if "already exists" not in str(error) and "duplicate" not in str(error):
                raise  # another task has not made it at the same moment

    def enter(self, connection: Connection, partitions: Collection[TopicPartition]) -> None:
        """Make sure that each partition has a row, so that there is something to lock."""
        keys = ["connector", "topic", "kafka_partition"]
        self._insert(
            connection,
            [(self._connector, *home, _NOTHING_YET) for home in sorted(partitions)],
            self._identifiers.dialect.upsert(keys, []),
        )

    def offsets(
        self, connection: Connection, partitions: Collection[TopicPartition], *, lock: bool = False
    ) -> dict[TopicPartition, int]:
        """The next offset of each partition that has one.

        Args:
            connection: to read by.
            partitions: whose offsets are meant.
            lock: whether others wait for the end of this transaction before they read them.
        """
        if not partitions:
            return {}
        mark, ordered = self._mark, sorted(partitions)
        each = f"(topic = {mark} AND kafka_partition = {mark})"
        homes = " OR ".join([each] * len(ordered))
        statement = (
            f"SELECT topic, kafka_partition, next_offset FROM {self._table} "  # noqa: S608
            f"WHERE connector = {mark} AND ({homes}) ORDER BY topic, kafka_partition"
        )
        if lock:
            statement += self._identifiers.dialect.lock
        values = [value for home in ordered for value in home]
        rows = connection.exec_driver_sql(statement, (self._connector, *values)).all()
        return {
            TopicPartition(topic, number): offset
            for topic, number, offset in rows
            if offset != _NOTHING_YET
        }

    def move(self, connection: Connection, offsets: Mapping[TopicPartition, int]) -> None:
        """Set the next offset of partitions, in the transaction of the connection."""
        keys = ["connector", "topic", "kafka_partition"]
        self._insert(
            connection,
            [(self._connector, *home, offset) for home, offset in sorted(offsets.items())],
            self._identifiers.dialect.upsert(keys, ["next_offset"]),
        )

    def _insert(self, connection: Connection, rows: Sequence[tuple[object, ...]], end: str) -> None:
        columns = "(connector, topic, kafka_partition, next_offset)"
        marks = ", ".join([self._mark] * 4)
        statement = f"INSERT INTO {self._table} {columns} VALUES ({marks}){end}"  # noqa: S608
        if rows:
            connection.exec_driver_sql(statement, [*rows])

    def forget(self, connection: Connection, partitions: Collection[TopicPartition]) -> None:
        """Remove the offsets of partitions."""
        rows: list[Any] = [(self._connector, *home) for home in partitions]
        statement = (
            f"DELETE FROM {self._table} WHERE connector = {self._mark} "  # noqa: S608
            f"AND topic = {self._mark} AND kafka_partition = {self._mark}"
        )
        if rows:
            connection.exec_driver_sql(statement, rows)
