"""The resident task host: runs inside a Spark task, for as long as the Connect task lives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark import TaskContext

from plugwright.spark._arrival import arrive
from plugwright.spark._assembly import assemble
from plugwright.spark._input import take_input
from plugwright.spark._messages import Assignment
from plugwright.spark._steering import host_task
from plugwright.worker import TaskControl

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

JOB_PROPERTY = "plugwright.job"
"""Spark's local property that names the job, so that many jobs can share one plan."""

OUTPUT_SCHEMA = "task bigint"


def run_resident_tasks(
    batches: Iterable[pa.RecordBatch], *, address: tuple[str, int], certificate: str
) -> Iterator[pa.RecordBatch]:
    """Run the Connect task whose number comes in, and yield the number when it is over.

    The function that Spark runs in its Python worker. User errors are told to the driver, never
    raised: exceptions would burn Spark's attempts, which are for crashed processes.
    """
    context: Any = TaskContext.get()
    job = str(context.getLocalProperty(JOB_PROPERTY))
    for batch in batches:
        for index in batch.column(0).to_pylist():
            channel, enter = arrive(address, certificate, context, job=job, index=index)
            given = channel.receive()
            if isinstance(given, Assignment):
                take_input()
                control = TaskControl(paused=bool(given.spec.get("paused")))
                host_task(channel, enter, given, control, assemble)
            channel.close()
        # The column as it came: Arrow would import pandas to make one of Python's objects.
        yield pa.RecordBatch.from_arrays([batch.column(0)], names=["task"])
