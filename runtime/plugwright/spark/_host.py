"""The resident task host: runs inside a Spark task, for as long as the Connect task lives."""

from __future__ import annotations

import signal
import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark import TaskContext

from plugwright.hosts import limit_memory
from plugwright.spark._arrival import arrive
from plugwright.spark._assembly import assemble
from plugwright.spark._driver import Driver, HostLevels, logging_to, obey
from plugwright.spark._driver_offsets import DriverOffsetStore
from plugwright.spark._report import TaskReport
from plugwright.spark._spec import TaskSpec
from plugwright.spark._vigil import Vigil
from plugwright.worker import TaskControl

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["JOB_PROPERTY", "OUTPUT_SCHEMA", "run_resident_tasks"]

JOB_PROPERTY = "plugwright.job"
"""Spark's local property that names the job, so that many jobs can share one plan."""

OUTPUT_SCHEMA = "task bigint"


def run_resident_tasks(
    batches: Iterable[pa.RecordBatch], *, address: tuple[str, int], secret: bytes
) -> Iterator[pa.RecordBatch]:
    """Run the Connect task whose number comes in, and yield the number when it is over.

    The function that Spark runs in its Python worker. User errors are told to the driver, never
    raised: exceptions would burn Spark's attempts, which are for crashed processes.
    """
    context: Any = TaskContext.get()
    job = str(context.getLocalProperty(JOB_PROPERTY))
    attempt = context.attemptNumber()
    for batch in batches:
        for index in batch.column(0).to_pylist():
            _run(address, secret, job, index, attempt)
        # The column as it came: Arrow would import pandas to make one of Python's objects.
        yield pa.RecordBatch.from_arrays([batch.column(0)], names=["task"])


def _run(address: tuple[str, int], secret: bytes, job: str, index: int, attempt: int) -> None:
    channel, enter = arrive(address, secret, job=job, index=index, attempt=attempt)
    answer = channel.receive()
    if answer["type"] == "dismissed":
        channel.close()
        return
    spec = TaskSpec.from_plain(answer["spec"])
    report = TaskReport(channel)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # what interrupts a task is a plugin's doing
    limit_memory(spec.memory_limit)
    vigil = Vigil(spec, report.failed, report.busy)
    try:
        with vigil, ExitStack() as stack:
            stack.enter_context(logging_to(channel, answer["levels"]))
            kept = DriverOffsetStore(
                spec.connector, channel.send, answer["offsets"], timeout_s=spec.flush_timeout_s
            )
            driver = Driver(TaskControl(), report, HostLevels(), vigil, kept, enter)
            threading.Thread(target=obey, args=(channel, driver), daemon=True).start()
            loop = assemble(spec, driver, stack)
            report.follow(loop.counters)
            stack.enter_context(report)
            loop.run()
    except BaseException as error:  # noqa: BLE001  # whatever it is, it is this task's outcome
        report.failed(error)
    finally:
        channel.close()
