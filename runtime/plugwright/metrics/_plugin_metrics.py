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
        description: says what it counts, for people.
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
        name: of the sensor.
        add: registers a metric.
        window: the recent past.
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
        """The metrics that were made of it."""
        return tuple(self._stats)

    def add(self, metric_name: MetricName, stat: MeasurableStat) -> bool:
        """Make a metric of a statistic; ``False`` if this sensor has that metric already."""
        if metric_name in self._stats:
            return False

        def measure() -> float:
            with self._lock:
                return stat.measure(self._clock(), self._window)

        self._add(metric_name, measure)
        self._stats[metric_name] = stat
        return True

    def record(self, value: float = 1.0) -> None:
        """Take a value."""
        now = self._clock()
        with self._lock:
            for stat in self._stats.values():
                stat.record(value, now, self._window)


class PluginMetrics(Protocol):
    """Registers the metrics of one plugin, which are removed when it is stopped (KIP-877)."""

    def metric_name(
        self, name: str, description: str = "", tags: Mapping[str, str] | None = None
    ) -> MetricName:
        """A name in the group ``plugins``, with the tags that identify this plugin.

        Raises:
            ValueError: if one of ``tags`` is among those.
        """

    def add_metric(self, metric_name: MetricName, value: Callable[[], float | str]) -> None:
        """Have a metric whose value is asked for whenever metrics are shown, on another thread.

        Raises:
            ValueError: if there is such a metric.
        """

    def remove_metric(self, metric_name: MetricName) -> None:
        """Remove a metric.

        Raises:
            ValueError: if there is none.
        """

    def add_sensor(self, name: str) -> Sensor:
        """A new sensor; other plugins may have one of the same name.

        Raises:
            ValueError: if this plugin has one.
        """

    def remove_sensor(self, name: str) -> None:
        """Remove a sensor and its metrics.

        Raises:
            ValueError: if there is none.
        """


@runtime_checkable
class Monitorable(Protocol):
    """A plugin that has metrics of its own: a converter, a transformation, a predicate, a REST
    extension or an override policy. Connectors and tasks ask their context.
    """  # noqa: D205  # one sentence and its consequence

    def with_plugin_metrics(self, metrics: PluginMetrics) -> None:
        """Take what metrics are registered with; called once, after ``configure``."""


class OwnPluginMetrics:
    """The metrics of one plugin, and of others that belong to it.

    Args:
        tags: identify the plugin.
        window: the recent past.
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
        """The metrics of a plugin that runs within this one's task; closed with these."""
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
        """Have a metric; see `PluginMetrics`."""
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
        """Make a sensor; see `PluginMetrics`."""
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
        """Every metric with its value; one that has none, or fails, is left out."""
        with self._lock:
            metrics, others = dict(self._metrics), list(self._others)
        for metric_name, value in metrics.items():
            found = _asked(value)
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
    """A plugin that was configured; it is given what it registers metrics with if it wants that."""
    if isinstance(plugin, Monitorable):
        plugin.with_plugin_metrics(metrics.of_another(**tags))
    return plugin


class AnnouncedMetrics(OwnPluginMetrics):
    """Metrics of a plugin in another process, sent to the worker whenever they change.

    Args:
        tags: identify the plugin.
        tell: receives all of them.
        every_s: seconds between two looks.
    """

    def __init__(
        self,
        tags: Mapping[str, str],
        tell: Callable[[list[tuple[MetricName, float | str]]], None],
        every_s: float = 5.0,
    ) -> None:
        super().__init__(tags)
        self._tell = tell
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
                self._tell(found)
            if self._ended.wait(self._every_s):
                return


def _asked(value: Callable[[], float | str]) -> float | str | None:
    """The value of a metric, or nothing where the plugin's code fails."""
    try:
        found = value()
        if isinstance(found, str):
            return found
        return None if math.isnan(number := float(found)) else number
    except Exception:  # noqa: BLE001  # of a plugin; the other metrics are shown all the same
        return None
