"""Runs single tasks step by step under the worker's task loops."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar, cast

from plugwright.task import takes_columns
from plugwright_conformance.evidence.outcome import CheckFailedError, NotApplicableError
from plugwright_conformance.simulator import SteppedSink, SteppedSource, take_from_all
from plugwright_conformance.subject.contexts import SourceContext, sink_records
from plugwright_conformance.subject.names import HOME

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from plugwright.record import SinkRecord, SourceRecord, TopicPartition
    from plugwright.task import SinkTask, SourceTask
    from plugwright.worker import ErrorSettings
    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.subject.endpoint import OpenEndpoint

_Stepped = TypeVar("_Stepped", SteppedSource, SteppedSink)
_VALUES, _IDLE_POLLS = 10, 2
PATIENCE_S = 3.0
"""For which a task has nothing before nothing more is expected of it."""


def fresh_task(
    bench: Bench, config: Mapping[str, str], *, aloud: bool = False
) -> SteppedSource | SteppedSink:
    """A task of either kind that has not been started, without stored offsets.

    Args:
        bench: of the check.
        config: the connector's.
        aloud: whether the worker logs what it always does.
    """
    return under_loop(bench, *bench.task(config), aloud=aloud)


def under_loop(
    bench: Bench, task: object, props: Mapping[str, str], *, aloud: bool = False
) -> SteppedSource | SteppedSink:
    """A task of either kind, with this configuration."""
    if bench.subject.kind == "source":
        source = cast("SourceTask", task)
        return SteppedSource(source, props, SourceContext(), aloud=aloud)
    form = bench.subject.declaration.record_form
    return SteppedSink(cast("SinkTask", task), props, [HOME], form=form, aloud=aloud)


@contextmanager
def running_source(
    bench: Bench,
    config: Mapping[str, str],
    context: SourceContext,
    *,
    settled: bool = False,
    dropped: bool = False,
) -> Iterator[SteppedSource]:
    """A started source task, stopped at the end.

    Args:
        bench: of the check.
        config: the connector's.
        context: has the stored offsets, and counts how often they are read.
        settled: whether Kafka has acknowledged all records at the end.
        dropped: whether a transformation drops all records.
    """
    with bench.assignment(config) as assignment:
        task: Any
        task, props = assignment.task()
        source = SteppedSource(
            task,
            props,
            context,
            settled=settled,
            dropped=dropped,
            renewed=assignment.renewed,
        )
        with begun(source):
            yield source


@contextmanager
def running_sink(  # noqa: PLR0913  # half of them are optional
    bench: Bench,
    config: Mapping[str, str],
    partitions: Sequence[TopicPartition],
    *,
    first: int = 0,
    batch: int | None = None,
    by_column: bool = False,
    errors: ErrorSettings | None = None,
) -> Iterator[SteppedSink]:
    """A started sink task with open partitions; closed and stopped at the end.

    Args:
        bench: of the check.
        config: the connector's.
        partitions: what the task is given to read.
        first: the offset of the first record of each partition.
        batch: how many records of all partitions together a put is given at most.
        by_column: whether to call ``put_batch`` instead of ``put``.
        errors: what becomes of records that cannot be written; by default there is no reporter.

    Raises:
        NotApplicableError: if that is wanted of a task which takes records.
    """
    with bench.assignment(config) as assignment:
        task: Any
        task, props = assignment.task()
        if by_column and not takes_columns(type(task)):
            raise NotApplicableError("the task has no put_batch")
        form = bench.subject.declaration.record_form
        sink = SteppedSink(
            task,
            props,
            partitions,
            form=form,
            first=first,
            batch=batch,
            by_column=by_column,
            errors=errors,
        )
        with opened(sink):
            yield sink


@contextmanager
def opened(sink: SteppedSink) -> Iterator[SteppedSink]:
    """A sink task that is started, with its partitions open; closed and stopped at the end."""
    with begun(sink):
        sink.step()
        yield sink


@contextmanager
def begun(task: _Stepped) -> Iterator[_Stepped]:
    """A task that is started; a failure that is on its way is not replaced by one of its end."""
    try:
        task.step()
        yield task
    except BaseException:
        with suppress(Exception):
            task.end()
        raise
    else:
        task.end()


def put_all(
    bench: Bench,
    config: Mapping[str, str],
    home: TopicPartition,
    records: Iterable[SinkRecord],
    *,
    batch: int | None = None,
) -> None:
    """Put records of a partition into a new task, at most ``batch`` at once, and commit."""
    with running_sink(bench, config, [home], batch=batch) as sink:
        sink.put(records)
        sink.commit()


def poll_values(
    source: SteppedSource, count: int, *, settle: bool = True, patience_s: float = PATIENCE_S
) -> list[SourceRecord]:
    """Poll until ``count`` records are there, and once more to see whether there is a surplus.

    Args:
        source: to poll.
        count: of the records.
        settle: whether to poll once more.
        patience_s: for which a task has nothing before nothing more is expected.

    Raises:
        CheckFailedError: if they do not come.
    """
    records = source.take(count, patience_s, surplus=settle)
    if len(records) < count:
        raise CheckFailedError(
            expected=f"{count} records",
            observed=f"{len(records)} records, {count - len(records)} are missing",
            scenario="the endpoint was seeded, and the task polled until it returned nothing more",
            likely="poll() returns nothing although data exists",
        )
    return records


def drained(
    task_class: type,
    configs: Sequence[Mapping[str, str]],
    count: int,
    stored: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]] = (),
    *,
    settled: bool = False,
) -> list[list[SourceRecord]]:
    """The records of each of several running tasks, until no task returns more.

    Args:
        task_class: of the tasks.
        configs: of each of them.
        count: of the records that are to come from all together, before another look for a surplus.
        stored: source partitions and the offsets that are stored for them.
        settled: whether Kafka has acknowledged all records at the end.
    """
    with ExitStack() as stack:
        tasks = [
            SteppedSource(task_class(), props, SourceContext(stored), settled=settled)
            for props in configs
        ]
        running = [stack.enter_context(begun(task)) for task in tasks]
        return take_from_all(running, count, PATIENCE_S)


def one_life(bench: Bench, endpoint: OpenEndpoint, count: int = _VALUES) -> int:
    """A life of connector and task, with some data, and idle polls; how many values it moved."""
    values, config = bench.ledger().enter(count), bench.config(endpoint)
    if bench.subject.kind == "source":
        endpoint.driver.seed(values)
        with running_source(bench, config, SourceContext(), settled=True) as source:
            poll_values(source, len(values))
            for _ in range(_IDLE_POLLS):
                poll_values(source, 0)
    else:
        put_all(bench, config, HOME, sink_records(values, HOME))
    return len(values)


def config_with_work(bench: Bench, endpoint: OpenEndpoint) -> dict[str, str]:
    """The configuration of a connector that has a task, for which its endpoint may need a value."""
    config = bench.config(endpoint)
    if bench.subject.kind == "source" and not has_work(bench, config):
        endpoint.driver.seed(seeds(bench, 3))
    return config


def has_work(bench: Bench, config: Mapping[str, str]) -> bool:
    """Whether the connector has a task with what its endpoint has now."""
    with bench.started_connector(config) as connector:
        return bool(connector.task_configs(1))


def work_of(bench: Bench, values: Sequence[str]) -> dict[str, Any]:
    """What another process puts into a sink: values, and what its records have besides."""
    declaration = bench.subject.declaration
    fields = declaration.capabilities["fields"] if declaration.text_rows else None
    return {"values": values, "keyed": declaration.needs_keys, "fields": fields}


def seeds(bench: Bench, count: int) -> Sequence[Any]:
    """Values that an endpoint can hold: rows, where it has them."""
    texts, rows = bench.ledger().enter(count), bench.subject.declaration.rows
    return [rows.carrying(text) for text in texts] if rows else texts
