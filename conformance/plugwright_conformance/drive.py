"""Driving a task by hand: the calls of the worker, one at a time, with contexts that remember."""

from __future__ import annotations

import json
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from plugwright.record import SinkRecord, TimestampType, TopicPartition
from plugwright.schema import OPTIONAL_STRING_SCHEMA
from plugwright.task import SinkTask
from plugwright_conformance.outcome import CheckFailedError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from plugwright.connector import Connector
    from plugwright.record import SourceRecord
    from plugwright.task import SourceTask, Task
    from plugwright_conformance.bench import Bench

__all__ = [
    "ConnectorContext",
    "SinkContext",
    "SourceContext",
    "poll_values",
    "running_sink",
    "running_source",
    "sink_records",
    "started_task",
    "stopped_at_end",
]


class SourceContext:
    """A source task's context over a fixed set of stored offsets; counts the questions.

    Args:
        stored: source partition and offset pairs, as the runtime would have them.
    """

    def __init__(self, stored: Iterable[tuple[Mapping[str, Any], Mapping[str, Any]]] = ()) -> None:
        self._stored = {_canonical(partition): offset for partition, offset in stored}
        self.configs: Mapping[str, str] = {}
        self.transaction_context = None
        self.lookups: list[Mapping[str, Any]] = []

    @property
    def offset_storage_reader(self) -> SourceContext:
        """Itself."""
        return self

    def offset(self, partition: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The stored offset, or ``None``; notes the question."""
        self.lookups.append(dict(partition))
        return self._stored.get(_canonical(partition))

    def offsets(
        self, partitions: Iterable[Mapping[str, Any]]
    ) -> Sequence[tuple[Mapping[str, Any], Mapping[str, Any] | None]]:
        """The stored offsets, in the order asked."""
        return [(partition, self.offset(partition)) for partition in partitions]


def _canonical(partition: Mapping[str, Any]) -> str:
    return json.dumps(partition, sort_keys=True, default=repr)


class ConnectorContext:
    """A connector's context: no stored offsets, and wishes that only are remembered."""

    def __init__(self) -> None:
        self.offset_storage_reader = SourceContext()
        self.reconfigurations = 0
        self.errors: list[Exception] = []

    def request_task_reconfiguration(self) -> None:
        """Count the request."""
        self.reconfigurations += 1

    def raise_error(self, error: Exception) -> None:
        """Remember the failure."""
        self.errors.append(error)


@contextmanager
def stopped_at_end(started: Connector | Task) -> Iterator[None]:
    """Stop something at the end; a failure that is on its way is not replaced by one of stop()."""
    try:
        yield
    except BaseException:
        with suppress(Exception):
            started.stop()
        raise
    else:
        started.stop()


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


@dataclass
class SinkContext:
    """A sink task's context that only remembers; there is no error reporter (KIP-610)."""

    configs: Mapping[str, str] = field(default_factory=dict)
    assigned: set[TopicPartition] = field(default_factory=set)
    rewinds: dict[TopicPartition, int] = field(default_factory=dict)
    timeouts: list[int] = field(default_factory=list)
    commit_requests: int = 0

    def offset(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Remember a rewind."""
        self.rewinds.update(offsets)

    def timeout(self, timeout_ms: int) -> None:
        """Remember a wait."""
        self.timeouts.append(timeout_ms)

    def assignment(self) -> Collection[TopicPartition]:
        """The partitions given so far."""
        return set(self.assigned)

    def pause(self, *partitions: TopicPartition) -> None:
        """Nothing is fetched here anyway."""

    def resume(self, *partitions: TopicPartition) -> None:
        """Nothing is fetched here anyway."""

    def request_commit(self) -> None:
        """Count the hint."""
        self.commit_requests += 1

    def errant_record_reporter(self) -> None:
        """No dead-letter queue is configured."""


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


def sink_records(
    values: Iterable[Any], home: TopicPartition, *, first_offset: int = 0
) -> list[SinkRecord]:
    """Consumed string records of one partition, with consecutive offsets."""
    return [
        SinkRecord(
            home.topic,
            home.partition,
            OPTIONAL_STRING_SCHEMA,
            None,
            OPTIONAL_STRING_SCHEMA,
            value,
            offset,
            1_700_000_000_000 + offset,
            TimestampType.CREATE_TIME,
        )
        for offset, value in enumerate(values, start=first_offset)
    ]
