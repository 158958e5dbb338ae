"""The registry: which plugin a name means."""

from __future__ import annotations

import pytest

from plugwright.errors import DiscoveryError, NotFoundError
from plugwright.plugins import (
    CONVERTER,
    HEADER_CONVERTER,
    SINK,
    SOURCE,
    PluginDescriptor,
    Plugins,
)


def _plugin(qualname, kind=SINK, module="shop", name=None):
    return PluginDescriptor(kind, module, qualname, name or f"{module}.{qualname}", "shop", "1.0")


def _plugins(*descriptors):
    return Plugins([], descriptors, [])


@pytest.mark.parametrize(
    ("qualname", "kind", "aliases"),
    [
        ("FileStreamSinkConnector", SINK, ("FileStreamSinkConnector", "FileStreamSink")),
        ("FooConnectorV2", SINK, ("FooConnectorV2", "Foo")),
        ("ConnectorX", SINK, ("ConnectorX",)),
        ("Connector", SINK, ("Connector",)),
        ("ConnectorToConnectorTo", SINK, ("ConnectorToConnectorTo", "ConnectorTo")),
        ("Plain", SOURCE, ("Plain",)),
        ("JsonConverterV2", CONVERTER, ("JsonConverterV2", "Json")),
        ("SimpleHeaderConverter", HEADER_CONVERTER, ("SimpleHeaderConverter", "Simple")),
        ("StringConverter", HEADER_CONVERTER, ("StringConverter",)),
        ("Outer.InnerConnector", SINK, ("Outer$InnerConnector", "Outer$Inner")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_aliases_are_cut_as_kafka_cuts_them(qualname, kind, aliases):
    """At the last word for the kind, unless it is the first (PluginUtils.prunedName)."""
    assert _plugin(qualname, kind).aliases == aliases


@pytest.mark.parametrize(
    "name", ["shop.ShopSinkConnector", "ShopSinkConnector", "ShopSink", "my-shop"]
)
def test_a_plugin_is_found_by_class_alias_and_entry_name(name):
    """Whatever a configuration may say."""
    plugin = _plugin("ShopSinkConnector", name="my-shop")
    assert _plugins(plugin).find(name, SINK) is plugin


def test_the_kinds_asked_for_limit_the_search():
    """A source is no sink."""
    plugins = _plugins(_plugin("ShopConnector", SOURCE))
    with pytest.raises(NotFoundError, match="no sink or converter plugin is called Shop;"):
        plugins.find("Shop", SINK, CONVERTER)


def test_an_alias_of_two_classes_is_ambiguous():
    """Both are named."""
    plugins = _plugins(_plugin("ShopConnector", module="a"), _plugin("ShopConnector", module="b"))
    with pytest.raises(DiscoveryError, match=r"a\.ShopConnector, b\.ShopConnector") as caught:
        plugins.find("Shop", SINK)
    assert (caught.value.code, caught.value.hint) == ("plugin.ambiguous", "use the full class name")


def test_a_full_class_name_wins_over_an_alias():
    """Even if somebody chose it as an entry name."""
    wanted = _plugin("Sink", module="shop")
    plugins = _plugins(_plugin("Other", name="shop.Sink"), wanted)
    assert plugins.find("shop.Sink", SINK) is wanted


def test_the_same_class_in_two_places_is_not_ambiguous():
    """It is one class."""
    first, second = _plugin("ShopConnector"), _plugin("ShopConnector")
    assert _plugins(first, second).find("Shop", SINK) is first


def test_an_unknown_name_brings_near_matches():
    """At most three, never everything."""
    plugins = _plugins(*[_plugin(f"Shop{n}Connector") for n in range(9)])
    with pytest.raises(NotFoundError) as caught:
        plugins.find("Shop", SINK)
    assert caught.value.code == "plugin.not-found"
    assert len(caught.value.facts["near"]) == 3
    assert caught.value.hint.startswith("near: Shop")


def test_an_unknown_name_without_near_matches_says_how_to_list_all():
    """And where it was looked for."""
    with pytest.raises(NotFoundError, match="looked in no location") as caught:
        _plugins().find("zzzzzz", SINK)
    assert caught.value.hint == "list what there is: plugwright plugins"


@pytest.mark.parametrize("name", ["JsonConverter", "Json", "StringConverter", "String"])
def test_the_converters_of_the_runtime_need_no_path(name):
    """They are always there."""
    plugin = _plugins().find(name, CONVERTER)
    assert (plugin.location, plugin.module) == (None, "plugwright.converters")
    assert _plugins().load(plugin).__name__ == plugin.qualname
