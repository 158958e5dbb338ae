"""Importing a plugin's class: every way to fail is explained."""

from __future__ import annotations

import sys

import pytest

from plugwright.errors import DiscoveryError
from plugwright.plugins import SINK, PluginDescriptor, load_class

SINK_CLASS = """
from plugwright import SinkConnector

class Sink(SinkConnector):
    class Inner(SinkConnector):
        pass

class Plain:
    pass

value = 5
"""


def _plugin(builder, module, qualname="Sink"):
    return PluginDescriptor(SINK, module, qualname, "x", "shop", "1.2", builder.location)


@pytest.mark.parametrize("qualname", ["Sink", "Sink.Inner"])
def test_a_class_is_imported_from_its_location(place, qualname):
    """Nested ones, too."""
    shop = place()
    shop.module("shop_a", SINK_CLASS)
    assert load_class(_plugin(shop, "shop_a", qualname)).__qualname__ == qualname


def test_a_location_shadows_nothing(place):
    """It is looked at behind the standard library: its typing.py is not the typing module."""
    shop = place()
    shop.module("colorsys", "raise SystemExit('shadowed')")
    shop.module("shop_b", "import colorsys\n" + SINK_CLASS)
    load_class(_plugin(shop, "shop_b"))


def test_a_location_comes_before_what_is_installed(place, monkeypatch):
    """As it does in a process of its own."""
    shop = place()
    shop.module("iniconfig", SINK_CLASS)
    monkeypatch.delitem(sys.modules, "iniconfig", raising=False)
    load_class(_plugin(shop, "iniconfig"))
    monkeypatch.delitem(sys.modules, "iniconfig")
    installed = next(at for at, e in enumerate(sys.path) if e.endswith("site-packages"))
    assert sys.path.index(str(shop.path)) < installed


def test_loading_twice_extends_the_path_once(place):
    """And gives the same class."""
    shop = place()
    shop.module("shop_c", SINK_CLASS)
    assert load_class(_plugin(shop, "shop_c")) is load_class(_plugin(shop, "shop_c"))
    assert sys.path.count(str(shop.path)) == 1


@pytest.mark.parametrize(
    ("text", "qualname", "code", "message"),
    [
        ("import not_there", "Sink", "plugin.import-failed", "No module named 'not_there'"),
        ("1 / 0", "Sink", "plugin.import-failed", "ZeroDivisionError: division by zero"),
        ("def", "Sink", "plugin.import-failed", "SyntaxError"),
        ("raise SystemExit(3)", "Sink", "plugin.import-failed", "SystemExit: 3"),
        (SINK_CLASS, "Sunk", "plugin.no-such-class", "has no Sunk"),
        (SINK_CLASS, "Sink.Sunk", "plugin.no-such-class", r"has no Sink\.Sunk"),
        (
            "def __getattr__(name): raise ValueError(name)",
            "Sink",
            "plugin.no-such-class",
            "has no Sink",
        ),
        (SINK_CLASS, "Plain", "plugin.wrong-base", r"subclass of plugwright\.SinkConnector"),
        (SINK_CLASS, "value", "plugin.wrong-base", r"subclass of plugwright\.SinkConnector"),
    ],
    ids=[
        "missing-import",
        "error",
        "syntax",
        "exit",
        "missing-class",
        "missing-nested",
        "computed",
        "wrong-base",
        "no-class",
    ],
)
def test_a_plugin_that_cannot_be_loaded_is_explained(place, text, qualname, code, message):
    """Plugin, version and location are named, with the reason."""
    shop = place()
    shop.module("shop_d", text)
    with pytest.raises(DiscoveryError, match=message) as caught:
        load_class(_plugin(shop, "shop_d", qualname))
    assert caught.value.code == code
    assert f"sink shop_d.{qualname} 1.2 in {shop.path} cannot be loaded" in str(caught.value)
    assert caught.value.facts["location"] == str(shop.path)


def test_a_missing_module_is_explained(place):
    """The manifest promises what is not there."""
    with pytest.raises(DiscoveryError) as caught:
        load_class(_plugin(place(), "shop_e"))
    assert caught.value.code == "plugin.import-failed"


def test_two_locations_with_one_module_name_never_share_code(place):
    """The second one is refused rather than given the first one's class."""
    first, second = place("first"), place("second")
    first.module("shop_f", SINK_CLASS)
    second.module("shop_f", SINK_CLASS)
    load_class(_plugin(first, "shop_f"))
    with pytest.raises(DiscoveryError, match="already has a module shop_f") as caught:
        load_class(_plugin(second, "shop_f"))
    assert caught.value.code == "plugin.module-clash"
