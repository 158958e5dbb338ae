"""Runs one sink task in a query: the worker's loop over the rows of a Spark partition."""

from __future__ import annotations

import logging
import time
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright.spark.datasource._codec import RowMessage
from plugwright.spark.datasource._query_task import QueryTask
from plugwright.task import IdempotentSinkTask
from plugwright.worker import (
    BatchConsumer,
    BatchTerms,
    SinkClients,
    SinkSettings,
    SinkTaskLoop,
    TaskControl,
    WholeBatchTask,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from plugwright.record import SinkRecord, TopicPartition
    from plugwright.spark.datasource.plan import ConnectorPlan
    from plugwright.task import BatchIdentity

_NEVER = float("inf")  # commits happen only at the end, or on request

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TaskBatch:
    """The records for one sink task.

    Attributes:
        identity: of the batch.
        chunks: the records.
        starts: first offset of the batch in each partition, if known.
    """

    identity: BatchIdentity
    chunks: Iterator[Sequence[SinkRecord]]
    starts: Mapping[TopicPartition, int] | None = None

    def messages(self) -> Iterator[Sequence[RowMessage]]:
        """The records as messages of a consumer."""
        return ([RowMessage(record) for record in chunk] for chunk in self.chunks)


def run_sink(
    plan: ConnectorPlan,
    batch: TaskBatch,
    *,
    control: TaskControl | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> bool:
    """Pass the records of one batch to a new task.

    Args:
        plan: of the connector.
        batch: the records.
        control: the loop's control.
        clock: monotonic seconds.

    Returns:
        Whether the task received records, all of which are durable; false if an idempotent
        task has processed the batch before.

    Raises:
        ConnectError: if the task or a transformation fails before that; ``rows.sink-unavailable``
            if the task keeps asking for retries; ``rows.not-durable`` if it does not report all
            records durable in time; ``rows.no-rewind`` if it seeks outside of the batch.
    """
    with ExitStack() as stack:
        number = batch.identity.partition % len(plan.configs)
        query_task = QueryTask(plan, number, stack, control or TaskControl(), clock)
        consumer = BatchConsumer(
            batch.messages(),
            query_task.control,
            starts=batch.starts,
            terms=_terms(plan),
            clock=clock,
        )
        loop = _loop(query_task, batch.identity, consumer)
        loop.run()
    if not consumer.complete:
        name = plan.task_class.class_name
        raise query_task.error or ConnectError(f"{name} was stopped", code="rows.stopped")
    if query_task.error is not None:
        log.warning("%s: ignored after a complete batch: %s", query_task.identity, query_task.error)
    return loop.counters.polled > 0


def _loop(query_task: QueryTask, batch: BatchIdentity, consumer: BatchConsumer) -> SinkTaskLoop:
    """The loop over a batch, which commits when the consumer requests it."""
    plan, task = query_task.plan, query_task.task
    if isinstance(task, IdempotentSinkTask):
        task = WholeBatchTask(task, batch, consumer, query_task.identity)
    loop = SinkTaskLoop(
        task,
        query_task.environment,
        SinkClients(consumer),
        settings=SinkSettings(_NEVER, errors=plan.options.errors),
        task_class=plan.task_class.class_name,
    )
    consumer.request_commit = loop.request_commit
    consumer.trouble = lambda: loop.trouble
    return loop


def _terms(plan: ConnectorPlan) -> BatchTerms:
    return BatchTerms(
        durable_s=plan.options.put_s,
        held_s=plan.options.put_s,
        task=f"{plan.task_class.class_name} {plan.version}",
        not_durable="rows.not-durable",
        rewind="rows.no-rewind",
        held_up="rows.sink-unavailable",
        mending="fix the system that it writes to, or raise rows.put.timeout.ms",
        elsewhere="run the plugin on a worker, which can read the records from Kafka again",
    )
