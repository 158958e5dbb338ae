"""The worker's metrics under Kafka Connect's names (`ConnectMetricsRegistry`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugwright.control_plane import MetricValue
from plugwright.herder._worker_interface import TASK_CLASS
from plugwright.herder.metric_names import (
    CONNECTOR,
    ERRORS,
    METRICS,
    OWN,
    PLUGINS,
    PREDICATE,
    REBALANCE,
    SINK_TASK,
    SOURCE_TASK,
    TASK,
    TRANSFORM,
    WORKER,
)
from plugwright.metrics import figures_of_plugins

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plugwright.herder._parts import HerderParts
    from plugwright.herder.plugin_uses import PluginUse
    from plugwright.herder.startups import Startups

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
"""A task's counters under Kafka's groups and names, or our own where Kafka has none."""

_BY_KIND: Final = {
    "source": {
        "records": (SOURCE_TASK, "source-record-write-total"),
        "records-rate": (SOURCE_TASK, "source-record-write-rate"),
        "polled": (SOURCE_TASK, "source-record-poll-total"),
        "polled-rate": (SOURCE_TASK, "source-record-poll-rate"),
        "batch-ms-avg": (SOURCE_TASK, "poll-batch-avg-time-ms"),
        "batch-ms-max": (SOURCE_TASK, "poll-batch-max-time-ms"),
        "active": (SOURCE_TASK, "source-record-active-count"),
        "active-max": (SOURCE_TASK, "source-record-active-count-max"),
        "active-avg": (SOURCE_TASK, "source-record-active-count-avg"),
        "transaction-size-min": (SOURCE_TASK, "transaction-size-min"),
        "transaction-size-max": (SOURCE_TASK, "transaction-size-max"),
        "transaction-size-avg": (SOURCE_TASK, "transaction-size-avg"),
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
        "active": (SINK_TASK, "sink-record-active-count"),
        "active-max": (SINK_TASK, "sink-record-active-count-max"),
        "active-avg": (SINK_TASK, "sink-record-active-count-avg"),
        "lag-max": (SINK_TASK, "sink-record-lag-max"),
        "commit-number": (SINK_TASK, "offset-commit-seq-no"),
        "commit_skips": (SINK_TASK, "offset-commit-skip-total"),
        "commit_skips-rate": (SINK_TASK, "offset-commit-skip-rate"),
    },
}
"""The counters specific to source or to sink tasks."""


_AT_REST: Final = {"active": 0, "partitions": 0}
"""Figures about Kafka that no longer apply once a task has ended."""


def worker_metrics(
    parts: HerderParts,
    counters: Mapping[str, Mapping[int, Mapping[str, float]]],
    startups: Startups,
) -> Iterator[MetricValue]:
    """Every metric of a worker.

    Args:
        parts: the components of its herder.
        counters: the counters of its connectors' tasks.
        startups: the start counts of its connectors and tasks.
    """
    tasks = sum(len(each) for each in counters.values())
    led = [name for name in counters if parts.ownership.owns(name)]
    yield MetricValue(WORKER, "connector-count", {}, len(led))
    yield MetricValue(WORKER, "task-count", {}, tasks)
    for kind in ("connector", "task"):
        yield from _of_startups(startups, kind)
    yield from _of_group(parts.ownership.figures())
    yield from _reported_by_plugins(parts.worker.plugin_figures())
    known = parts.configs.snapshot()
    for connector, counted in counters.items():
        config = known.configs.get(connector, {})
        kind = parts.worker.connector_type(config)
        about = _about_connector(parts, connector, kind, config)
        if connector in led:
            yield from _of_connector(parts, connector, about)
            yield from _reported_by_plugins(parts.worker.plugin_figures(connector))
        states = parts.statuses.tasks(connector)
        yield from _of_states(connector, [states[n].state for n in counted if n in states])
        uses = list(parts.worker.plugin_uses(config)) if counted else []
        classes = known.task_configs.get(connector, {})
        for number, figures in counted.items():
            tags = {"connector": connector, "task": str(number)}
            if number in states:
                yield MetricValue(TASK, "status", tags, states[number].state.lower())
            task_class = classes.get(number, {}).get(TASK_CLASS, "")
            yield from _texts(TASK, {**about, "task-class": task_class}, tags)
            yield from _of_plugins(uses, tags)
            yield from _of_task(kind, figures, tags)
            yield from _reported_by_plugins(figures)


def _of_group(figures: Mapping[str, float]) -> Iterator[MetricValue]:
    """The metrics of a group member; workers share a consumer group, so none is the leader."""
    for name, value in figures.items():
        yield MetricValue(REBALANCE, name, {}, value)
    if figures:
        yield MetricValue(REBALANCE, "leader-name", {}, "n/a")
        yield MetricValue(REBALANCE, "connect-protocol", {}, "consumer")


def _of_startups(startups: Startups, kind: str) -> Iterator[MetricValue]:
    counts = startups.counts(kind)
    yield MetricValue(WORKER, f"{kind}-startup-attempts-total", {}, counts.attempts)
    ended = counts.successes + counts.failures
    for outcome, count in (("success", counts.successes), ("failure", counts.failures)):
        yield MetricValue(WORKER, f"{kind}-startup-{outcome}-total", {}, count)
        part = count / ended if ended else 0.0
        yield MetricValue(WORKER, f"{kind}-startup-{outcome}-percentage", {}, part)


def _about_connector(
    parts: HerderParts, connector: str, kind: str, config: Mapping[str, str]
) -> dict[str, str]:
    """The metrics that connector and tasks share, and the version that tasks report."""
    status = parts.statuses.connector(connector)
    version = status.version if status else ""
    return {
        "connector-type": kind,
        "connector-class": parts.worker.connector_class(config),
        "connector-version": version or "",
        "task-version": version or "",
    }


def _texts(group: str, texts: Mapping[str, str], tags: dict[str, str]) -> Iterator[MetricValue]:
    """Text-valued metrics, limited to those that the group defines and that have a value."""
    for name, text in texts.items():
        if text and (group, name) in METRICS:
            yield MetricValue(group, name, tags, text)


def _of_plugins(uses: Sequence[PluginUse], tags: dict[str, str]) -> Iterator[MetricValue]:
    groups = {"transform": TRANSFORM, "predicate": PREDICATE}
    for use in uses:
        more = {use.role: use.alias} if use.alias else {}
        texts = {f"{use.role}-class": use.class_name, f"{use.role}-version": use.version}
        yield from _texts(groups.get(use.role, TASK), texts, {**tags, **more})


def _reported_by_plugins(figures: Mapping[str, float]) -> Iterator[MetricValue]:
    for each in figures_of_plugins(figures):
        yield MetricValue(PLUGINS, each.name, dict(each.tags), each.value, each.description)


def _of_connector(
    parts: HerderParts, connector: str, about: Mapping[str, str]
) -> Iterator[MetricValue]:
    tags = {"connector": connector}
    status = parts.statuses.connector(connector)
    yield from _texts(CONNECTOR, {"status": status.state.lower() if status else ""}, tags)
    yield from _texts(CONNECTOR, about, tags)


def _of_states(connector: str, found: Sequence[str]) -> Iterator[MetricValue]:
    """The number of a connector's tasks in each state on this worker."""
    tags, states = {"connector": connector}, [state.lower() for state in found]
    yield MetricValue(WORKER, "connector-total-task-count", tags, len(states))
    for state in _STATES:
        yield MetricValue(WORKER, f"connector-{state}-task-count", tags, states.count(state))


def _of_task(
    kind: str, figures: Mapping[str, float], tags: dict[str, str]
) -> Iterator[MetricValue]:
    for name, value in {**_AT_REST, **figures}.items():
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
