"""The table of keys is whole, and each example in it is a declaration that is read."""

from __future__ import annotations

import tomllib

import pytest

from plugwright_conformance.catalogue.capabilities import CAPABILITIES
from plugwright_conformance.subject.boundaries import TYPE_NAMES
from plugwright_conformance.subject.declared_keys import (
    CAPABILITY_KEYS,
    PLUGIN_KEYS,
    capability_problems,
)


def test_every_capability_that_can_be_proved_can_be_declared():
    """And the other way round: what nothing proves would fail every run."""
    assert {key.name for key in CAPABILITY_KEYS} == set(CAPABILITIES)


@pytest.mark.parametrize("key", CAPABILITY_KEYS, ids=lambda key: key.name)
def test_its_example_is_right_and_a_list_in_a_list_is_not(key):
    """The reference page shows the example."""
    assert capability_problems("sink", {key.name: tomllib.loads(f"x = {key.example}")["x"]}) == []
    assert len(capability_problems("sink", {key.name: [[]]})) == 1


def test_types_are_those_of_connect_that_have_boundary_values():
    """A literal list, so that none gets lost."""
    numbers = ("int8", "int16", "int32", "int64", "float32", "float64", "decimal")

    assert {*TYPE_NAMES} == {*numbers, "boolean", "string", "bytes", "date", "time", "timestamp"}


def test_a_plugin_has_six_keys():
    """A literal list, so that a new one gets its page."""
    names = [key.name for key in PLUGIN_KEYS]

    assert names == ["class", "configuration", "endpoint", "config", "capabilities", "waiver"]


@pytest.mark.parametrize(
    ("kind", "key", "value", "problem"),
    [
        ("source", "max_poll_records", 19_999, ""),
        ("source", "max_poll_records", 20_000, "must be below 20000"),
        ("source", "max_poll_records", True, "must be a whole number from 1 on, found True"),
        ("sink", "max_buffered", 100_000, ""),
        ("sink", "max_buffered", 0, "must be a whole number from 1 on, found 0"),
    ],
)
def test_batches_of_a_source_have_a_size_that_can_be_tried(kind, key, value, problem):
    """The suite seeds more values than that."""
    found = " ".join(capability_problems(kind, {key: value}))

    assert problem in found
    assert bool(found) is bool(problem)
