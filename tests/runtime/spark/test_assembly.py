"""What is made around a task: converters and transformations may have metrics of their own."""

from __future__ import annotations

from contextlib import ExitStack
from types import SimpleNamespace

from plugwright import ConfigDef, Converter, HeaderConverter, Predicate, Transformation
from plugwright.metrics import OwnPluginMetrics
from plugwright.plugins import ClassReference
from plugwright.spark import assembly
from plugwright.worker import TaskIdentity


class Watched:
    """Registers how often it was given metrics."""

    def config(self):
        """Nothing."""
        return ConfigDef()

    def configure(self, *_, **__):
        """Comes first, as in Kafka Connect."""
        self.configured = True

    def with_plugin_metrics(self, metrics):
        """Register a metric."""
        assert self.configured
        metrics.add_metric(metrics.metric_name("given"), lambda: 1)


class Text(Watched, Converter):
    """Of keys and values."""

    def from_connect_data(self, topic, schema, value):
        """Nothing."""

    def to_connect_data(self, topic, value):
        """Nothing."""


class Notes(Watched, HeaderConverter):
    """Of headers."""

    def from_connect_header(self, topic, header_key, schema, value):
        """Nothing."""

    def to_connect_header(self, topic, header_key, value):
        """Nothing."""


class Mask(Watched, Transformation):
    """A transformation."""

    def apply(self, record):
        """Nothing."""


class Old(Watched, Predicate):
    """A predicate."""

    def test(self, record):
        """Nothing."""


def test_plugins_around_a_task_are_given_metrics_with_kafkas_tags():
    """Each distinct from the others, and gone with the task's."""
    here = __name__
    spec = SimpleNamespace(
        key_converter=ClassReference(here, "Text"),
        value_converter=ClassReference(here, "Text"),
        header_converter=ClassReference(here, "Notes"),
        transforms={
            "transforms": "m",
            "transforms.m.type": "Mask",
            "transforms.m.predicate": "o",
            "predicates": "o",
            "predicates.o.type": "Old",
        },
        transform_classes={n: ClassReference(here, n) for n in ("Mask", "Old")},
    )
    metrics = OwnPluginMetrics({"connector": "a", "task": "0"})
    identity = TaskIdentity("a", 0, "x", "1", "", metrics=metrics)
    with ExitStack() as stack:
        assembly._direct(spec, identity, stack)
    own = [dict(list(name.tags.items())[2:]) for name, _ in metrics.figures()]
    assert own == [
        {"converter": "key"},
        {"converter": "value"},
        {"converter": "header"},
        {"transformation": "m"},
        {"predicate": "o"},
    ]
