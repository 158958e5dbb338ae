"""Driving a task by hand: the calls of the worker, one at a time."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from plugwright.task import SinkTask
from plugwright_conformance.evidence.outcome import CheckFailedError
from plugwright_conformance.subject.contexts import SinkContext, SourceContext, stopped_at_end

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plugwright.record import SourceRecord, TopicPartition
    from plugwright.task import SourceTask, Task
    from plugwright_conformance.catalogue.bench import Bench

__all__ = ["poll_values", "running_sink", "running_source", "started_task"]


@contextmanager
def started_task(bench: Bench, config: Mapping[str, str]) -> Iterator[Task]:
    """A started task of either kind, without stored offsets or partitions; stopped at the end."""
    task, props = bench.task(config)
    task.initialize(SinkContext(props) if isinstance(task, SinkTask) else SourceContext())  # type: ignore[attr-defined]  # every task has it
    with stopped_at_end(task):
        task.start(props)
        yield task


@contextmanager
def running_source(
    bench: Bench, config: Mapping[str, str], context: SourceContext
) -> Iterator[SourceTask]:
    """A started source task, stopped at the end."""
    task: SourceTask
    task, props = bench.task(config)  # type: ignore[assignment]  # checks of sources only
    context.configs = props
    task.initialize(context)
    with stopped_at_end(task):
        task.start(props)
        yield task


def poll_values(
    task: SourceTask, count: int, *, budget_s: float = 10.0, settle: bool = True
) -> list[SourceRecord]:
    """Poll until ``count`` records are there, and once more to see whether there is a surplus.

    Raises:
        CheckFailedError: if they do not come in time.
    """
    records: list[SourceRecord] = []
    deadline = time.monotonic() + budget_s
    while len(records) < count:
        records += task.poll() or ()
        if time.monotonic() > deadline:
            raise CheckFailedError(
                expected=f"{count} records within {budget_s:g} s",
                observed=f"{len(records)} records",
                scenario="the endpoint was seeded before the task was polled",
                likely="poll() returns nothing although there is data",
            )
    if settle:
        records += task.poll() or ()
    return records


@contextmanager
def running_sink(
    bench: Bench, config: Mapping[str, str], partitions: Sequence[TopicPartition]
) -> Iterator[SinkTask]:
    """A started sink task with open partitions; closed and stopped at the end."""
    task: SinkTask
    task, props = bench.task(config)  # type: ignore[assignment]  # checks of sinks only
    task.initialize(SinkContext(props, set(partitions)))
    with stopped_at_end(task):
        task.start(props)
        task.open(list(partitions))
        yield task
        task.close(list(partitions))
