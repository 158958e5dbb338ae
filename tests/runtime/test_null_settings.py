"""A setting that is null, as JSON lets a client write it, is refused or means something."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from plugwright.converters import AvroConverter, JsonConverter, StringConverter
from plugwright.errors import ConfigError
from plugwright.transforms import PREDICATES, TRANSFORMATIONS

if TYPE_CHECKING:
    from plugwright.config import ConfigDef

_GOOD = {
    "spec": "int8",
    "headers": "h",
    "fields": "f",
    "field": "f",
    "operation": "move",
    "topic.field": "t",
    "header": "h",
    "value.literal": "1",
    "regex": "a",
    "replacement": "b",
    "schema.name": "n",
    "target.type": "unix",
    "name": "n",
    "pattern": "p",
    "schema.registry.url": "mock://nulls",
}
_AVRO_TAKES = {"basic.auth.user.info", "converter.type"}


def _settings(definition: ConfigDef) -> list[str]:
    return sorted(definition.keys)


def _base(definition: ConfigDef) -> dict[str, str]:
    return {key: value for key, value in _GOOD.items() if key in definition.keys}


_SMTS = [
    (each, key) for each in (*TRANSFORMATIONS, *PREDICATES) for key in _settings(each().config())
]


@pytest.mark.parametrize(("plugin", "key"), _SMTS, ids=str)
def test_a_transformation_takes_null_or_refuses_the_setting(plugin, key):
    """The only error that configuring may raise is one about the configuration."""
    made = plugin()
    problem = None
    try:
        made.configure({**_base(made.config()), key: None})
    except ConfigError as error:
        problem = error

    assert problem is None or str(problem)


@pytest.mark.parametrize("key", _settings(AvroConverter().config()))
def test_the_avro_converter_refuses_null_where_it_needs_a_value(key):
    """Only what has no default may be null."""
    refused = False
    try:
        AvroConverter().configure({"schema.registry.url": "mock://nulls", key: None}, is_key=False)
    except ConfigError as error:
        refused = key in str(error)

    assert refused == (key not in _AVRO_TAKES)


@pytest.mark.parametrize(
    ("converter", "key"),
    [
        (each, key)
        for each in (JsonConverter, StringConverter)
        for key in _settings(each().config())
    ],
    ids=str,
)
def test_a_converter_takes_null_or_refuses_the_setting(converter, key):
    """The only error that configuring may raise is one about the configuration."""
    problem = None
    try:
        converter().configure({key: None}, is_key=False)
    except ConfigError as error:
        problem = error

    assert problem is None or key in str(problem)
