"""Writes: one sink task for each Spark partition, in a batch or a micro-batch of a stream."""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from pyspark import TaskContext
from pyspark.sql.datasource import (
    DataSourceArrowWriter,
    DataSourceStreamArrowWriter,
    WriterCommitMessage,
)

from plugwright.errors import ConfigError
from plugwright.record import TopicPartition
from plugwright.spark.datasource._errors import readable_errors
from plugwright.spark.datasource.location import enter_location
from plugwright.spark.datasource.sink_run import TaskBatch, run_sink
from plugwright.spark.rows import RowRecords
from plugwright.task import BatchIdentity

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from plugwright.record import SinkRecord
    from plugwright.spark.datasource.options import RowsOptions
    from plugwright.spark.datasource.plan import ConnectorPlan

_QUERY = "sql.streaming.queryId"
_BATCH = "streaming.sql.batchId"


@dataclass
class Written(WriterCommitMessage):
    """The result of writing one Spark partition.

    Attributes:
        records: number of rows passed to the sink; 0 if it had the batch before.
    """

    records: int


def records_for(options: RowsOptions, columns: pa.Schema) -> RowRecords:
    """Create the converter from rows to a sink's records.

    Raises:
        ConfigError: if a column is missing or wrong, or there is not exactly one topic.
        DataError: ``rows.unsupported-type`` if Connect has no type for a column, naming it.
    """
    if len(options.topics) > 1:
        raise ConfigError(
            f"topics: {len(options.topics)} topics are given, but rows have exactly one",
            code="rows.no-topic",
            hint="name one topic, or with rows=records add a column topic",
            facts={"key": "topics"},
        )
    return RowRecords(columns, options.mode, "".join(options.topics))


def write_rows(
    plan: ConnectorPlan,
    columns: pa.Schema,
    batches: Iterator[Any],
    identity: BatchIdentity,
    first: int,
) -> Written:
    """Pass a partition's rows to a new sink task.

    Args:
        plan: the connector.
        columns: of the rows.
        batches: the rows, as Arrow batches.
        identity: of the batch.
        first: the offset of the first record, if rows have none.

    Raises:
        ConnectError: if the plugin fails; records written before that remain.
    """
    filled = (batch for batch in batches if batch.num_rows)
    begin = next(filled, None)
    if begin is None:
        return Written(0)
    enter_location(plan)
    rows = records_for(plan.options, columns)
    sizes: list[int] = []
    chunks = _chunks(rows, chain([begin], filled), (identity.partition, first), sizes)
    topics = () if rows.has_offsets else plan.options.topics
    starts = {TopicPartition(topic, identity.partition): first for topic in topics}
    return Written(sum(sizes) if run_sink(plan, TaskBatch(identity, chunks, starts)) else 0)


def _chunks(
    rows: RowRecords, batches: Iterator[Any], begin: tuple[int, int], sizes: list[int]
) -> Iterator[list[SinkRecord]]:
    """The records of rows, with consecutive offsets; records the size of each batch."""
    partition, first = begin
    for batch in batches:
        yield rows.records(batch, partition, first + sum(sizes))
        sizes.append(batch.num_rows)


class RowsWriter(DataSourceArrowWriter):
    """Writes a DataFrame to a sink connector, at least once.

    After a successful write, every row is durable in the sink. A task that Spark repeats writes
    its rows again, except to an `IdempotentSinkTask`. A failed write leaves what was written.

    Args:
        plan: the connector.
        columns: of the rows.
        job: a unique name of the write.
    """

    def __init__(self, plan: ConnectorPlan, columns: pa.Schema, job: str) -> None:
        self._plan = plan
        self._columns = columns
        self._job = job
        # Offsets increase from one write to the next, as in a topic; 20 bits count the rows of a
        # ms.
        self._first = int(time.time() * 1000) << 20

    def write(self, iterator: Iterator[Any]) -> WriterCommitMessage:
        """Write the rows of one Spark partition.

        Raises:
            RowsError: if the plugin fails.
        """
        with readable_errors():
            context: Any = TaskContext.get()
            identity = BatchIdentity(self._job, 0, context.partitionId())
            return write_rows(self._plan, self._columns, iterator, identity, self._first)


class RowsStreamWriter(DataSourceStreamArrowWriter):
    """Writes the micro-batches of a stream to a sink connector.

    A micro-batch is committed when every row of it is durable in the sink. After a crash Spark
    repeats the last one, with the same rows and number if its source can reproduce them:
    at least once for any sink, exactly once for an `IdempotentSinkTask`. The offsets of records
    are the same in a repetition: the number of the micro-batch in the upper bits, of the row within
    its partition in the lower 32.

    Args:
        plan: the connector.
        columns: of the rows.
    """

    def __init__(self, plan: ConnectorPlan, columns: pa.Schema) -> None:
        self._plan = plan
        self._columns = columns

    def write(self, iterator: Iterator[Any]) -> WriterCommitMessage:
        """Write the rows of one partition of a micro-batch.

        Raises:
            RowsError: if the plugin fails.
        """
        with readable_errors():
            context: Any = TaskContext.get()
            batch = int(context.getLocalProperty(_BATCH) or 0)
            query = context.getLocalProperty(_QUERY) or ""
            identity = BatchIdentity(query, batch, context.partitionId())
            return write_rows(self._plan, self._columns, iterator, identity, batch << 32)

    def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803  # Spark's name
        """Do nothing: partitions are durable when they return."""

    def abort(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803  # Spark's name
        """Do nothing: writes cannot be undone; a restarted query repeats the micro-batch."""
