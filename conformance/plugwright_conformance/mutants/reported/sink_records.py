"""Reported faults of sinks: records lost, repeated, reordered or changed on their way."""

from __future__ import annotations

import locale
import logging
from typing import TYPE_CHECKING

from plugwright import ConnectError, RetriableError
from plugwright_conformance.mutants.reported.sinks import (
    BufferSinkTask,
    LinesSinkTask,
    TableSinkTask,
    place_of,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SinkRecord, TopicPartition

__all__ = [
    "AccumulatesBatchesTask",
    "AppendsAtRetryTask",
    "DropsAfterRetriesTask",
    "DropsBadRecordTask",
    "EmptiesTableAtStartTask",
    "EncodesByLocaleTask",
    "EncodesInAsciiTask",
    "FirstTenOfBatchTask",
    "KeepsBufferAtFailureTask",
    "NeedsKeyTask",
    "NeedsValueTask",
    "NullHeaderTask",
    "OneRecordForEachKeyTask",
    "ReportsAndRaisesTask",
    "SameHeadersTask",
    "SchemalessHeaderTask",
    "SkipsFailedRecordsTask",
    "UnorderedBulkTask",
]

_LOG = logging.getLogger(__name__)


class SkipsFailedRecordsTask(TableSinkTask):
    """Takes a record that could not be written for written.

    https://github.com/confluentinc/kafka-connect-elasticsearch/pull/587: offsets were marked as
    processed for individual records of a bulk that had failed.
    """

    def insert(self, values: Sequence[str]) -> None:
        """Insert values one by one; those that fail are logged."""
        for value in values:
            try:
                super().insert([value])
            except RetriableError:
                _LOG.warning("a record failed")


class DropsAfterRetriesTask(LinesSinkTask):
    """Gives up after three attempts, and goes on with the next batch.

    https://github.com/confluentinc/kafka-connect-elasticsearch/issues/571: while no instance was
    available messages were lost; their offsets were committed.
    """

    def append(self, data: bytes) -> None:
        """Append bytes, in three attempts."""
        for _ in range(3):
            try:
                super().append(data)
            except RetriableError:
                _LOG.warning("an attempt failed")
                continue
            return


class AppendsAtRetryTask(BufferSinkTask):
    """Keeps a batch that could not be written, and takes it again.

    https://github.com/ClickHouse/clickhouse-kafka-connect/issues/801: with a buffer and a failure
    that can be retried, each retry appended the same records once more.
    """

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Add records to the buffer, and write all of it."""
        self._waiting += records
        self.write(self._waiting)
        self._waiting = []


class KeepsBufferAtFailureTask(BufferSinkTask):
    """Keeps its records when a commit fails, though they come again.

    https://github.com/Aiven-Open/s3-connector-for-apache-kafka/pull/224: when the flush failed the
    worker rewound, and the records were in the grouper already: duplicates.
    """

    def flush(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Write everything, and forget it when that has worked."""
        self.write(self._waiting)
        LinesSinkTask.flush(self, offsets)
        self._waiting = []


class UnorderedBulkTask(LinesSinkTask):
    """Writes a batch in no order.

    https://github.com/hpgrahsl/kafka-connect-mongodb/issues/98: bulks were unordered, so several
    operations on one document could be applied in the wrong order.
    """

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write the values of a batch, those of the last records first."""
        super().put(records[::-1])


class OneRecordForEachKeyTask(BufferSinkTask):
    """Buffers by key, so that only the last record of a key is left.

    https://github.com/confluentinc/kafka-connect-storage-cloud/issues/846: records were missing
    only where a key was set; without keys all of them arrived.
    """

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Keep the last record of each key, and all without one."""
        super().put(records)
        newest = {repr(r.key): r for r in self._waiting if r.key is not None}
        self._waiting = [r for r in self._waiting if r.key is None or newest[repr(r.key)] is r]


class AccumulatesBatchesTask(LinesSinkTask):
    """Does not empty its batch when it was written.

    https://github.com/meltano/sdk/issues/163: the context was not reset between batches, so the
    records of each were written again with the next.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Open the file."""
        super().start(props)
        self._batch: list[SinkRecord] = []

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write the batch; it is new if there were more than a hundred."""
        if len(self._batch) > 100:  # noqa: PLR2004  # any size will do
            self._batch = []
        self._batch += records
        super().put(self._batch)


class FirstTenOfBatchTask(LinesSinkTask):
    """Writes ten messages of a batch.

    https://github.com/redpanda-data/connect/issues/713: of five hundred messages ten were pushed
    into the list, and ten more after each restart.
    """

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write ten values."""
        super().put(records[:10])


class EmptiesTableAtStartTask(TableSinkTask):
    """Makes its table anew whenever it starts.

    https://github.com/meltano/sdk/issues/3237: the table was dropped and created at every set-up,
    with what earlier ones had inserted.
    """

    def open(self, partitions: object) -> None:  # noqa: ARG002
        """Empty the table."""
        import sqlite3  # noqa: PLC0415  # as little as possible at import
        from contextlib import closing  # noqa: PLC0415

        with closing(sqlite3.connect(self._place, timeout=5)) as database, database:
            database.execute("DELETE FROM entries")


class DropsBadRecordTask(LinesSinkTask):
    """Logs a record that it cannot write, and leaves it out.

    https://github.com/apache/camel-kafka-connector/issues/835: the reporter of failed records was
    not used, and records were lost.
    """

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write what can be written."""
        good = []
        for record in records:
            try:
                self.line(record) if record.value is not None else b""
            except ConnectError:
                _LOG.warning("a record was left out")
            else:
                good.append(record)
        super().put(good)


class ReportsAndRaisesTask(LinesSinkTask):
    """Reports a bad record and fails all the same.

    https://github.com/Aiven-Open/opensearch-connector-for-apache-kafka/pull/142: records were
    written to the dead-letter queue and the exception was thrown as before.
    """

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write a batch; a bad record is reported."""
        try:
            super().put(records)
        except ConnectError as error:
            reporter = self.context.errant_record_reporter()
            bad = [r for r in records if r.value is not None and not isinstance(r.value, str)]
            if reporter is not None:
                for record in bad:
                    reporter.report(record, error)
            raise


class EncodesInAsciiTask(LinesSinkTask):
    """Writes a question mark for what ASCII has not.

    https://github.com/ClickHouse/clickhouse-kafka-connect/issues/51: accents and emojis were all
    replaced with question marks.
    """

    def encoded(self, text: str) -> bytes:
        """The bytes of a text, as far as it goes."""
        return text.encode("ascii", "replace")


class EncodesByLocaleTask(LinesSinkTask):
    """Writes in the encoding of the machine.

    https://github.com/apache/flink-cdc/pull/4428: getBytes() without a charset takes the platform's
    default, and data was corrupted where that is not UTF-8.
    """

    def encoded(self, text: str) -> bytes:
        """The bytes of a text, as this machine writes it."""
        return text.encode(locale.getpreferredencoding(do_setlocale=False), "replace")


class NeedsValueTask(LinesSinkTask):
    """Fails on a tombstone.

    https://github.com/confluentinc/kafka-connect-storage-cloud/issues/42: records without a value
    killed the task, again at each restart.
    """

    def write(self, records: Sequence[SinkRecord]) -> None:
        """Append the values, whatever they are."""
        self.append(b"".join(record.value.encode() + b"\n" for record in records))


class NeedsKeyTask(LinesSinkTask):
    """Fails on a record without a key.

    https://github.com/confluentinc/kafka-connect-storage-cloud/issues/602: "Key cannot be null for
    SinkRecord" ended the task on records from a time without keys.
    """

    def line(self, record: SinkRecord) -> bytes:
        """The line of a record that has a key.

        Raises:
            ConnectError: if it has none.
        """
        if record.key is None:
            raise ConnectError(f"Key cannot be null for record at {place_of(record)}")
        return super().line(record)


class NullHeaderTask(LinesSinkTask):
    """Fails on a header without a value.

    https://github.com/splunk/kafka-connect-splunk/pull/414: the value of a header can be null, and
    the task ended with a NullPointerException.
    """

    def line(self, record: SinkRecord) -> bytes:
        """The line of a record, whose headers are looked at."""
        for header in record.headers:
            if not isinstance(header.value, int | float):
                len(header.value)
        return super().line(record)


class SchemalessHeaderTask(LinesSinkTask):
    """Asks every header for the type of its schema.

    https://github.com/apache/camel-kafka-connector/issues/1447: mapHeader() raised a
    NullPointerException for a header without schema.
    """

    def line(self, record: SinkRecord) -> bytes:
        """The line of a record, whose headers are mapped."""
        for header in record.headers:
            header.schema.type  # type: ignore[union-attr]  # noqa: B018  # the fault
        return super().line(record)


class SameHeadersTask(LinesSinkTask):
    """Makes a schema of the first record's headers, and holds all others to it.

    https://github.com/Aiven-Open/gcs-connector-for-apache-kafka/issues/347: building the schema for
    headers failed when one message had headers and another had not.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Open the file."""
        super().start(props)
        self._names: list[str] | None = None

    def line(self, record: SinkRecord) -> bytes:
        """The line of a record, whose headers are like the first one's.

        Raises:
            ConnectError: if they are not.
        """
        names = [header.key for header in record.headers]
        self._names = names if self._names is None else self._names
        if names != self._names:
            raise ConnectError(f"cannot build a schema of headers {names}")
        return self.encoded(text_of(record)) + b"\n"
