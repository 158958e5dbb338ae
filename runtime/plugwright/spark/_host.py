"""The resident task host: runs inside a Spark task, for as long as the Connect task lives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark import TaskContext

from plugwright.spark._assembly import assemble
from plugwright.spark._driver_connection import connect_to_driver
from plugwright.spark._input import take_input
from plugwright.spark._messages import Assignment
from plugwright.spark._task_commands import host_task
from plugwright.worker import TaskControl

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

JOB_PROPERTY = "plugwright.job"
"""Spark's local property with the job's name, so that many jobs can share one plan."""

OUTPUT_SCHEMA = "task bigint"


def run_resident_tasks(
    batches: Iterable[pa.RecordBatch], *, address: tuple[str, int], certificate: str
) -> Iterator[pa.RecordBatch]:
    """Run the Connect task whose number arrives, and yield the number when it has ended.

    The function that Spark runs in its Python worker. Errors are reported to the driver, never
    raised: exceptions would consume Spark's attempts, which are reserved for crashed processes.
    """
    context: Any = TaskContext.get()
    job = str(context.getLocalProperty(JOB_PROPERTY))
    for batch in batches:
        for index in batch.column(0).to_pylist():
            channel, enter = connect_to_driver(address, certificate, context, job=job, index=index)
            given = channel.receive()
            if isinstance(given, Assignment):
                take_input()
                control = TaskControl(paused=bool(given.spec.get("paused")))
                host_task(channel, enter, given, control, assemble)
            channel.close()
        # The column unchanged: Arrow would import pandas to convert a Python object.
        yield pa.RecordBatch.from_arrays([batch.column(0)], names=["task"])
