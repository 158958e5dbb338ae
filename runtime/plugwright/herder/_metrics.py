"""The worker's metrics under Kafka Connect's names (`ConnectMetricsRegistry`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from plugwright.herder._parts import HerderParts

__all__ = ["Metric", "prometheus_text", "worker_metrics"]

_STATES = ("running", "paused", "failed", "unassigned", "restarting", "destroyed")
_ERRORS = frozenset(
    {
        "total-record-failures",
        "total-record-errors",
        "total-records-skipped",
        "total-retries",
        "total-errors-logged",
        "deadletterqueue-produce-requests",
        "deadletterqueue-produce-failures",
        "last-error-timestamp",
    }
)


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
            for name, value in figures.items():
                group = "task-error-metrics" if name in _ERRORS else f"{kind}-task-metrics"
                yield Metric(group, name, value, labels)


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


def _of_connector(parts: HerderParts, connector: str) -> Iterator[Metric]:
    states = [status.state.lower() for status in parts.statuses.tasks(connector).values()]
    labels = {"connector": connector}
    group = "connect-worker-metrics"
    yield Metric(group, "connector-total-task-count", len(states), labels)
    for state in _STATES:
        yield Metric(group, f"connector-{state}-task-count", states.count(state), labels)
