"""The interface of metrics reporters: Kafka's ``MetricsReporter`` in Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.metrics._plugin_metrics import MetricName


@dataclass(frozen=True, slots=True)
class ReportedMetric:
    """A metric of the worker.

    Attributes:
        metric_name: its name, the same object as long as the metric exists.
        metric_value: returns the last value that the worker has read, a number or a text.
    """

    metric_name: MetricName
    metric_value: Callable[[], float | str]


class MetricsReporter(Protocol):
    """Receives the worker's metrics; ``metric.reporters`` names its class.

    It is created without arguments and called in this order: ``configure``, ``context_change``,
    ``init``, then ``metric_change`` and ``metric_removal`` for changes, and ``close``.
    """

    def configure(self, configs: Mapping[str, object]) -> None:
        """Receive the worker's properties, with the worker's id as ``client.id``."""

    def context_change(self, labels: Mapping[str, str]) -> None:
        """Receive the labels of all metrics: namespace, cluster, group, ``metrics.context.*``."""

    def init(self, metrics: Sequence[ReportedMetric]) -> None:
        """Receive the existing metrics."""

    def metric_change(self, metric: ReportedMetric) -> None:
        """A metric was added."""

    def metric_removal(self, metric: ReportedMetric) -> None:
        """A metric was removed."""

    def close(self) -> None:
        """Release all resources."""
