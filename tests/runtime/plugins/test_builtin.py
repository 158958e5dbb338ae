"""The plugins that come with the runtime are plugins like anybody's, and Java's names find them."""

from __future__ import annotations

import pytest
from tests.oracle.golden import golden

from plugwright.config import ConfigDef
from plugwright.plugins import JAVA_NAMES, PLUGIN_TYPES, SINK, SOURCE, Plugins
from plugwright.transforms import PREDICATES, TRANSFORMATIONS

PLUGINS = Plugins.service_load([])
OWN = sorted(java for java, ours in JAVA_NAMES.items() if ours.startswith("plugwright."))


@pytest.mark.parametrize("java", OWN)
def test_a_java_name_finds_its_counterpart(java):
    """It loads, extends the base class of its kind, and says so in its descriptor."""
    plugin = PLUGINS.find(java, *PLUGIN_TYPES)

    assert plugin.java_name == java
    assert PLUGINS.load(plugin).__name__ == java.rpartition(".")[2].rpartition("$")[2]


@pytest.mark.parametrize("plugin", PLUGINS.builtin, ids=lambda p: f"{p.type.name}-{p.qualname}")
def test_a_builtin_plugin_is_versioned_and_documented(plugin):
    """It has the runtime's version, and a definition of its settings unless it has none."""
    made = PLUGINS.load(plugin)()

    assert plugin.version == "0.1.0"
    assert isinstance(getattr(made, "config", ConfigDef)(), ConfigDef)


@pytest.mark.parametrize(
    ("alias", "class_name"),
    [
        ("InsertField$Value", "plugwright.transforms.InsertField.Value"),
        ("Json", "plugwright.converters.JsonConverter"),
        ("RegexRouter", "plugwright.transforms.RegexRouter"),
        ("plugwright.transforms.Cast.Key", "plugwright.transforms.Cast.Key"),
    ],
)
def test_an_alias_finds_the_class(alias, class_name):
    """As Kafka's aliases do: the simple name, also of nested classes, also without its kind."""
    found = PLUGINS.find(alias, *[kind for kind in PLUGIN_TYPES if kind.name != "header_converter"])

    assert found.class_name == class_name


def test_every_transformation_and_predicate_is_listed():
    """Nothing that a configuration can name is missing from the table."""
    listed = {plugin.class_name for plugin in PLUGINS.builtin}

    assert {
        f"plugwright.transforms.{cls.__qualname__}" for cls in (*TRANSFORMATIONS, *PREDICATES)
    } <= listed


def test_every_plugin_that_java_documents_is_known():
    """The classes of the recorded definitions are all in the table of names."""
    recorded = {line.case["class"] for line in golden("configdef")}
    known = {java.rpartition(".")[2] for java in JAVA_NAMES}

    assert {name for name in recorded - known if not name.endswith("Policy")} == set()
    assert len(recorded) > 25


@pytest.mark.parametrize(
    ("java", "kind", "ours"),
    [
        (
            "org.apache.kafka.connect.file.FileStreamSourceConnector",
            SOURCE,
            "plugwright_file_source.FileStreamSourceConnector",
        ),
        (
            "org.apache.kafka.connect.file.FileStreamSinkConnector",
            SINK,
            "plugwright_file_sink.FileStreamSinkConnector",
        ),
    ],
    ids=["source", "sink"],
)
def test_the_file_connectors_answer_to_their_java_names(java, kind, ours, request):
    """They are not built in: the plugin path brings them."""
    bundled = Plugins.service_load([request.config.rootpath / "plugin-path"])

    assert bundled.find(java, kind).class_name == ours
