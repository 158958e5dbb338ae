"""A connector's configuration is resolved on the worker and checked as a whole."""

from __future__ import annotations

import pytest

from plugwright.errors import ConfigError


def problems(world, **changes):
    """The keys with problems, in order, of a configuration that is refused."""
    with pytest.raises(ConfigError) as caught:
        world.start(**changes)
    return list(dict.fromkeys(key for key, _ in caught.value.facts["problems"]))


def test_all_problems_are_named_at_once_in_the_order_of_their_definitions(world):
    """The runtime's own, the chain's, the connector's and the converter's."""
    found = problems(
        world,
        **{
            "tasks.max": "none",
            "transforms": "hoist",
            "transforms.hoist.type": "HoistField$Value",
            "shop.url": None,
            "value.converter": "JsonConverter",
            "value.converter.schemas.cache.size": "large",
        },
    )

    assert found == [
        "tasks.max",
        "transforms.hoist.field",
        "shop.url",
        "value.converter.schemas.cache.size",
    ]


def test_a_missing_name_is_named_before_anything_is_looked_for(world):
    """Without a name nothing else can be said."""
    assert problems(world, name=None) == ["name"]


def test_an_unknown_converter_is_explained_with_near_matches(world):
    """The kind, the name, and what is like it."""
    with pytest.raises(ConfigError) as caught:
        world.start(**{"value.converter": "JsonConvertor"})

    ((key, message),) = caught.value.facts["problems"]
    assert key == "value.converter"
    assert "Class JsonConvertor could not be found. Did you mean JsonConverter, " in message


def test_references_are_resolved_on_the_worker(world, tmp_path):
    """Tasks see what the file says; the worker's settings name the provider."""
    secrets = tmp_path / "secrets.properties"
    secrets.write_text("url = http://secret\n", encoding="utf-8")
    world.herder = world.make(
        **{
            "config.providers": "file",
            "config.providers.file.class": (
                "org.apache.kafka.common.config.provider.FileConfigProvider"
            ),
            "config.providers.file.param.allowed.paths": str(tmp_path),
        }
    )

    world.start(**{"shop.url": f"${{file:{secrets}:url}}"})

    (spec,) = world.launcher.launched[0][1]
    assert spec.config["shop.url"] == "http://secret"


def test_the_chain_travels_with_the_classes_that_it_names(world):
    """Java names are settled on the driver; task hosts import what the specs name."""
    world.start(
        **{
            "transforms": "hoist",
            "transforms.hoist.type": "org.apache.kafka.connect.transforms.HoistField$Value",
            "transforms.hoist.field": "line",
        }
    )

    (spec,) = world.launcher.launched[0][1]
    (reference,) = spec.transform_classes.values()
    assert (reference.module, reference.qualname) == (
        "plugwright.transforms._hoist_field",
        "HoistField.Value",
    )
    assert spec.transforms["transforms.hoist.field"] == "line"
