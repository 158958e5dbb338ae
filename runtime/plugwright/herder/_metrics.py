"""The worker's metrics under Kafka Connect's names (`ConnectMetricsRegistry`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugwright.herder._metric_names import (
    CONNECTOR,
    ERRORS,
    METRICS,
    OWN,
    REBALANCE,
    SINK_TASK,
    SOURCE_TASK,
    TASK,
    WORKER,
)
from plugwright.rest import MetricValue

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from plugwright.herder._parts import HerderParts
    from plugwright.herder._startups import Startups

__all__ = ["worker_metrics"]

_STATES = ("running", "paused", "failed", "unassigned", "restarting", "destroyed")
_ALIKE: Final = {
    "batches": (OWN, "batch-total"),
    "commits": (OWN, "offset-commit-total"),
    "retries": (OWN, "put-retry-total"),
    "batch-size-avg": (TASK, "batch-size-avg"),
    "batch-size-max": (TASK, "batch-size-max"),
    "commit-ms-avg": (TASK, "offset-commit-avg-time-ms"),
    "commit-ms-max": (TASK, "offset-commit-max-time-ms"),
    "running-ratio": (TASK, "running-ratio"),
    "pause-ratio": (TASK, "pause-ratio"),
}
"""What a task counts, by Kafka's groups and names, or by our own where Kafka has none."""

_BY_KIND: Final = {
    "source": {
        "records": (SOURCE_TASK, "source-record-write-total"),
        "records-rate": (SOURCE_TASK, "source-record-write-rate"),
        "polled": (SOURCE_TASK, "source-record-poll-total"),
        "polled-rate": (SOURCE_TASK, "source-record-poll-rate"),
        "batch-ms-avg": (SOURCE_TASK, "poll-batch-avg-time-ms"),
        "batch-ms-max": (SOURCE_TASK, "poll-batch-max-time-ms"),
    },
    "sink": {
        "records": (SINK_TASK, "sink-record-send-total"),
        "records-rate": (SINK_TASK, "sink-record-send-rate"),
        "polled": (SINK_TASK, "sink-record-read-total"),
        "polled-rate": (SINK_TASK, "sink-record-read-rate"),
        "batch-ms-avg": (SINK_TASK, "put-batch-avg-time-ms"),
        "batch-ms-max": (SINK_TASK, "put-batch-max-time-ms"),
        "commits": (SINK_TASK, "offset-commit-completion-total"),
        "commits-rate": (SINK_TASK, "offset-commit-completion-rate"),
        "partitions": (SINK_TASK, "partition-count"),
    },
}
"""The same of one kind of connectors."""


def worker_metrics(
    parts: HerderParts,
    counters: Mapping[str, Mapping[int, Mapping[str, float]]],
    startups: Startups,
) -> Iterator[MetricValue]:
    """Every figure of a worker.

    Args:
        parts: what its herder works with.
        counters: what the tasks of its connectors have counted.
        startups: how connectors and tasks have started.
    """
    tasks = sum(len(each) for each in counters.values())
    yield MetricValue(WORKER, "connector-count", {}, len(counters))
    yield MetricValue(WORKER, "task-count", {}, tasks)
    for kind in ("connector", "task"):
        yield from _of_startups(startups, kind)
    for name, value in parts.ownership.figures().items():
        yield MetricValue(REBALANCE, name, {}, value)
    configs = parts.configs.snapshot().configs
    for connector, counted in counters.items():
        config = configs.get(connector, {})
        kind = parts.worker.connector_type(config)
        yield from _of_connector(parts, connector, kind, config)
        states = parts.statuses.tasks(connector)
        for number, figures in counted.items():
            tags = {"connector": connector, "task": str(number)}
            if number in states:
                yield MetricValue(TASK, "status", tags, states[number].state.lower())
            yield from _of_task(kind, figures, tags)


def _of_startups(startups: Startups, kind: str) -> Iterator[MetricValue]:
    counts = startups.counts(kind)
    yield MetricValue(WORKER, f"{kind}-startup-attempts-total", {}, counts.attempts)
    ended = counts.successes + counts.failures
    for outcome, count in (("success", counts.successes), ("failure", counts.failures)):
        yield MetricValue(WORKER, f"{kind}-startup-{outcome}-total", {}, count)
        part = count / ended if ended else 0.0
        yield MetricValue(WORKER, f"{kind}-startup-{outcome}-percentage", {}, part)


def _of_connector(
    parts: HerderParts, connector: str, kind: str, config: Mapping[str, str]
) -> Iterator[MetricValue]:
    tags = {"connector": connector}
    status = parts.statuses.connector(connector)
    texts = {
        "status": status.state.lower() if status else "",
        "connector-type": kind,
        "connector-class": config.get("connector.class", ""),
        "connector-version": status.version if status else "",
    }
    for name, text in texts.items():
        if text:
            yield MetricValue(CONNECTOR, name, tags, text)
    states = [task.state.lower() for task in parts.statuses.tasks(connector).values()]
    yield MetricValue(WORKER, "connector-total-task-count", tags, len(states))
    for state in _STATES:
        yield MetricValue(WORKER, f"connector-{state}-task-count", tags, states.count(state))


def _of_task(
    kind: str, figures: Mapping[str, float], tags: dict[str, str]
) -> Iterator[MetricValue]:
    for name, value in figures.items():
        for names in (_ALIKE, _BY_KIND.get(kind, {})):
            if name in names:
                yield MetricValue(*names[name], tags, value)
        if (ERRORS, name) in METRICS:
            yield MetricValue(ERRORS, name, tags, value)
    done, failed = figures.get("commits", 0), figures.get("commit_failures", 0)
    if done + failed:
        ended = done + failed
        yield MetricValue(TASK, "offset-commit-success-percentage", tags, done / ended)
        yield MetricValue(TASK, "offset-commit-failure-percentage", tags, failed / ended)
