"""Runs a Connect task for one batch of a stream, inside the Spark task that has its records."""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark import TaskContext

from plugwright.errors import ConnectError
from plugwright.kafka import task_of
from plugwright.record import TopicPartition
from plugwright.spark._driver_connection import connect_to_driver
from plugwright.spark.assembly import assemble_sink
from plugwright.spark.kafka_source import messages_of
from plugwright.spark.messages import Assignment
from plugwright.spark.task_commands import host_task
from plugwright.spark.task_process import OwnProcess
from plugwright.task import BatchIdentity
from plugwright.worker import BatchConsumer, BatchTerms, TaskControl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from contextlib import ExitStack

    from plugwright.spark._spec import TaskSpec
    from plugwright.spark.channel import Channel
    from plugwright.spark.task_commands import TaskCommands
    from plugwright.worker import KafkaMessage, SinkTaskLoop

STREAM_OUTPUT = "task int, complete boolean"
_OUTPUT = pa.schema([pa.field("task", pa.int32()), pa.field("complete", pa.bool_())])

_QUERY_ID = "sql.streaming.queryId"
_BATCH_ID = "streaming.sql.batchId"
"""Spark's own local properties of a micro-batch; a replayed batch has the same values."""


def run_stream_task(
    batches: Iterable[pa.RecordBatch],
    *,
    address: tuple[str, int],
    certificate: str,
    job: str,
    tasks: int,
) -> Iterator[pa.RecordBatch]:
    """Run the Connect task for the partitions that arrive; yield whether all is durable.

    The function that Spark runs in its Python worker. Errors are reported to the driver, never
    raised: exceptions would consume Spark's attempts, which are reserved for crashed processes.
    """
    chunks = (messages_of(batch) for batch in batches if batch.num_rows)
    first = next(chunks, None)
    if first is None:
        return
    number = task_of(first[0].topic(), first[0].partition(), tasks)
    channel, enter = connect_to_driver(
        address, certificate, TaskContext.get(), job=job, index=number
    )
    given, complete = channel.receive(), False
    if isinstance(given, Assignment):
        identify = partial(_identity, number, tasks)
        complete = _run(channel, enter, given, chain([first], chunks), identify)
    channel.close()
    columns = [pa.array([number], pa.int32()), pa.array([complete], pa.bool_())]
    yield pa.RecordBatch.from_arrays(columns, schema=_OUTPUT)


def _identity(task: int, tasks: int) -> BatchIdentity:
    """The identity of this batch: the query, the batch, and the task.

    With another number of tasks each gets other records, and the query has another name.

    Raises:
        ConnectError: ``stream.no-identity`` if Spark does not provide it.
    """
    context: Any = TaskContext.get()
    query, batch = context.getLocalProperty(_QUERY_ID), context.getLocalProperty(_BATCH_ID)
    if not query or batch is None:
        raise ConnectError(
            f"Spark does not identify this micro-batch: {_QUERY_ID} is {query!r}, {_BATCH_ID} "
            f"is {batch!r}",
            code="stream.no-identity",
            hint="set spark.engine=resident, or use a supported version of Spark",
        )
    return BatchIdentity(f"{query}-{tasks}", int(batch), task)


def _run(
    channel: Channel,
    enter: Any,
    given: Assignment,
    chunks: Iterator[Sequence[KafkaMessage]],
    identify: Callable[[], BatchIdentity],
) -> bool:
    control = TaskControl()
    starts = {TopicPartition(topic, number): at for topic, number, at in given.starts}
    terms = BatchTerms(given.patience)
    consumer = BatchConsumer(chunks, control, starts=starts, terms=terms)

    def assemble(spec: TaskSpec, commands: TaskCommands, stack: ExitStack) -> SinkTaskLoop:
        loop = assemble_sink(spec, commands, stack, consumer, identify)
        consumer.request_commit, consumer.trouble = loop.request_commit, lambda: loop.trouble
        return loop

    state = host_task(channel, OwnProcess(enter), given, control, assemble)
    return state == "STOPPED" and consumer.complete
