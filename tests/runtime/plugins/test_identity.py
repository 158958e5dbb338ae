"""What a short name means among many plugins, and which of several copies is used."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from plugwright.errors import DiscoveryError, NotFoundError
from plugwright.plugins import (
    CONVERTER,
    SINK,
    SOURCE,
    TRANSFORMATION,
    DiagnosticLevel,
    Location,
    PluginDescriptor,
    Plugins,
)


def _plugin(class_name, kind=SINK, *, name="", version="1.0", place=None):
    module, _, qualname = class_name.rpartition(".")
    location = Location(Path(place)) if place else None
    return PluginDescriptor(kind, module, qualname, name or class_name, module, version, location)


def _plugins(*descriptors):
    return Plugins([], descriptors, [])


def _notes(plugins):
    return [d.message for d in plugins.diagnostics if d.code == "alias-ambiguous"]


def test_an_alias_of_two_classes_is_of_no_use_and_reported_up_front():
    """Case 74: one note for each alias, naming both classes."""
    plugins = _plugins(_plugin("a.ShopConnector"), _plugin("b.ShopConnector"))
    assert _notes(plugins) == [
        "the alias Shop could mean a.ShopConnector, b.ShopConnector, so it means none",
        "the alias ShopConnector could mean a.ShopConnector, b.ShopConnector, so it means none",
    ]
    assert {d.level for d in plugins.diagnostics} == {DiagnosticLevel.NOTE}
    with pytest.raises(DiscoveryError, match=r"Shop could mean a\.Shop.*, b\.Shop"):
        plugins.find("Shop", SINK)


def test_one_class_twice_keeps_its_aliases():
    """Case 74: copies, versions and types of one class do not collide."""
    plugins = _plugins(
        _plugin("a.ShopConnector", version="1.0"),
        _plugin("a.ShopConnector", version="2.0"),
        _plugin("a.ShopConnector", SOURCE),
    )
    assert _notes(plugins) == []
    assert plugins.find("Shop", SINK).version == "2.0"


def test_an_alias_is_dropped_for_plugins_of_all_types():
    """Case 74: Kafka's table is over all types."""
    plugins = _plugins(_plugin("a.Shop", TRANSFORMATION), _plugin("a.ShopConverter", CONVERTER))
    assert _notes(plugins) == [
        "the alias Shop could mean a.Shop, a.ShopConverter, so it means none"
    ]
    with pytest.raises(DiscoveryError):
        plugins.find("Shop", TRANSFORMATION)
    assert plugins.find("ShopConverter", CONVERTER).class_name == "a.ShopConverter"


def test_many_classes_are_not_all_named():
    """Five are enough to see what is going on."""
    plugins = _plugins(*[_plugin(f"{letter}.Shop") for letter in "abcdefg"])
    assert _notes(plugins)[0].startswith("the alias Shop could mean a.Shop, b.Shop, c.Shop, d.Shop")
    assert "e.Shop and 2 more, so" in _notes(plugins)[0]


@pytest.mark.parametrize("kind", [SOURCE, SINK], ids=["source", "sink"])
def test_a_connector_is_found_with_connector_at_its_end_all_the_same(kind):
    """Kafka's older lookup does not care for aliases of other types."""
    plugins = _plugins(_plugin("a.ShopConnector", kind), _plugin("a.ShopConverter", CONVERTER))
    assert plugins.find("Shop", SOURCE, SINK).class_name == "a.ShopConnector"
    with pytest.raises(DiscoveryError):
        plugins.find("Shop", CONVERTER)


def test_a_chosen_entry_name_is_an_alias_if_it_is_unique():
    """D2 of the discovery study."""
    shop, mart = _plugin("a.Shop", name="retail"), _plugin("a.Mart", SOURCE, name="retail")
    assert _plugins(shop).find("retail", SINK) is shop
    with pytest.raises(DiscoveryError, match=r"retail could mean a\.Mart, a\.Shop"):
        _plugins(shop, mart).find("retail", SINK)


def test_a_full_class_name_wins_without_a_note():
    """Even if it is the entry name of another class."""
    shop, mart = _plugin("a.Shop"), _plugin("a.Mart", name="a.Shop")
    plugins = _plugins(mart, shop)
    assert (plugins.find("a.Shop", SINK), _notes(plugins)) == (shop, [])


def test_two_entries_that_are_named_like_a_class_change_nothing():
    """The class still wins, so there is nothing to note."""
    shop = _plugin("a.Shop")
    plugins = _plugins(_plugin("a.B", name="a.Shop"), _plugin("a.C", name="a.Shop"), shop)
    assert (plugins.find("a.Shop", SINK), _notes(plugins)) == (shop, [])


@pytest.mark.parametrize(
    ("class_name", "kind", "aliases"),
    [
        ("a.JsonConverterV2", CONVERTER, ("JsonConverterV2", "Json")),
        ("a.ConnectorX", SINK, ("ConnectorX",)),
    ],
    ids=["case 75", "case 76"],
)
def test_names_are_pruned_as_in_java(class_name, kind, aliases):
    """Cases 75 and 76: what follows the word goes too; a name that begins with it stays."""
    assert _plugin(class_name, kind).aliases == aliases


@pytest.mark.parametrize(
    ("versions", "used"),
    [(("1.0", "1.0"), "/p/a"), (("1.0", "1.0.0"), "/p/a"), (("1.0", "1.1"), "/p/b")],
    ids=["tie", "equal", "newer"],
)
def test_of_equal_versions_the_first_on_the_path_is_used(versions, used):
    """PEP 440 says which versions are equal."""
    copies = [
        _plugin("a.Shop", version=version, place=place)
        for version, place in zip(versions, ("/p/a", "/p/b"), strict=True)
    ]
    assert str(_plugins(*copies).find("Shop", SINK).location.path) == used


def _host_copy(place, version=None):
    own = _plugins().find("StringConverter", CONVERTER)
    manifest = "[plugwright.Converter]\na = plugwright.converters:StringConverter\n"
    place.distribution("strings", version or own.version, entry_points=manifest)
    return Plugins.discover([place.path.parent], "service_load")


def test_of_equal_versions_the_hosts_copy_is_used_with_a_warning(place):
    """Case 79: as PluginDescTest of Kafka has it."""
    found = _host_copy(place("c/strings"))
    assert found.find("StringConverter", CONVERTER).location is None
    (finding,) = found.diagnostics
    assert (finding.code, finding.level) == ("duplicate-plugin", DiagnosticLevel.WARNING)
    assert finding.location == "the runtime"
    assert finding.message.endswith(f"is used from here and not from {found.locations[0].path}")


def test_a_newer_copy_than_the_hosts_is_used_with_a_warning(place):
    """Version comes before place."""
    found = _host_copy(place("c/strings"), "999")
    assert found.find("StringConverter", CONVERTER).version == "999"
    assert [d.location for d in found.diagnostics] == [str(found.locations[0].path)]


def test_every_class_with_copies_is_warned_of_once(place):
    """With all the places that lose, in order."""
    manifest = "[plugwright.SinkConnector]\na = shop:A\n"
    for name in ("c/c", "c/a", "c/b"):
        place(name).distribution(entry_points=manifest)
    (finding,) = Plugins.discover([place("c").path], "service_load").diagnostics
    parent = place("c").path
    assert finding.message == (
        f"sink shop.A 1.0 is used from here and not from {parent}/b, {parent}/c"
    )
    assert finding.location == f"{parent}/a"


def test_a_plugin_for_another_python_is_not_found_and_not_a_copy():
    """Case 39: the reason is what the error says."""
    reason = "requires Python >=3.99, and this is 3.11.7"
    blocked = replace(_plugin("a.Shop", version="9", place="/p/a"), obstacle=reason)
    with pytest.raises(NotFoundError) as caught:
        _plugins(blocked).find("Shop", SINK)
    assert str(caught.value) == (
        f"no sink plugin called Shop can be used: a.Shop 9 in /p/a {reason}"
    )
    assert caught.value.code == "plugin.requires-python"
    assert _plugins(blocked, _plugin("a.Shop")).find("Shop", SINK).version == "1.0"


def test_a_misspelt_group_is_named_when_its_plugin_is_looked_for(place):
    """Case 19: near matches would lead nowhere."""
    shop = place()
    shop.distribution(entry_points="[plugwright.SinkConnectr]\na = shop:ShopSinkConnector\n")
    found = Plugins.service_load([shop.path])
    with pytest.raises(NotFoundError) as caught:
        found.find("ShopSink", SINK)
    assert caught.value.hint == (
        f"ep-unknown-group: {shop.path}/shop-1.0.dist-info/entry_points.txt:1: nothing reads the "
        "group [plugwright.SinkConnectr], so shop:ShopSinkConnector is not found; the nearest "
        "known one is [plugwright.SinkConnector]"
    )
