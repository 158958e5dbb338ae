"""Reporters hear which metrics there are, in the order of Kafka's life cycle."""

from __future__ import annotations

import queue

import pytest

from plugwright.control_plane import MetricValue
from plugwright.errors import ConfigError, PluginError
from plugwright.herder import Reporters, context_labels, metrics_reporters


class Witness:
    """Remembers what it heard."""

    def __init__(self):
        self.heard = []
        self.calls = queue.SimpleQueue()

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)

        def hear(*arguments):
            self.heard.append((name, *arguments))
            self.calls.put(name)

        return hear

    @property
    def notified(self):
        """What it was called for, and the names of metrics."""
        return [(name, *map(_names, arguments)) for name, *arguments in self.heard]


def _names(argument):
    if isinstance(argument, list):
        return [each.metric_name.name for each in argument]
    return argument.metric_name.name if hasattr(argument, "metric_name") else argument


class Broken(Witness):
    """Fails at each change."""

    def metric_change(self, metric):
        """Fail."""
        raise ValueError(metric.metric_name.name)


class Refusing:
    """Cannot be configured."""

    def configure(self, configs):
        """Fail."""
        raise ValueError(configs["client.id"])


class World:
    """Metrics that the test changes."""

    def __init__(self):
        self.values = {"one": 1.0}

    def figures(self):
        """Those of now."""
        return [MetricValue("g", name, {"t": "x"}, value) for name, value in self.values.items()]


def test_a_reporter_is_configured_and_receives_what_it_is_about():
    """With the worker's properties and its id; Java's own one is left out."""
    jmx = "org.apache.kafka.common.metrics.JmxReporter"
    given = {"metric.reporters": f"{__name__}.Witness, {jmx}", "own.setting": "7"}
    (reporter,) = metrics_reporters(given, "host:8083", {"_namespace": "kafka.connect"})
    assert reporter.heard == [
        ("configure", {**given, "client.id": "host:8083"}),
        ("context_change", {"_namespace": "kafka.connect"}),
    ]


def test_by_default_there_is_none():
    """Kafka's default is the one that is left out."""
    assert metrics_reporters({}, "w", {}) == []


def test_the_labels_are_kafkas():
    """With those of the properties (KIP-606)."""
    given = {"metrics.context.zone": "a", "group.id": "g"}
    assert context_labels(given, "c") == {
        "zone": "a",
        "connect.kafka.cluster.id": "c",
        "connect.group.id": "g",
        "_namespace": "kafka.connect",
    }
    assert "connect.group.id" not in context_labels({}, None)


def test_metrics_are_reported_as_they_come_and_go():
    """First all that are there; at the end all go, and the reporter is closed."""
    world, witness = World(), Witness()
    with Reporters([witness], world.figures, every_s=3600) as reporters:
        world.values = {"one": 2.0, "two": "text"}
        reporters.look()
        (_, (first,)), (_, second) = witness.heard
        assert (first.metric_value(), second.metric_value()) == (2.0, "text")
        assert (second.metric_name.group, second.metric_name.tags) == ("g", {"t": "x"})
        del world.values["one"]
        reporters.look()
        reporters.look()
    assert witness.notified == [
        ("init", ["one"]),
        ("metric_change", "two"),
        ("metric_removal", "one"),
        ("metric_removal", "two"),
        ("close",),
    ]


def test_reporters_are_notified_without_being_asked():
    """By a thread."""
    world, witness = World(), Witness()
    with Reporters([witness], world.figures, every_s=0.001):
        assert witness.calls.get(timeout=60) == "init"
        world.values["two"] = 1.0
        assert witness.calls.get(timeout=60) == "metric_change"


def test_a_reporter_that_fails_keeps_nothing_from_the_others(caplog):
    """The log has its error."""
    world, witness = World(), Witness()
    with Reporters([Broken(), witness], world.figures, every_s=3600) as reporters:
        world.values["two"] = 1.0
        reporters.look()
    assert ("metric_change", "two") in witness.notified
    assert "the reporter Broken failed in metric_change" in caplog.text


@pytest.mark.parametrize("name", ["no.such.Reporter", "Reporter"])
def test_an_unknown_reporter_is_refused_with_its_setting(name):
    """Before the worker runs."""
    with pytest.raises(ConfigError, match=f"Invalid value {name} for configuration metric.report"):
        metrics_reporters({"metric.reporters": name}, "w", {})


def test_a_reporter_that_cannot_be_configured_is_named():
    """With its error."""
    with pytest.raises(PluginError, match=r"Refusing could not be created: ValueError: host:1"):
        metrics_reporters({"metric.reporters": f"{__name__}.Refusing"}, "host:1", {})
