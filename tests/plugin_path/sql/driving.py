"""Tasks of the SQL connectors driven by hand."""

from __future__ import annotations

from concurrent.futures import Future
from contextlib import contextmanager

from plugwright import SinkRecord, Struct
from plugwright_conformance.subject.contexts import SinkContext, SourceContext
from plugwright_sql import SqlSinkTask, SqlSourceConnector, SqlSourceTask

__all__ = ["Reporter", "copied", "record", "rows_of", "sink", "source"]


class Reporter:
    """Takes errant records, and says at once that they are safe."""

    def __init__(self):
        self.reported = []

    def report(self, record, error):
        """Remember both."""
        self.reported.append((record, error))
        done = Future()
        done.set_result(None)
        return done


@contextmanager
def sink(url, *, reporter=None, partitions=(), **settings):
    """A started sink task; its context remembers."""
    task, context = SqlSinkTask(), SinkContext()
    if reporter is not None:
        context.errant_record_reporter = lambda: reporter
    task.initialize(context)
    props = {"name": "c", "connection.url": url, "connection.attempts": "1"}
    task.start({**props, **{key.replace("_", "."): value for key, value in settings.items()}})
    try:
        task.open(partitions)
        yield task
    finally:
        task.stop()


def record(value, offset=0, *, topic="t", partition=0, key=None):
    """A record whose schemas are those of its struct."""
    schema = value.schema if isinstance(value, Struct) else None
    key_schema = key.schema if isinstance(key, Struct) else None
    return SinkRecord(topic, partition, key_schema, key, schema, value, offset)


@contextmanager
def source(url, *, stored=(), tasks=1, number=0, **settings):
    """A started source task, with the configuration that its connector gives it."""
    connector, task = SqlSourceConnector(), SqlSourceTask()
    props = {"connection.url": url, "topic.prefix": "p-", "poll.interval.ms": "1"}
    props |= {key.replace("_", "."): value for key, value in settings.items()}
    connector.start(props)
    try:
        task.initialize(SourceContext(stored))
        task.start(connector.task_configs(tasks)[number])
        try:
            yield task
        finally:
            task.stop()
    finally:
        connector.stop()


def copied(task, polls=6):
    """The records of so many polls."""
    return [each for _ in range(polls) for each in task.poll() or ()]


def rows_of(records):
    """The values of records as plain dictionaries, null where nothing was put."""
    return [
        {name: each.value.get_without_default(name) for name in each.value.keys()}  # noqa: SIM118
        for each in records
    ]
