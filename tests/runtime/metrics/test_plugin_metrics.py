"""Plugins register metrics of their own, which go when they are stopped (KIP-877)."""

from __future__ import annotations

import queue

import pytest
from tests.runtime.worker.fakes import Clock

from plugwright import Monitorable
from plugwright.errors import IllegalWorkerStateError
from plugwright.metrics import (
    AnnouncedMetrics,
    Avg,
    CumulativeSum,
    Max,
    MetricName,
    OwnPluginMetrics,
    PluginFigure,
    figures_of_plugins,
    reported_figures,
    watched,
)


@pytest.fixture
def metrics():
    """Those of a task."""
    return OwnPluginMetrics({"connector": "a", "task": "0"}, clock=Clock())


def test_a_name_has_the_plugins_tags_and_its_own(metrics):
    """In the group that Kafka gives them, in order."""
    name = metrics.metric_name("hits", "How many.", {"table": "t"})
    assert (name.group, name.description) == ("plugins", "How many.")
    assert list(name.tags.items()) == [("connector", "a"), ("task", "0"), ("table", "t")]


def test_a_tag_of_the_runtimes_is_refused(metrics):
    """In Kafka's words."""
    with pytest.raises(ValueError, match="Cannot use task as a tag name"):
        metrics.metric_name("hits", "", {"task": "7"})


def test_a_metric_has_the_value_of_its_provider(metrics):
    """Asked for whenever it is shown; a text may be one."""
    size, state = [3], metrics.metric_name("state")
    metrics.add_metric(metrics.metric_name("size"), lambda: size[0])
    metrics.add_metric(state, lambda: "open")
    size[0] = 4
    assert {name.name: value for name, value in metrics.figures()} == {"size": 4.0, "state": "open"}


def test_what_has_no_value_is_not_shown(metrics):
    """Neither a failure of the plugin's code, nor what is no number."""
    metrics.add_metric(metrics.metric_name("broken"), lambda: 1 / 0)
    metrics.add_metric(metrics.metric_name("none"), lambda: float("nan"))
    metrics.add_metric(metrics.metric_name("whole"), lambda: 1)
    assert [name.name for name, _ in metrics.figures()] == ["whole"]


def test_a_metric_is_registered_once(metrics):
    """The description makes no other one of it."""
    metrics.add_metric(metrics.metric_name("m", "one"), lambda: 1)
    with pytest.raises(ValueError, match="already exists"):
        metrics.add_metric(metrics.metric_name("m", "two"), lambda: 2)
    metrics.remove_metric(metrics.metric_name("m"))
    with pytest.raises(ValueError, match="Unknown metric"):
        metrics.remove_metric(metrics.metric_name("m"))


def test_statistics_of_a_sensor_are_metrics(metrics):
    """Until the sensor is removed, with them."""
    sensor = metrics.add_sensor("times")
    assert sensor.add(metrics.metric_name("avg"), Avg())
    assert sensor.add(metrics.metric_name("max"), Max())
    assert not sensor.add(metrics.metric_name("max"), Max())
    sensor.add(metrics.metric_name("sum"), CumulativeSum())
    sensor.record(1)
    sensor.record(5)
    assert {n.name: v for n, v in metrics.figures()} == {"avg": 3.0, "max": 5.0, "sum": 6.0}
    with pytest.raises(ValueError, match="Sensor times already exists"):
        metrics.add_sensor("times")
    metrics.remove_sensor("times")
    assert list(metrics.figures()) == []
    with pytest.raises(ValueError, match="Unknown sensor times"):
        metrics.remove_sensor("times")


def test_nothing_is_left_of_a_plugin_that_was_stopped(metrics):
    """Nor of those within it; nothing can be registered any more."""
    other = metrics.of_another(converter="key")
    other.add_metric(other.metric_name("m"), lambda: 1)
    metrics.add_metric(metrics.metric_name("m"), lambda: 2)
    assert len(list(metrics.figures())) == 2
    metrics.close()
    assert list(metrics.figures()) == []
    for each in (metrics, other):
        with pytest.raises(IllegalWorkerStateError, match="is closed"):
            each.metric_name("n")


class Watched:
    """A plugin that wants to be monitored."""

    def with_plugin_metrics(self, metrics):
        """Keep it."""
        self.metrics = metrics


def test_only_a_monitorable_plugin_is_given_metrics(metrics):
    """With tags that tell what it is."""
    plugin = watched(Watched(), metrics, transformation="mask")
    assert isinstance(plugin, Monitorable)
    assert plugin.metrics.tags == {"connector": "a", "task": "0", "transformation": "mask"}
    plain = object()
    assert watched(plain, metrics) is plain


def test_metrics_are_reported_with_other_metrics():
    """Nothing is lost; other figures are not taken for them."""
    name = MetricName('od"d:ñ\n', "plugins", "What?", {"connector": "a;b", "x": "="})
    figures = {
        "records": 7.0,
        **reported_figures([(name, 2.5), (MetricName("t", "plugins"), "up")]),
    }
    assert list(figures_of_plugins(figures)) == [
        PluginFigure('od"d:ñ\n', "What?", {"connector": "a;b", "x": "="}, 2.5),
        PluginFigure("t", "", {}, "up"),
    ]


def test_metrics_of_another_process_are_reported_when_there_are_any():
    """From the first one on."""
    reported = queue.SimpleQueue()
    metrics = AnnouncedMetrics({"connector": "a"}, reported.put, every_s=0.001)
    values = iter([1.0, 1.0, 2.0])
    metrics.add_metric(metrics.metric_name("m"), lambda: next(values, 2.0))
    heard = [[value for _, value in reported.get(timeout=60)] for _ in range(2)]
    metrics.close()
    assert heard == [[1.0], [2.0]]
