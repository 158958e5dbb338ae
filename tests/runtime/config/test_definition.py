"""Definitions: defaults, duplicates, groups, copies, embedding, parsing."""

from __future__ import annotations

import pytest

from plugwright.config import (
    NO_DEFAULT_VALUE,
    ConfigDef,
    ConfigType,
    Importance,
    NonNullValidator,
    Password,
    Range,
    ValidList,
    ValidString,
    Width,
    invalid_value,
)
from plugwright.errors import ConfigError


def test_basic_types_parse_together():
    """The first case of Kafka's ConfigDefTest."""
    definition = (
        ConfigDef()
        .define("a", ConfigType.INT, 5, Importance.HIGH, "docs", validator=Range.between(0, 14))
        .define("b", ConfigType.LONG)
        .define("c", ConfigType.STRING, "hello")
        .define("d", ConfigType.LIST)
        .define("j", ConfigType.PASSWORD)
    )

    values = definition.parse({"a": "1   ", "b": 2, "d": " a , b, c", "j": "password", "z": "?"})

    assert values == {
        "a": 1, "b": 2, "c": "hello", "d": ["a", "b", "c"], "j": Password("password"),
    }  # fmt: skip


def test_missing_required_setting():
    """A setting without default must be given."""
    with pytest.raises(ConfigError) as caught:
        ConfigDef().define("a", ConfigType.INT).parse({})

    assert str(caught.value) == 'Missing required configuration "a" which has no default value.'
    assert caught.value.code == "config.missing"


def test_first_problem_in_definition_order_is_raised():
    """``parse`` stops at the first setting that is wrong."""
    definition = ConfigDef().define("z", ConfigType.INT).define("a", ConfigType.INT)

    with pytest.raises(ConfigError, match="for configuration z"):
        definition.parse({"a": "x", "z": "x"})


def test_defined_twice():
    """One name, one setting."""
    with pytest.raises(ConfigError) as caught:
        ConfigDef().define("a", ConfigType.STRING).define("a", ConfigType.INT)

    assert str(caught.value) == "Configuration a is defined twice."


@pytest.mark.parametrize(
    ("kind", "default", "validator"),
    [
        pytest.param(ConfigType.INT, "hello", None, id="type"),
        pytest.param(ConfigType.INT, -1, Range.between(0, 10), id="range"),
        pytest.param(ConfigType.STRING, "bad", ValidString.in_("valid", "values"), id="string"),
        pytest.param(ConfigType.INT, None, Range.at_least(0), id="null-with-range"),
    ],
)
def test_bad_default_fails_to_define(kind, default, validator):
    """Defaults are parsed and validated at definition time."""
    with pytest.raises(ConfigError, match="for configuration a"):
        ConfigDef().define("a", kind, default, validator=validator)


def test_default_is_parsed_at_definition():
    """A default written as text comes out typed."""
    assert ConfigDef().define("a", ConfigType.LIST, "x, y").parse({}) == {"a": ["x", "y"]}


def test_null_default_is_a_default():
    """``None`` is not the same as no default."""
    definition = (
        ConfigDef().define("a", ConfigType.INT, None).define("b", ConfigType.INT, NO_DEFAULT_VALUE)
    )

    assert definition.keys["a"].has_default
    assert not definition.keys["b"].has_default
    assert definition.default_values == {"a": None}


def test_explicit_null_is_a_value():
    """A key that is set to ``None`` is set; only the validator may mind."""
    plain = ConfigDef().define("a", ConfigType.INT)
    strict = ConfigDef().define("a", ConfigType.INT, validator=NonNullValidator())

    assert plain.parse({"a": None}) == {"a": None}
    with pytest.raises(ConfigError, match="entry must be non null"):
        strict.parse({"a": None})


def test_parsed_list_defaults_are_independent():
    """Changing a parsed list changes no default."""
    definition = ConfigDef().define("a", ConfigType.LIST, ["x"])

    definition.parse({})["a"].append("y")

    assert definition.parse({}) == {"a": ["x"]}


def test_groups_in_order_of_first_definition():
    """Kafka's testGroupInference."""
    definition = (
        ConfigDef()
        .define("a", ConfigType.INT, group="group2", order_in_group=1, width=Width.SHORT)
        .define("n", ConfigType.INT)
        .define("b", ConfigType.INT, group="group2", order_in_group=2)
        .define("c", ConfigType.INT, group="group1", order_in_group=2)
    )

    assert definition.groups == ("group2", "group1")


def test_names_and_keys_are_read_only():
    """Settings are added by ``define`` and in no other way."""
    definition = ConfigDef().define("b", ConfigType.STRING).define("a", ConfigType.STRING)

    assert definition.names == ("b", "a")
    with pytest.raises(TypeError):
        definition.keys["c"] = definition.keys["a"]


def test_display_name_is_the_key_unless_given():
    """User interfaces have a label in any case."""
    definition = (
        ConfigDef().define("a", ConfigType.INT).define("b", ConfigType.INT, display_name="B!")
    )

    assert [key.display_name for key in definition.keys.values()] == ["a", "B!"]


def test_definition_from_another_leaves_it_alone():
    """A base is copied."""
    base = ConfigDef().define("a", ConfigType.STRING)
    more = ConfigDef(base).define("b", ConfigType.STRING)

    assert (base.names, more.names) == (("a",), ("a", "b"))


def test_undefined_dependents_fail_to_parse():
    """Kafka's words, its grammar included."""
    definition = ConfigDef().define("p", ConfigType.STRING, "", dependents=["x", "y", "x"])

    with pytest.raises(ConfigError) as caught:
        definition.parse({})

    assert str(caught.value) == (
        "Some configurations in are referred in the dependents, but not defined: x,y"
    )


def test_failing_validator_is_reported_with_its_cause():
    """An exception from foreign code becomes a configuration error."""

    def broken(_name, _value):
        raise ZeroDivisionError("oops")

    definition = ConfigDef().define("a", ConfigType.INT, validator=broken)

    with pytest.raises(ConfigError) as caught:
        definition.parse({"a": 1})

    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert str(caught.value) == (
        "Invalid value 1 for configuration a: the validator failed with ZeroDivisionError: oops"
    )


@pytest.mark.parametrize("kind", [ConfigError, ValueError], ids=["config-error", "other"])
def test_validator_that_quotes_a_password_is_silenced(kind):
    """No message gives a password away, whoever wrote it, and no cause is attached."""

    def chatty(_name, value):
        raise kind(f"too weak: {value.value}")

    definition = ConfigDef().define("pw", ConfigType.PASSWORD, validator=chatty)

    with pytest.raises(ConfigError) as caught:
        definition.parse({"pw": "hunter2"})

    assert "hunter2" not in str(caught.value) + repr(caught.value.facts)
    assert "Invalid value [hidden] for configuration pw" in str(caught.value)
    assert caught.value.__suppress_context__


class _Seen:
    """A validator and recommender that remembers what it was shown."""

    def __init__(self):
        self.names, self.parsed = [], {}

    def __call__(self, name, _value):
        self.names.append(name)

    def valid_values(self, name, parsed):
        self.names.append(name)
        self.parsed = dict(parsed)
        return [1]

    def visible(self, name, _parsed):
        return name == "a"


def test_embedded_settings_get_prefix_group_and_order():
    """Kafka's embed: sorted child, numbered, grouped."""
    child = (
        ConfigDef()
        .define("a", ConfigType.INT, 1, dependents=["b"], display_name="A")
        .define("b", ConfigType.INT, group="G")
        .define("c", ConfigType.INT)
    )

    keys = ConfigDef().embed("x.", "Top", 10, child).keys

    assert list(keys) == ["x.c", "x.a", "x.b"]
    assert [key.group for key in keys.values()] == ["Top", "Top", "Top: G"]
    assert [key.order_in_group for key in keys.values()] == [10, 11, 12]
    assert (keys["x.a"].dependents, keys["x.a"].display_name) == (("x.b",), "A")


def test_embedded_code_sees_names_without_prefix():
    """Validators and recommenders need not know where they are embedded."""
    seen = _Seen()
    child = ConfigDef().define("a", ConfigType.INT, validator=seen, recommender=seen)
    definition = ConfigDef().define("other", ConfigType.INT, 3).embed("x.", "Top", 0, child)

    value = definition.validate({"x.a": "5"})[1]

    assert seen.names == ["a", "a"]
    assert seen.parsed == {"a": 5}
    assert (value.name, value.recommended_values, value.visible) == ("x.a", (1,), True)


def test_duplicates_in_a_list_are_left_out_by_parse_alone(caplog):
    """Observed on Java: parsing warns (KAFKA-19875), validating complains (KIP-1161)."""
    anything = ValidList.any_non_duplicate_values(empty_allowed=False, null_allowed=False)
    definition = ConfigDef().define("k", ConfigType.LIST, validator=anything)

    assert definition.parse({"k": "b,a,b"}) == {"k": ["b", "a"]}
    assert [record.getMessage() for record in caplog.records] == [
        "Configuration k contains duplicate values, which are left out"
    ]
    assert definition.validate_all({"k": "b,a,b"})["k"].error_messages == (
        "Configuration 'k' values must not be duplicated.",
    )


def test_duplicates_in_any_other_list_stay():
    """Only the validator makes them wrong."""
    assert ConfigDef().define("k", ConfigType.LIST).parse({"k": "b,a,b"}) == {"k": ["b", "a", "b"]}


def test_embedded_validator_keeps_its_text():
    """Documentation of an embedded setting shows its valid values."""
    child = ConfigDef().define("a", ConfigType.INT, validator=Range.at_least(3))

    assert str(ConfigDef().embed("x.", "T", 0, child).keys["x.a"].validator) == "[3,...]"


def test_custom_error_carries_key_and_problem():
    """Validators raise errors that programs can read."""
    error = invalid_value("port", 0, "too low")

    assert error.facts["problems"] == (("port", "Invalid value 0 for configuration port: too low"),)
    assert str(invalid_value("port", None)) == "Invalid value null for configuration port"
