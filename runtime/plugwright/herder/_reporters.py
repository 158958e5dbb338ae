"""Creates the worker's metrics reporters and informs them of its metrics (KIP-606)."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Any, Final, Self

from plugwright.config import ConfigDef, ConfigType, Importance, import_class, invalid_value
from plugwright.errors import ConfigError, PluginError
from plugwright.metrics import MetricName, ReportedMetric

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.control_plane import MetricValue
    from plugwright.metrics import MetricsReporter

log = logging.getLogger(__name__)

_KEY: Final = "metric.reporters"
_JMX: Final = "org.apache.kafka.common.metrics.JmxReporter"
_CONTEXT: Final = "metrics.context."
_EVERY_S: Final = 5.0

METRICS_CONFIG = ConfigDef().define(
    _KEY,
    ConfigType.LIST,
    default=_JMX,
    importance=Importance.LOW,
    documentation="Classes that report the worker's metrics elsewhere. Java's own reporter is "
    "replaced by /metrics and /metrics.json.",
)
"""Definition of the setting ``metric.reporters``."""


def metrics_reporters(
    properties: Mapping[str, str], worker_id: str, labels: Mapping[str, str]
) -> list[MetricsReporter]:
    """Create and configure a worker's reporters, in the order of its settings.

    Raises:
        ConfigError: if a class does not exist, or its settings are wrong.
        PluginError: if a reporter fails when it is created or configured.
    """
    names: list[str] = METRICS_CONFIG.parse(properties)[_KEY]
    configs = {**properties, "client.id": worker_id}
    return [_configured(name, configs, labels) for name in names if name != _JMX]


def context_labels(properties: Mapping[str, str], cluster: str | None) -> dict[str, str]:
    """The labels that all metrics of a worker share, under Kafka's names."""
    own = {k.removeprefix(_CONTEXT): v for k, v in properties.items() if k.startswith(_CONTEXT)}
    labels = {**own, "connect.kafka.cluster.id": cluster or "", "_namespace": "kafka.connect"}
    group = properties.get("group.id")
    return labels if group is None else {**labels, "connect.group.id": group}


def _configured(
    name: str, configs: Mapping[str, object], labels: Mapping[str, str]
) -> MetricsReporter:
    try:
        made: Any = import_class(name)
    except (Exception, SystemExit) as error:  # imported code may raise anything
        raise invalid_value(_KEY, name, "the class does not exist") from error
    try:
        reporter: MetricsReporter = made()
        reporter.configure(configs)
        reporter.context_change(labels)
    except ConfigError:
        raise
    except Exception as error:
        raise PluginError(
            f"the reporter {name} could not be created: {type(error).__name__}: {error}",
            facts={"plugin": name, "phase": "configure"},
        ) from error
    return reporter


class Reporters:
    """Notifies reporters of added and removed metrics, from its own thread.

    Args:
        reporters: the reporters; without any, no thread is started.
        figures: returns the current metrics.
        every_s: seconds between two updates.
    """

    def __init__(
        self,
        reporters: Sequence[MetricsReporter],
        figures: Callable[[], Sequence[MetricValue]],
        every_s: float = _EVERY_S,
    ) -> None:
        self._reporters = reporters
        self._figures = figures
        self._every_s = every_s
        self._values: dict[MetricName, float | str] = {}
        self._metrics: dict[MetricName, ReportedMetric] = {}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="metric-reporters", daemon=True)

    def __enter__(self) -> Self:
        self._look()
        self._tell("init", list(self._metrics.values()))
        if self._reporters:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self._thread.ident is not None:
            self._thread.join()
        for metric in list(self._metrics.values()):
            self._tell("metric_removal", metric)
        self._tell("close")

    def look(self) -> None:
        """Notify the reporters of the metrics added and removed since the last update."""
        came, went = self._look()
        for metric in went:
            self._tell("metric_removal", metric)
        for metric in came:
            self._tell("metric_change", metric)

    def _follow(self) -> None:
        while not self._ended.wait(self._every_s):
            self.look()

    def _look(self) -> tuple[list[ReportedMetric], list[ReportedMetric]]:
        if not self._reporters:
            return [], []
        found = {
            MetricName(each.name, each.group, each.description, each.tags): each.value
            for each in self._figures()
        }
        went = [self._metrics.pop(name) for name in list(self._metrics) if name not in found]
        self._values.update(found)
        came = [self._metric(name) for name in found if name not in self._metrics]
        self._metrics |= {metric.metric_name: metric for metric in came}
        return came, went

    def _metric(self, name: MetricName) -> ReportedMetric:
        return ReportedMetric(name, lambda: self._values[name])

    def _tell(self, what: str, *arguments: object) -> None:
        """Call every reporter; a failure does not affect the others."""
        for reporter in self._reporters:
            try:
                getattr(reporter, what)(*arguments)
            except Exception:
                log.exception("the reporter %s failed in %s", type(reporter).__qualname__, what)
