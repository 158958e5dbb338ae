"""Validation survives whatever a mapping holds."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from plugwright.config import (
    CaseInsensitiveValidString,
    ConfigDef,
    ConfigType,
    ListSize,
    NonEmptyStringWithoutControlChars,
    Password,
    Range,
    ValidList,
    ValidString,
    config_infos,
)


class Unprintable:
    """Refuses to be printed and compared."""

    def __repr__(self):
        raise RuntimeError("no")

    def __eq__(self, other):
        raise RuntimeError("no")

    __hash__ = object.__hash__


def definition():
    """A setting of each type, with a validator where there is one."""
    return (
        ConfigDef()
        .define("boolean", ConfigType.BOOLEAN)
        .define("string", ConfigType.STRING, validator=NonEmptyStringWithoutControlChars())
        .define("int", ConfigType.INT, validator=Range.between(0, 5))
        .define("short", ConfigType.SHORT, validator=ValidString.in_("a"))
        .define("long", ConfigType.LONG, dependents=["int", "double"])
        .define("double", ConfigType.DOUBLE, validator=Range.at_least(0.5))
        .define("list", ConfigType.LIST, validator=ValidList.in_("a", "b"))
        .define("sized", ConfigType.LIST, validator=ListSize.at_most_of_size(1))
        .define("class", ConfigType.CLASS, validator=CaseInsensitiveValidString.in_("x"))
        .define("password", ConfigType.PASSWORD, validator=ValidString.in_("a"))
    )


DEFINITION = definition()
NAMES = DEFINITION.names
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([-(10**400), float("nan"), float("inf"), Password("")]),
    st.floats(),
    st.text(alphabet=st.characters(), max_size=10),
    st.sampled_from(["\ud800", "\x00", "a,\ud800", "é" * 3, "..", "a.b", "True", "${x:y}"]),
    st.binary(max_size=4),
    st.complex_numbers(),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=2)
    ),
    max_leaves=5,
)
KEYS = (
    st.sampled_from(NAMES) | st.integers() | st.none() | st.text(max_size=3) | st.binary(max_size=2)
)


@pytest.mark.slow
@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.dictionaries(KEYS, VALUES, max_size=8))
def test_validate_never_raises(props):
    """Each defined setting is reported once, first and in order, and the result is JSON."""
    values = DEFINITION.validate(props)

    assert tuple(value.name for value in values[: len(NAMES)]) == NAMES
    infos = config_infos("x", DEFINITION, values)
    assert json.dumps(infos, ensure_ascii=False).encode()


@settings(max_examples=50, deadline=None)
@given(
    st.sampled_from(["hunter2", "correct horse", "пароль-x"]),
    st.sampled_from([str, lambda s: [s], lambda s: {s: s}, str.encode, lambda s: (1, s), Password]),
)
def test_no_message_shows_a_password(secret, wrap):
    """Whatever a PASSWORD setting is given, its text appears nowhere, not even its length."""
    with_secret = DEFINITION.validate_all({"password": wrap(secret)})["password"]
    with_other = DEFINITION.validate_all({"password": wrap(secret * 3)})["password"]

    assert secret not in repr(with_secret)
    assert repr(with_secret) == repr(with_other)


@pytest.mark.parametrize("text", ["a" + " " * 200_000 + "b", "," * 100_000, "\\" * 100_000])
def test_long_values_take_little_time(text):
    """No value makes parsing quadratic."""
    assert len(DEFINITION.validate(dict.fromkeys(NAMES, text))) == len(NAMES)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "make",
    [Unprintable, lambda: [Unprintable()], lambda: 10**5000, lambda: {1: [10**5000]}, object],
    ids=["unprintable", "unprintable-element", "huge", "huge-inside", "object"],
)
def test_value_that_cannot_be_printed_is_a_problem(name, make):
    """Messages name the type of what refuses to be printed."""
    value = DEFINITION.validate_all({name: make()})[name]

    known = ("Invalid value ", "Configuration 'list' values must not be null.")
    assert all(message.startswith(known) for message in value.error_messages)
    assert value.error_messages or name == "sized"


def test_list_that_contains_itself():
    """A circle of values is refused like any other value."""
    circle = []
    circle.append(circle)

    assert DEFINITION.validate_all({"int": circle})["int"].error_messages
