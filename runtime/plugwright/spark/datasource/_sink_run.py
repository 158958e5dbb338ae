"""One sink task within a query: the worker's loop over a Spark partition's rows."""

from __future__ import annotations

import logging
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright.spark.datasource._around import Around
from plugwright.spark.datasource._codec import RowMessage
from plugwright.task import IdempotentSinkTask
from plugwright.worker import (
    BatchConsumer,
    BatchTerms,
    SinkSettings,
    SinkTaskLoop,
    TaskControl,
    WholeBatchTask,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from plugwright.record import SinkRecord, TopicPartition
    from plugwright.spark.datasource._plan import ConnectorPlan
    from plugwright.task import BatchIdentity

_NEVER = float("inf")  # the rows are there all the time; a commit is for the end, or for the asking

log = logging.getLogger(__name__)


def run_sink(  # noqa: PLR0913  # what a run is made of
    plan: ConnectorPlan,
    identity: BatchIdentity,
    chunks: Iterator[Sequence[SinkRecord]],
    *,
    starts: Mapping[TopicPartition, int] | None = None,
    control: TaskControl | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> bool:
    """Give the records of one batch to a task of its own.

    Args:
        plan: of its connector.
        identity: of the batch.
        chunks: the records.
        starts: where the batch begins in each partition, as far as that is known.
        control: what the loop waits with.
        clock: seconds that only go forward.

    Returns:
        Whether the task was given records, all of which are durable; it was not if an idempotent
        task has had the batch before.

    Raises:
        ConnectError: if the task or a transformation fails before that; ``rows.sink-unavailable``
            if the task goes on asking for a retry; ``rows.not-durable`` if it does not say in time
            that all is durable; ``rows.no-rewind`` if it asks for records outside of the batch.
    """
    with ExitStack() as stack:
        number = identity.partition % len(plan.configs)
        around = Around(plan, number, stack, control or TaskControl())
        messages = ([RowMessage(record) for record in chunk] for chunk in chunks)
        terms = _terms(plan)
        consumer = BatchConsumer(messages, around.control, starts=starts, terms=terms, clock=clock)
        task, name = around.task, plan.task_class.class_name
        if isinstance(task, IdempotentSinkTask):
            task = WholeBatchTask(task, identity, consumer, around.identity)
        loop = SinkTaskLoop(
            task,
            topics=(),
            consumer=consumer,
            settings=SinkSettings(_NEVER, errors=plan.options.errors),
            clock=clock,
            task_class=name,
            **around.seams,
        )
        consumer.request_commit = loop.request_commit
        consumer.trouble = lambda: loop.trouble
        loop.run()
    if not consumer.complete:
        raise around.error or ConnectError(f"{name} was stopped", code="rows.stopped")
    if around.error is not None:
        log.warning("%s: ignored after a complete batch: %s", around.identity, around.error)
    return loop.counters.polled > 0


def _terms(plan: ConnectorPlan) -> BatchTerms:
    return BatchTerms(
        durable_s=plan.options.put_s,
        held_s=plan.options.put_s,
        task=f"{plan.task_class.class_name} {plan.version}",
        not_durable="rows.not-durable",
        rewind="rows.no-rewind",
        held_up="rows.sink-unavailable",
        mending="mend what it writes to, or raise rows.put.timeout.ms",
        elsewhere="run the plugin on a worker, where Kafka has the records",
    )
