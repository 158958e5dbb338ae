"""Batch reads: one Spark partition for each task of a source connector."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceReader, InputPartition

from plugwright.errors import ConnectError
from plugwright.spark.datasource._errors import readable_errors
from plugwright.spark.datasource._location import enter_location
from plugwright.spark.datasource._source_run import SourceRun, kept
from plugwright.spark.rows import RecordRows, row_schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from plugwright.record import SourceRecord
    from plugwright.spark.datasource._plan import ConnectorPlan


class TaskPartition(InputPartition):
    """The share of one task.

    Attributes:
        value: number of the task.
    """


class RowsReader(DataSourceReader):
    """Runs the tasks of a source connector on executors until they are idle.

    A read leaves the source as it was: nothing is acknowledged (``commit``, ``commit_record``), no
    offset is stored. A task that Spark repeats begins at the same offsets again.

    Args:
        plan: the connector.
        columns: what Spark expects.
        strict: whether a field without a column is an error.
    """

    def __init__(self, plan: ConnectorPlan, columns: pa.Schema, *, strict: bool) -> None:
        self._plan = plan
        self._columns = columns
        self._strict = strict

    def partitions(self) -> Sequence[InputPartition]:
        """One for each task."""
        return [TaskPartition(number) for number in range(len(self._plan.configs))]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """The records of one task as Arrow batches.

        Raises:
            RowsError: if the plugin fails, or a record does not fit the columns.
        """
        if partition.value is None:  # Spark's stand-in where there are no tasks
            return
        with readable_errors():
            enter_location(self._plan)
            rows = RecordRows(self._columns, self._plan.options.mode, strict=self._strict)
            offsets = self._plan.options.offsets
            with SourceRun(self._plan, partition.value, offsets) as run:
                for records in run.until_idle():
                    yield from rows.batches(records)


def sampled(plan: ConnectorPlan) -> pa.Schema:
    """The columns of a source, as its first record has them.

    Tasks are asked in turn, in this process; what they have read is read again by the query.

    Raises:
        ConnectError: ``rows.no-sample`` if no task has a record in time.
        DataError: ``rows.unsupported-type`` if Spark has no type for a column.
    """
    enter_location(plan)
    deadline = time.monotonic() + plan.options.schema_s
    for number in range(len(plan.configs)):
        found = _first(plan, number, deadline, last=number == len(plan.configs) - 1)
        if found is not None:
            return row_schema(found, plan.options.mode)
    raise ConnectError(
        f"{plan.plugin} gave no record within {plan.options.schema_s:g} s, so that its columns are "
        "not known",
        code="rows.no-sample",
        hint="name the columns with .schema(…), or raise rows.schema.timeout.ms",
        facts={"plugin": plan.plugin},
    )


def _first(plan: ConnectorPlan, number: int, deadline: float, *, last: bool) -> SourceRecord | None:
    """The first record with a value, or at least the first; a task that is idle is left early."""
    patience = deadline if last else min(deadline, time.monotonic() + plan.options.idle_s)
    with SourceRun(plan, number, plan.options.offsets) as run:
        while True:
            records = kept(run.poll())
            valued = (record for record in records if record.value is not None)
            if records:
                return next(valued, records[0])
            if time.monotonic() >= patience:
                return None
            time.sleep(0.01)
