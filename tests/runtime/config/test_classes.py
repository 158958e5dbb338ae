"""Names of classes in configurations resolve by import, alias or context."""

from __future__ import annotations

import sys
import types
from collections import OrderedDict

import pytest

from plugwright.config import (
    ConfigDef,
    ConfigType,
    convert_to_string,
    import_class,
    resolving_classes,
)
from plugwright.errors import ConfigError


@pytest.fixture
def module(monkeypatch):
    """A module with a nested class."""
    made = types.ModuleType("a_plugin")
    nested = type("Inner", (), {"__module__": "a_plugin", "__qualname__": "Outer.Inner"})
    made.Outer = type("Outer", (), {"Inner": nested})
    monkeypatch.setitem(sys.modules, "a_plugin", made)
    return made


@pytest.mark.parametrize(
    "name",
    [
        "a_plugin:Outer.Inner",
        "a_plugin.Outer.Inner",
        "a_plugin.Outer$Inner",
        "a_plugin:Outer$Inner",
    ],
)
def test_nested_class_is_found_by_every_spelling(module, name):
    """Dots and Java's dollar lead into a class."""
    assert import_class(name) is module.Outer.Inner


def test_printed_name_of_a_nested_class_loads_it_again(module):
    """Nested classes print with a dollar, as in Java, and that name resolves."""
    text = convert_to_string(module.Outer.Inner, ConfigType.CLASS)

    assert text == "a_plugin.Outer$Inner"
    assert import_class(text) is module.Outer.Inner


@pytest.mark.parametrize("name", ["", "x", "no_such_module.X", "json.nothing", ":", "a..b", ".x"])
def test_what_is_no_class_raises_import_error_or_less(name):
    """Through a setting, every unusable name is a class that could not be found."""
    definition = ConfigDef().define("c", ConfigType.CLASS)

    with pytest.raises(ConfigError, match="could not be found"):
        definition.parse({"c": name})


def test_module_that_exits_when_imported_is_reported(monkeypatch):
    """A plugin that calls sys.exit while it is imported does not end the worker."""

    def leave(_):
        sys.exit(3)

    definition = ConfigDef(resolver=leave).define("c", ConfigType.CLASS)

    assert definition.validate({"c": "x.Y"})[0].error_messages == (
        "Invalid value x.Y for configuration c: Class x.Y could not be found.",
    )


def test_resolver_of_the_definition_knows_aliases():
    """An injected resolver turns an alias into a class."""
    definition = ConfigDef(resolver={"Alias": OrderedDict}.__getitem__).define(
        "c", ConfigType.CLASS
    )

    assert definition.parse({"c": "Alias"}) == {"c": OrderedDict}


def test_context_resolver_serves_definitions_made_elsewhere():
    """The runtime can resolve aliases in a definition that a plugin made."""
    definition = ConfigDef().define("c", ConfigType.CLASS)

    with resolving_classes({"Alias": OrderedDict}.__getitem__):
        inside = definition.parse({"c": "Alias"})
    outside = definition.validate({"c": "Alias"})[0].error_messages

    assert inside == {"c": OrderedDict}
    assert len(outside) == 1


def test_resolver_that_returns_no_class_is_no_class():
    """What a resolver answers is checked."""
    definition = ConfigDef(resolver=lambda name: name).define("c", ConfigType.CLASS)

    with pytest.raises(ConfigError, match="Class x could not be found"):
        definition.parse({"c": "x"})
