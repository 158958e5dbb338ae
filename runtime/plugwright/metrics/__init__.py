"""Metrics that plugins register (KIP-877): names, sensors, statistics and registries."""

from __future__ import annotations

from plugwright.metrics._plugin_metrics import (
    AnnouncedMetrics,
    MetricName,
    Monitorable,
    OwnPluginMetrics,
    PluginMetrics,
    Sensor,
    watched,
)
from plugwright.metrics._reporter import MetricsReporter, ReportedMetric
from plugwright.metrics._samples import (
    Avg,
    Max,
    MeasurableStat,
    Min,
    Rate,
    SampleWindow,
    WindowedCount,
    WindowedSum,
)
from plugwright.metrics._sums import CumulativeCount, CumulativeSum, Value
from plugwright.metrics._transfer import PluginFigure, figures_of_plugins, reported_figures

__all__ = [
    "AnnouncedMetrics",
    "Avg",
    "CumulativeCount",
    "CumulativeSum",
    "Max",
    "MeasurableStat",
    "MetricName",
    "MetricsReporter",
    "Min",
    "Monitorable",
    "OwnPluginMetrics",
    "PluginFigure",
    "PluginMetrics",
    "Rate",
    "ReportedMetric",
    "SampleWindow",
    "Sensor",
    "Value",
    "WindowedCount",
    "WindowedSum",
    "figures_of_plugins",
    "reported_figures",
    "watched",
]
