"""The settings that transformations bring into a connector's configuration."""

from __future__ import annotations

import pytest

from plugwright.config import ConfigDef, ConfigType, import_class
from plugwright.transforms import Transformation, chain_config_def

PROPS = {
    "transforms": "mask",
    "transforms.mask.type": "MaskField$Value",
    "predicates": "t",
    "predicates.t.type": "TopicNameMatches",
}


class Masked(Transformation):
    """Has a setting that the runtime keeps for itself."""

    def config(self):
        """One masked, one free."""
        return ConfigDef().define("predicate", ConfigType.INT).define("own", ConfigType.INT)

    def apply(self, record):
        """Nothing."""
        return record


class Silent(Transformation):
    """Has no definition at all."""

    def config(self):
        """Nothing, which is wrong."""

    def apply(self, record):
        """Nothing."""
        return record


class Broken(Silent):
    """Cannot be made."""

    def __init__(self):
        raise RuntimeError("no")


def _resolve(name):
    own = {cls.__name__: cls for cls in (Masked, Silent, Broken)}
    return own.get(name) or import_class(f"plugwright.transforms:{name}")


def _type_problem(name):
    props = {"transforms": "a", "transforms.a.type": name}
    found = chain_config_def(props, _resolve).validate_all(props)
    return " | ".join(found["transforms.a.type"].error_messages)


def test_every_alias_brings_its_settings_in_a_group_of_its_own():
    """As Kafka's enriched definition has them."""
    definition = chain_config_def(PROPS, _resolve)

    assert {name: key.group for name, key in definition.keys.items()} == {
        "transforms": "Transforms",
        "predicates": "Predicates",
        "transforms.mask.type": "Transforms: mask",
        "transforms.mask.predicate": "Transforms: mask",
        "transforms.mask.negate": "Transforms: mask",
        "transforms.mask.fields": "Transforms: mask",
        "transforms.mask.replacement": "Transforms: mask",
        "transforms.mask.replace.null.with.default": "Transforms: mask",
        "predicates.t.type": "Predicates: t",
        "predicates.t.pattern": "Predicates: t",
    }


def test_the_type_is_described_for_forms():
    """Label, documentation and valid values in Kafka's words."""
    key = chain_config_def(PROPS, _resolve).keys["transforms.mask.type"]

    assert key.display_name == "Transformation type for mask"
    assert key.documentation == "Class for the 'mask' transformation."
    assert str(key.validator) == "valid configs for mask transformation"


def test_settings_can_be_added_to_those_of_a_connector():
    """One definition validates both at once."""
    connector = ConfigDef().define("name", ConfigType.STRING)
    for key in chain_config_def(PROPS, _resolve).keys.values():
        connector.add(key)
    found = connector.validate_all(PROPS)

    assert found["name"].error_messages
    assert found["transforms.mask.fields"].error_messages


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("RecordIsTombstone", "does not implement the Transformation interface"),
        ("Cast", "Did you mean plugwright.transforms.Cast$Key, "),
        ("Transformation", "This class is abstract and cannot be created."),
        ("Silent", "config() must return a ConfigDef that is not null."),
        ("Broken", "Error getting config definition from Transformation: no"),
        ("Nothing", "Class Nothing could not be found."),
    ],
)
def test_a_class_that_cannot_be_used_is_a_problem_of_its_type(name, problem):
    """And brings no settings."""
    assert problem in _type_problem(name)


def test_a_setting_that_the_runtime_has_itself_is_masked(caplog):
    """With a warning; the other ones count."""
    props = {"transforms": "a", "transforms.a.type": "Masked"}
    keys = chain_config_def(props, _resolve).keys

    assert keys["transforms.a.predicate"].type is ConfigType.STRING
    assert keys["transforms.a.own"].type is ConfigType.INT
    assert "masked" in caplog.text


@pytest.mark.parametrize("value", [None, 5, "", ["a", "a"]])
def test_any_list_of_aliases_gives_a_definition(value):
    """Validation tells what is wrong with it, nothing is raised."""
    assert "transforms" in chain_config_def({"transforms": value}, _resolve).keys
