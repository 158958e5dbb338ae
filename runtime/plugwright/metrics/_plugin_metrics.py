"""The registry in which plugins register metrics, and the collection of their values (KIP-877)."""

from __future__ import annotations

import math
import threading
import time
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from plugwright.errors import IllegalWorkerStateError
from plugwright.metrics._samples import SampleWindow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from plugwright.metrics._samples import MeasurableStat

_GROUP = "plugins"


@dataclass(frozen=True, slots=True)
class MetricName:
    """The name of a metric: two with the same name, group and tags are one.

    Attributes:
        description: what it measures, for users.
    """

    name: str
    group: str
    description: str = field(default="", compare=False)
    tags: Mapping[str, str] = field(default_factory=dict)

    def __hash__(self) -> int:
        return hash((self.name, self.group, frozenset(self.tags.items())))


class Sensor:
    """Records values whose statistics are metrics. Thread-safe.

    Args:
        name: the name of the sensor.
        add: registers a metric.
        window: the window of recent statistics.
        clock: seconds that only go forward.
    """

    def __init__(
        self,
        name: str,
        add: Callable[[MetricName, Callable[[], float]], None],
        window: SampleWindow,
        clock: Callable[[], float],
    ) -> None:
        self.name = name
        self._add = add
        self._window = window
        self._clock = clock
        self._lock = threading.Lock()
        self._stats: dict[MetricName, MeasurableStat] = {}

    @property
    def metric_names(self) -> tuple[MetricName, ...]:
        """The metrics of this sensor."""
        return tuple(self._stats)

    def add(self, metric_name: MetricName, stat: MeasurableStat) -> bool:
        """Add a metric; ``False`` if this sensor has it already."""
        if metric_name in self._stats:
            return False

        def measure() -> float:
            with self._lock:
                return stat.measure(self._clock(), self._window)

        self._add(metric_name, measure)
        self._stats[metric_name] = stat
        return True

    def record(self, value: float = 1.0) -> None:
        """Record a value."""
        now = self._clock()
        with self._lock:
            for stat in self._stats.values():
                stat.record(value, now, self._window)


class PluginMetrics(Protocol):
    """Registers the metrics of one plugin; they are removed when it stops (KIP-877)."""

    def metric_name(
        self, name: str, description: str = "", tags: Mapping[str, str] | None = None
    ) -> MetricName:
        """A name in the group ``plugins``, with the tags that identify this plugin.

        Raises:
            ValueError: if one of ``tags`` is one of these.
        """

    def add_metric(self, metric_name: MetricName, value: Callable[[], float | str]) -> None:
        """Register a metric; ``value`` is called on another thread whenever metrics are read.

        Raises:
            ValueError: if the metric exists already.
        """

    def remove_metric(self, metric_name: MetricName) -> None:
        """Remove a metric.

        Raises:
            ValueError: if there is none.
        """

    def add_sensor(self, name: str) -> Sensor:
        """A new sensor; other plugins may have one of the same name.

        Raises:
            ValueError: if this plugin has one of that name.
        """

    def remove_sensor(self, name: str) -> None:
        """Remove a sensor and its metrics.

        Raises:
            ValueError: if there is none.
        """


@runtime_checkable
class Monitorable(Protocol):
    """A plugin with its own metrics.

    A converter, transformation, predicate, REST extension or override policy. Connectors and tasks
    get them from their context.
    """

    def with_plugin_metrics(self, metrics: PluginMetrics) -> None:
        """Receive the registry for metrics; called once, after ``configure``."""


class OwnPluginMetrics:
    """The metrics of one plugin, and of others that belong to it.

    Args:
        tags: identify the plugin.
        window: the window of recent statistics.
        clock: seconds that only go forward.
    """

    def __init__(
        self,
        tags: Mapping[str, str],
        window: SampleWindow | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.tags = MappingProxyType(dict(tags))
        self._window = window or SampleWindow()
        self._clock = clock
        self._lock = threading.RLock()
        self._metrics: dict[MetricName, Callable[[], float | str]] = {}
        self._sensors: dict[str, Sensor] = {}
        self._others: list[OwnPluginMetrics] = []
        self._closed = False

    def of_another(self, **tags: str) -> OwnPluginMetrics:
        """The metrics of a plugin in the same task; closed with these."""
        other = OwnPluginMetrics({**self.tags, **tags}, self._window, self._clock)
        with self._lock:
            self._others.append(other)
        return other

    def metric_name(
        self, name: str, description: str = "", tags: Mapping[str, str] | None = None
    ) -> MetricName:
        """A name with this plugin's tags; see `PluginMetrics`."""
        self._require_open()
        for tag in tags or ():
            if tag in self.tags:
                raise ValueError(f"Cannot use {tag} as a tag name")
        return MetricName(name, _GROUP, description, {**self.tags, **(tags or {})})

    def add_metric(self, metric_name: MetricName, value: Callable[[], float | str]) -> None:
        """Register a metric; see `PluginMetrics`."""
        with self._lock:
            self._require_open()
            if metric_name in self._metrics:
                raise ValueError(f"Metric {metric_name} already exists")
            self._metrics[metric_name] = value

    def remove_metric(self, metric_name: MetricName) -> None:
        """Remove a metric; see `PluginMetrics`."""
        with self._lock:
            self._require_open()
            if self._metrics.pop(metric_name, None) is None:
                raise ValueError(f"Unknown metric {metric_name}")

    def add_sensor(self, name: str) -> Sensor:
        """Add a sensor; see `PluginMetrics`."""
        with self._lock:
            self._require_open()
            if name in self._sensors:
                raise ValueError(f"Sensor {name} already exists")
            sensor = Sensor(name, self.add_metric, self._window, self._clock)
            self._sensors[name] = sensor
            return sensor

    def remove_sensor(self, name: str) -> None:
        """Remove a sensor; see `PluginMetrics`."""
        with self._lock:
            self._require_open()
            sensor = self._sensors.pop(name, None)
            if sensor is None:
                raise ValueError(f"Unknown sensor {name}")
            for metric_name in sensor.metric_names:
                self._metrics.pop(metric_name, None)

    def figures(self) -> Iterator[tuple[MetricName, float | str]]:
        """Every metric with its value, except those without one or with an error."""
        with self._lock:
            metrics, others = dict(self._metrics), list(self._others)
        for metric_name, value in metrics.items():
            found = _measured(value)
            if found is not None:
                yield metric_name, found
        for other in others:
            yield from other.figures()

    def close(self) -> None:
        """Remove every metric; none can be registered any more."""
        with self._lock:
            self._closed = True
            self._metrics.clear()
            self._sensors.clear()
            others, self._others = self._others, []
        for other in others:
            other.close()

    def _require_open(self) -> None:
        if self._closed:
            raise IllegalWorkerStateError("This PluginMetrics instance is closed")


def watched(plugin: Any, metrics: OwnPluginMetrics, **tags: str) -> Any:
    """The configured plugin, after it has received its metrics if it is `Monitorable`."""
    if isinstance(plugin, Monitorable):
        plugin.with_plugin_metrics(metrics.of_another(**tags))
    return plugin


class AnnouncedMetrics(OwnPluginMetrics):
    """Metrics of a plugin in another process, sent to the worker whenever they change.

    Args:
        tags: identify the plugin.
        send: receives all metrics when one has changed.
        every_s: seconds between two checks.
    """

    def __init__(
        self,
        tags: Mapping[str, str],
        send: Callable[[list[tuple[MetricName, float | str]]], None],
        every_s: float = 5.0,
    ) -> None:
        super().__init__(tags)
        self._send = send
        self._every_s = every_s
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._announce, daemon=True)
        self._begun = False

    def add_metric(self, metric_name: MetricName, value: Callable[[], float | str]) -> None:
        """Add a metric; the first one starts the reports."""
        super().add_metric(metric_name, value)
        with self._lock:
            if not self._begun:
                self._begun = True
                self._thread.start()

    def close(self) -> None:
        """Remove all metrics and stop reporting."""
        self._ended.set()
        super().close()

    def _announce(self) -> None:
        reported: list[tuple[MetricName, float | str]] = []
        while True:
            found = list(self.figures())
            if found != reported and not self._ended.is_set():
                reported = found
                self._send(found)
            if self._ended.wait(self._every_s):
                return


def _measured(value: Callable[[], float | str]) -> float | str | None:
    """The value of a metric; ``None`` if it has none or the plugin's code fails."""
    try:
        found = value()
        if isinstance(found, str):
            return found
        return None if math.isnan(number := float(found)) else number
    except Exception:  # noqa: BLE001  # of a plugin; the other metrics are shown all the same
        return None
