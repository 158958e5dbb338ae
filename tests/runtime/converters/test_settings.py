"""The settings of every converter are those of its Java counterpart."""

from __future__ import annotations

import pytest
from tests.oracle.golden import golden

from plugwright import converters
from plugwright.config import convert_to_string

CONFIGS = [line for line in golden("configdef") if line.case["class"].endswith("Converter")]


@pytest.mark.parametrize("line", CONFIGS, ids=lambda line: line.case["class"])
def test_keys_types_defaults_and_importance_are_those_of_java(line):
    """Names and what they take; documentation is in our own words."""
    ours = getattr(converters, line.case["class"])().config().keys
    expected = {
        key["name"]: (key["type"], key["required"], key["default"], key["importance"])
        for key in line.result["keys"]
    }

    assert {name: shown(key) for name, key in ours.items()} == expected


def shown(key):
    """A key as the golden files show it."""
    default = convert_to_string(key.default_value, key.type) if key.has_default else None
    return key.type.name, not key.has_default, default, key.importance.name


def test_all_converters_are_compared():
    """The comparison cannot pass by not running."""
    assert len(CONFIGS) == 10
