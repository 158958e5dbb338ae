"""Which plugins the tasks of a connector work with, by its configuration and the worker's."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugwright.herder import WorkerConfig
from plugwright.herder.plugin_uses import plugin_uses
from plugwright.plugins import (
    CONVERTER,
    HEADER_CONVERTER,
    PREDICATE,
    SOURCE,
    TRANSFORMATION,
    Location,
    PluginDescriptor,
    Plugins,
)

SHOP, OTHER = Location(Path("/p/shop")), Location(Path("/p/other"))
WORKER = WorkerConfig.parse(
    {
        "key.converter": "shop.Text",
        "value.converter": "shop.Text",
        "header.converter": "shop.Heads",
    }
)


@pytest.fixture
def plugins():
    """A shop, and its transformation in a newer version elsewhere."""
    rows = (
        (SOURCE, "Shop", "3.0", SHOP),
        (CONVERTER, "Text", "1.0", SHOP),
        (HEADER_CONVERTER, "Heads", "2.0", SHOP),
        (TRANSFORMATION, "Shorten", "1.0", SHOP),
        (TRANSFORMATION, "Shorten", "2.0", OTHER),
        (PREDICATE, "IsOld", "1.5", OTHER),
    )
    found = [
        PluginDescriptor(kind, "shop", name, name, "shop", version, place)
        for kind, name, version, place in rows
    ]
    return Plugins([], found, [])


def _uses(plugins, **more):
    config = {"name": "a", "connector.class": "shop.Shop", **more}
    found = plugin_uses(config, WORKER, plugins)
    return [(use.role, use.alias, use.class_name, use.version) for use in found]


CONVERTERS = [
    ("key-converter", "", "shop.Text", "1.0"),
    ("value-converter", "", "shop.Text", "1.0"),
    ("header-converter", "", "shop.Heads", "2.0"),
]


def test_the_workers_converters_are_those_of_a_connector_that_names_none(plugins):
    """With nothing between poll and Kafka."""
    assert _uses(plugins) == CONVERTERS


def test_a_chain_is_named_by_its_aliases_in_order(plugins):
    """The copy of the connector's own location comes first, unless a version is asked for."""
    chain = {
        "transforms": "cut, again",
        "transforms.cut.type": "Shorten",
        "transforms.again.type": "shop.Shorten",
        "transforms.again.plugin.version": "2.0",
        "predicates": "old",
        "predicates.old.type": "IsOld",
    }
    assert _uses(plugins, **chain)[3:] == [
        ("transform", "cut", "shop.Shorten", "1.0"),
        ("transform", "again", "shop.Shorten", "2.0"),
        ("predicate", "old", "shop.IsOld", "1.5"),
    ]


@pytest.mark.parametrize(
    "more",
    [
        {"value.converter": "${vault:which}"},
        {"value.converter": "Gone"},
        {"value.converter": "Text", "value.converter.plugin.version": "[9.0,)"},
        {"transforms": "cut", "transforms.cut.type": "Gone", "value.converter": "Gone"},
    ],
    ids=["a reference", "no such plugin", "no such version", "no such transformation"],
)
def test_what_cannot_be_found_is_left_out(plugins, more):
    """A page of metrics says what is known, and never fails."""
    assert _uses(plugins, **more) == [CONVERTERS[0], CONVERTERS[2]]


def test_without_its_connector_nothing_is_known(plugins):
    """Its location would decide."""
    assert _uses(plugins, **{"connector.class": "Gone"}) == []
