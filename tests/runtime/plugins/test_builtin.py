"""The plugins that come with the runtime are plugins like anybody's, and Java's names find them."""

from __future__ import annotations

import re

import pytest
from tests.oracle.golden import golden

from plugwright.config import ConfigDef
from plugwright.plugins import JAVA_NAMES, PLUGIN_TYPES, SINK, SOURCE, Plugins
from plugwright.transforms import PREDICATES, TRANSFORMATIONS

PLUGINS = Plugins.service_load([])
OWN = sorted(java for java, ours in JAVA_NAMES.items() if ours.startswith("plugwright."))


def test_java_names_find_their_counterparts():
    """Each loads, extends the base class of its kind, and says so in its descriptor."""
    found = {java: PLUGINS.find(java, *PLUGIN_TYPES) for java in OWN}
    loaded = {java: PLUGINS.load(plugin).__name__ for java, plugin in found.items()}

    assert {java: plugin.java_name for java, plugin in found.items()} == {j: j for j in OWN}
    assert loaded == {java: re.split(r"[.$]", java)[-1] for java in OWN}


def test_builtin_plugins_are_versioned_and_documented():
    """They have the runtime's version, and a definition of their settings unless they have none."""
    made = {plugin.qualname: PLUGINS.load(plugin)() for plugin in PLUGINS.builtin}
    definitions = {name: getattr(each, "config", ConfigDef)() for name, each in made.items()}

    assert [p.qualname for p in PLUGINS.builtin if p.version != "0.1.0"] == []
    assert [name for name, each in definitions.items() if not isinstance(each, ConfigDef)] == []


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


@pytest.mark.parametrize("side", ["Sink", "Source"])
def test_their_tasks_answer_to_their_java_names(side, request):
    """They are the classes that the connectors themselves name."""
    bundled = Plugins.service_load([request.config.rootpath / "plugin-path"])
    java = f"org.apache.kafka.connect.file.FileStream{side}"
    named = bundled.load(bundled.find(f"{java}Connector", SINK, SOURCE))().task_class()

    assert f"{named.__module__}.{named.__qualname__}" == JAVA_NAMES[f"{java}Task"]
