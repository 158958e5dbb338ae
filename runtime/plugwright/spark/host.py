"""The resident task host: runs inside a Spark task, for as long as the Connect task lives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark import TaskContext

from plugwright.spark._driver_connection import connect_to_driver
from plugwright.spark.assembly import assemble
from plugwright.spark.input import take_input
from plugwright.spark.messages import Assignment
from plugwright.spark.task_commands import host_task
from plugwright.spark.task_process import OwnProcess
from plugwright.spark.tickets import JOB_PROPERTY
from plugwright.worker import TaskControl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from plugwright.spark.channel import Channel
    from plugwright.spark.task_process import TaskProcess

OUTPUT_SCHEMA = "task bigint"


def run_resident_tasks(
    batches: Iterable[pa.RecordBatch], *, address: tuple[str, int], certificate: str
) -> Iterator[pa.RecordBatch]:
    """Run the Connect task whose number arrives, and yield the number when it has ended.

    The function that Spark runs in its Python worker. Errors are reported to the driver, never
    raised: exceptions would consume Spark's attempts, which are reserved for crashed processes.
    """
    return connected(batches, address, certificate, _run_alone)


def connected(
    batches: Iterable[pa.RecordBatch],
    address: tuple[str, int],
    certificate: str,
    serve: Callable[[Channel, Callable[[str], None]], None],
) -> Iterator[pa.RecordBatch]:
    """Connect to the driver for each number that arrives, and yield it when that is served.

    Args:
        batches: the numbers of tasks within Spark's job.
        address: of the driver's control channel.
        certificate: the certificate that the driver must present.
        serve: uses the connection, and the function that records phases in case of a crash.
    """
    context: Any = TaskContext.get()
    job = str(context.getLocalProperty(JOB_PROPERTY))
    for batch in batches:
        for index in batch.column(0).to_pylist():
            channel, enter = connect_to_driver(address, certificate, context, job=job, index=index)
            serve(channel, enter)
            channel.close()
        # The column unchanged: Arrow would import pandas to convert a Python object.
        yield pa.RecordBatch.from_arrays([batch.column(0)], names=["task"])


def run_assigned(channel: Channel, process: TaskProcess) -> None:
    """Run the task that the driver assigns, unless it needs none.

    Raises:
        ChannelClosedError: if the driver is gone before.
    """
    given = channel.receive()
    if isinstance(given, Assignment):
        control = TaskControl(paused=bool(given.spec.get("paused")))
        host_task(channel, process, given, control, assemble)


def _run_alone(channel: Channel, enter: Callable[[str], None]) -> None:
    take_input()
    run_assigned(channel, OwnProcess(enter))
