"""The worker's metrics under Kafka Connect's names (`ConnectMetricsRegistry`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from plugwright.herder._parts import HerderParts

__all__ = ["Metric", "prometheus_text", "worker_metrics"]

_STATES = ("running", "paused", "failed", "unassigned", "restarting", "destroyed")
_RECORDS = {
    "source": ("source-task-metrics", "source-record-write-total"),
    "sink": ("sink-task-metrics", "sink-record-send-total"),
}
_OWN = {"batches": "batch-total", "commits": "offset-commit-total", "retries": "put-retry-total"}
_OWN_GROUP = "plugwright-task-metrics"
"""Figures that Kafka Connect has no name for."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One figure.

    Attributes:
        group: Kafka's group of metrics, such as ``source-task-metrics``.
        name: Kafka's name within the group.
        labels: what it is about: connector, task.
    """

    group: str
    name: str
    value: float
    labels: Mapping[str, str]


def worker_metrics(
    parts: HerderParts, counters: Mapping[str, Mapping[int, Mapping[str, float]]]
) -> Iterator[Metric]:
    """Every figure of a worker.

    Args:
        parts: what its herder works with.
        counters: what the tasks of its connectors have counted, by Kafka's names.
    """
    tasks = sum(len(each) for each in counters.values())
    yield Metric("connect-worker-metrics", "connector-count", len(counters), {})
    yield Metric("connect-worker-metrics", "task-count", tasks, {})
    configs = parts.configs.snapshot().configs
    for connector, counted in counters.items():
        kind = parts.worker.connector_type(configs.get(connector, {}))
        yield from _of_connector(parts, connector)
        for number, figures in counted.items():
            labels = {"connector": connector, "task": str(number)}
            yield from _of_task(kind, figures, labels)


def prometheus_text(metrics: Iterable[Metric]) -> str:
    """The figures in Prometheus' text format, named as its JMX exporter names Kafka's."""
    from prometheus_client import CollectorRegistry, Gauge, generate_latest  # noqa: PLC0415  # extra

    registry = CollectorRegistry()
    families: dict[str, Gauge] = {}
    for metric in metrics:
        name = f"kafka_connect_{metric.group}_{metric.name}".replace("-", "_")
        if name not in families:
            text = f"{metric.group} {metric.name}"
            families[name] = Gauge(name, text, list(metric.labels), registry=registry)
        family = families[name]
        (family.labels(**metric.labels) if metric.labels else family).set(metric.value)
    return generate_latest(registry).decode()


def _of_task(
    kind: str, figures: Mapping[str, float], labels: Mapping[str, str]
) -> Iterator[Metric]:
    for name, value in figures.items():
        if name in _OWN:
            yield Metric(_OWN_GROUP, _OWN[name], value, labels)
        elif name == "records" and kind in _RECORDS:
            yield Metric(*_RECORDS[kind], value, labels)
        elif "-" in name:  # a name of Kafka's own
            yield Metric("task-error-metrics", name, value, labels)
    done, failed = figures.get("commits", 0), figures.get("commit_failures", 0)
    if done + failed:
        group = "connector-task-metrics"
        yield Metric(group, "offset-commit-success-percentage", done / (done + failed), labels)
        yield Metric(group, "offset-commit-failure-percentage", failed / (done + failed), labels)


def _of_connector(parts: HerderParts, connector: str) -> Iterator[Metric]:
    states = [status.state.lower() for status in parts.statuses.tasks(connector).values()]
    labels = {"connector": connector}
    group = "connect-worker-metrics"
    yield Metric(group, "connector-total-task-count", len(states), labels)
    for state in _STATES:
        yield Metric(group, f"connector-{state}-task-count", states.count(state), labels)
