"""The task of the sink: writes rows and offsets in one transaction."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from plugwright import ConnectError, RetriableError, SinkColumns, SinkTask
from plugwright_sql.batch_writer import BatchWriter
from plugwright_sql.names import Identifiers
from plugwright_sql.offsets_table import OffsetsTable
from plugwright_sql.shared_settings import VERSION, checked, reached
from plugwright_sql.sink_settings import SINK_CONFIG, SinkChoices, sink_problems

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from plugwright import ErrantRecordReporter, SinkRecord, TopicPartition
    from plugwright_sql.database import Database

__all__ = ["SqlSinkTask"]


class SqlSinkTask(SinkTask):
    """Writes records as rows; every ``put`` is one transaction that moves the offsets, too."""

    def __init__(self) -> None:
        self._database: Database | None = None
        self._stopping = threading.Event()
        self._failures = 0

    def version(self) -> str:
        """The version of this distribution."""
        return VERSION

    def start(self, props: Mapping[str, str]) -> None:
        """Connect, and create the table of offsets.

        Raises:
            ConfigError: if a setting is missing or wrong.
            ConnectError: if the database cannot be reached, or refuses the table.
        """
        self._stopping.clear()
        settings = checked(SINK_CONFIG, props, sink_problems)
        self._choices = SinkChoices.of(settings, props.get("name", ""))
        self._database = reached(settings, self._stopping.wait, create=True)
        identifiers = Identifiers(self._database.dialect, always=self._choices.quotes)
        self._offsets: OffsetsTable | None = None
        if self._choices.offsets_table:
            self._offsets = OffsetsTable(
                self._database, identifiers, self._choices.offsets_table, self._choices.connector
            )
            self._offsets.create()
        self._writer = BatchWriter(self._database, identifiers, self._choices, self._offsets)
        self._failures = 0

    def open(self, partitions: Collection[TopicPartition]) -> None:
        """Go to the offsets that the database has, whatever Kafka has.

        Raises:
            RetriableError: if the database cannot be reached now.
        """
        if self._offsets is None or self._database is None or not partitions:
            return
        with self._database.connection("read the offsets") as connection:
            self._offsets.enter(connection, partitions)
            connection.commit()
            found = self._offsets.offsets(connection, partitions)
        if found:
            self.context.offset(found)

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write the records and their offsets, all or nothing.

        Raises:
            DataError: if a record does not fit its table and no reporter exists.
            RetriableError: if the database cannot be reached now; nothing is written.
            ConnectError: if it refuses the rows, or could not be reached too often.
        """
        self.put_batch(SinkColumns.of(records))

    def put_batch(self, batch: Sequence[SinkColumns]) -> None:
        """Write the records of columns; raises what `put` raises. Hot path."""
        if not batch:
            return
        try:
            self._writer.write(batch, self._reporter())
        except RetriableError as error:
            raise self._again(error) from error
        self._failures = 0

    def pre_commit(self, offsets: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, int]:
        """The offsets given, unless a batch is still to be written again."""
        return {} if self._failures else offsets

    def stop(self) -> None:
        """Close the connection."""
        self._stopping.set()
        if self._database is not None:
            self._database.close()
            self._database = None

    def _again(self, error: RetriableError) -> ConnectError:
        """The error for a retriable failure: the last one is final."""
        self._failures += 1
        if self._failures > self._choices.retries:
            return ConnectError(
                f"{error} (after {self._choices.retries} retries)",
                code="sql.retries-exhausted",
                hint=error.hint or "fix the database, then restart the task",
                facts=error.facts,
            )
        self.context.timeout(self._choices.backoff_ms)
        return error

    def _reporter(self) -> ErrantRecordReporter | None:
        """Takes records that cannot be written; ``None`` on runtimes older than KIP-610."""
        offer = getattr(self.context, "errant_record_reporter", None)
        return None if offer is None else offer()
