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
        metric_name: its name, the same for as long as the metric is there.
        metric_value: gives its value as of the worker's last look, a number or a text.
    """

    metric_name: MetricName
    metric_value: Callable[[], float | str]


class MetricsReporter(Protocol):
    """Hears which metrics there are; ``metric.reporters`` names its class.

    It is made without arguments, and called in this order: ``configure``, ``context_change``,
    ``init``, then ``metric_change`` and ``metric_removal`` as metrics come and go, and ``close``.
    """

    def configure(self, configs: Mapping[str, object]) -> None:
        """Take the worker's properties, with the worker's id as ``client.id``."""

    def context_change(self, labels: Mapping[str, str]) -> None:
        """Take what all metrics are about: namespace, cluster, group, ``metrics.context.*``."""

    def init(self, metrics: Sequence[ReportedMetric]) -> None:
        """These metrics are there."""

    def metric_change(self, metric: ReportedMetric) -> None:
        """A metric has come."""

    def metric_removal(self, metric: ReportedMetric) -> None:
        """A metric has gone."""

    def close(self) -> None:
        """Release everything."""
