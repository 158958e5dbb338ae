"""Batch reads: one Spark partition for each task of a source connector."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceReader, InputPartition

from plugwright.errors import ConnectError
from plugwright.spark.datasource._errors import readable_errors
from plugwright.spark.datasource.location import enter_location
from plugwright.spark.datasource.source_run import SourceRun, kept
from plugwright.spark.rows import RecordRows, row_schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from plugwright.record import SourceRecord
    from plugwright.spark.datasource.plan import ConnectorPlan


class TaskPartition(InputPartition):
    """The partition of one task.

    Attributes:
        value: number of the task.
    """


class RowsReader(DataSourceReader):
    """Runs the tasks of a source connector on executors until they are idle.

    A read does not change the source: nothing is acknowledged (``commit``, ``commit_record``), and
    no offset is stored. A task that Spark repeats starts at the same offsets again.

    Args:
        plan: the connector.
        columns: the columns that Spark expects.
        strict: whether a field without a column is an error.
    """

    def __init__(self, plan: ConnectorPlan, columns: pa.Schema, *, strict: bool) -> None:
        self._plan = plan
        self._columns = columns
        self._strict = strict

    def partitions(self) -> Sequence[InputPartition]:
        """One partition for each task."""
        return [TaskPartition(number) for number in range(len(self._plan.configs))]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """Read the records of one task as Arrow batches.

        Raises:
            RowsError: if the plugin fails, or a record does not fit the columns.
        """
        if partition.value is None:  # Spark's placeholder if there are no tasks
            return
        with readable_errors():
            enter_location(self._plan)
            rows = RecordRows(self._columns, self._plan.options.mode, strict=self._strict)
            offsets = self._plan.options.offsets
            with SourceRun(self._plan, partition.value, offsets) as run:
                for records in run.until_idle():
                    yield from rows.batches(records)


def sampled(plan: ConnectorPlan) -> pa.Schema:
    """Determine the columns of a source from its first record.

    Tasks are polled in turn, in this process; the query reads these records again.

    Raises:
        ConnectError: ``rows.no-sample`` if no task returns a record in time.
        DataError: ``rows.unsupported-type`` if Spark has no type for a column.
    """
    enter_location(plan)
    deadline = time.monotonic() + plan.options.schema_s
    for number in range(len(plan.configs)):
        found = _first(plan, number, deadline, last=number == len(plan.configs) - 1)
        if found is not None:
            return row_schema(found, plan.options.mode)
    raise ConnectError(
        f"{plan.plugin} returned no record within {plan.options.schema_s:g} s, so its columns are "
        "unknown",
        code="rows.no-sample",
        hint="name the columns with .schema(…), or raise rows.schema.timeout.ms",
        facts={"plugin": plan.plugin},
    )


def _first(plan: ConnectorPlan, number: int, deadline: float, *, last: bool) -> SourceRecord | None:
    """The first record with a value, or else the first record; idle tasks are left early."""
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
