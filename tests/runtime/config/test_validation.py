"""Validation reports every problem at once and asks recommenders (reference §4.2)."""

from __future__ import annotations

import pytest

from plugwright.config import ConfigDef, ConfigType, ConfigValue, Range, require_valid
from plugwright.errors import ConfigError

MISSING = 'Missing required configuration "{}" which has no default value.'


class Integers:
    """Recommends fixed integers."""

    def __init__(self, *values):
        self.values = values

    def valid_values(self, _name, _parsed):
        """Propose."""
        return list(self.values)

    def visible(self, _name, _parsed):
        """Decide."""
        return True


def family():
    """Kafka's four keys: a and d both have b as dependent, a has c as well."""
    return (
        ConfigDef()
        .define("a", ConfigType.INT, dependents=["b", "c"], recommender=Integers(1, 2, 3))
        .define("b", ConfigType.INT, recommender=Integers(4, 5))
        .define("c", ConfigType.INT, recommender=Integers(4, 5))
        .define("d", ConfigType.INT, dependents=["b"], recommender=Integers(1, 2, 3))
    )


def test_child_of_two_parents_is_reported_twice():
    """Kafka's testValidate, value for value."""
    assert family().validate({"a": "1", "d": "10"}) == [
        ConfigValue("a", 1, [1, 2, 3], []),
        ConfigValue("b", None, [4, 5], [MISSING.format("b")] * 2),
        ConfigValue("c", None, [4, 5], [MISSING.format("c")]),
        ConfigValue("d", 10, [1, 2, 3], []),
    ]


def test_undefined_dependent_is_an_invisible_error():
    """Kafka's testValidateMissingConfigKey."""
    definition = ConfigDef().define("a", ConfigType.INT, dependents=["d"])

    assert definition.validate({"a": "1"}) == [
        ConfigValue("a", 1),
        ConfigValue(
            "d", None, [], ["d is referred in the dependents, but not defined."], visible=False
        ),
    ]


def test_bad_number_on_a_required_range_has_two_errors():
    """The validator still runs on the missing value (observed on Kafka's classes)."""
    definition = ConfigDef().define("n", ConfigType.INT, validator=Range.at_least(1))

    assert definition.validate({"n": "x"})[0].error_messages == (
        "Invalid value x for configuration n: Not a number of type INT",
        "Invalid value null for configuration n: Value must be non-null",
    )


def test_every_problem_at_once_in_definition_order():
    """The order of the given settings does not matter."""
    definition = (
        ConfigDef()
        .define("z", ConfigType.INT)
        .define("a", ConfigType.BOOLEAN)
        .define("m", ConfigType.INT, 1)
    )

    values = definition.validate({"a": "x", "z": "x"})

    assert [(value.name, len(value.error_messages)) for value in values] == [
        ("z", 1), ("a", 1), ("m", 0),
    ]  # fmt: skip


def test_validate_all_is_by_key():
    """The map variant holds the same values."""
    definition = ConfigDef().define("a", ConfigType.INT, 1)

    assert definition.validate_all({}) == {"a": ConfigValue("a", 1)}


def test_recommended_values_are_not_enforced():
    """A value outside of what is recommended is no problem."""
    definition = ConfigDef().define("a", ConfigType.INT, recommender=Integers(1, 2))

    assert definition.validate({"a": "9"}) == [ConfigValue("a", 9, [1, 2])]


class Narrowing:
    """Recommends other values at the second call."""

    def __init__(self):
        self.answers = [[1, 2, 3], [2, 3, 4]]

    def valid_values(self, _name, _parsed):
        """Propose."""
        return self.answers.pop(0)

    def visible(self, _name, _parsed):
        """Decide."""
        return False


def test_second_recommendation_only_narrows():
    """What two parents lead to is the intersection; visibility comes from the recommender."""
    definition = (
        ConfigDef()
        .define("p", ConfigType.INT, 1, dependents=["k"])
        .define("q", ConfigType.INT, 1, dependents=["k"])
        .define("k", ConfigType.INT, 1, recommender=Narrowing())
    )

    assert definition.validate_all({})["k"] == ConfigValue("k", 1, [2, 3], visible=False)


class Failing:
    """Raises in place of recommending."""

    def __init__(self, error):
        self.error = error

    def valid_values(self, _name, _parsed):
        """Propose."""
        raise self.error

    def visible(self, _name, _parsed):
        """Decide."""
        return True


@pytest.mark.parametrize(
    ("error", "message"),
    [
        pytest.param(ConfigError("no database"), "no database", id="config-error"),
        pytest.param(
            OSError("down"), "The recommender of a failed with OSError: down", id="any-error"
        ),
        pytest.param(
            ConfigError("cannot log in with hunter2"),
            "Invalid value [hidden] for configuration a",
            id="quotes-a-password",
        ),
    ],
)
def test_failing_recommender_is_a_problem_of_its_setting(error, message):
    """Recommenders look outward and may fail; no password leaves with the message."""
    definition = (
        ConfigDef()
        .define("a", ConfigType.INT, 1, recommender=Failing(error))
        .define("pw", ConfigType.PASSWORD)
    )

    assert definition.validate({"pw": "hunter2"})[0] == ConfigValue("a", 1, [], [message])


def test_settings_that_depend_on_each_other_are_still_validated():
    """A circle of dependents neither hangs nor hides a problem."""
    definition = (
        ConfigDef()
        .define("a", ConfigType.INT, dependents=["b"])
        .define("b", ConfigType.INT, dependents=["a"])
        .define("c", ConfigType.INT, 1, dependents=["c"])
    )

    values = definition.validate({"a": "1"})

    assert values[0].value == 1
    assert values[1].error_messages == (MISSING.format("b"),)


def test_deep_diamonds_stay_cheap():
    """Each key is visited once a parent, not once a path."""
    definition = ConfigDef()
    for level in range(60):
        below = [f"{level + 1}l", f"{level + 1}r"] if level < 59 else []
        definition.define(f"{level}l", ConfigType.INT, 0, dependents=below)
        definition.define(f"{level}r", ConfigType.INT, 0, dependents=below)

    assert len(definition.validate({})) == 120


def test_key_that_is_no_string_is_an_error_without_its_value():
    """It is unknown whether such a value is secret."""
    definition = ConfigDef().define("a", ConfigType.INT, 1)

    assert definition.validate({7: "s3cret"})[1] == ConfigValue(
        "7", None, [], ["Invalid value [hidden] for configuration 7: Key must be a string."]
    )


def test_require_valid_names_all_problems():
    """One error for all, keys in definition order."""
    definition = ConfigDef().define("topics", ConfigType.LIST).define("batch.size", ConfigType.INT)

    with pytest.raises(ConfigError) as caught:
        require_valid(definition.validate({"batch.size": "x"}))

    bad = "Invalid value x for configuration batch.size: Not a number of type INT"
    assert str(caught.value) == (
        f"2 problems · topics: {MISSING.format('topics')} · batch.size: {bad}"
    )
    assert caught.value.facts["problems"] == (
        ("topics", MISSING.format("topics")), ("batch.size", bad),
    )  # fmt: skip


def test_require_valid_names_a_repeated_problem_once():
    """That a setting has two parents is no second problem."""
    with pytest.raises(ConfigError, match=r"^1 problem · b: "):
        require_valid(family().validate({"a": "1", "c": "1", "d": "1"}))


def test_require_valid_is_silent_without_problems():
    """Good settings pass."""
    assert require_valid([ConfigValue("a", 1)]) is None


def test_connector_can_add_a_problem():
    """Checks across settings add to what the definition found."""
    value = ConfigValue("a", 1).with_error("not with b")

    assert value == ConfigValue("a", 1, (), ("not with b",))
