"""The validation result as Kafka Connect's REST API gives it (reference §4.6)."""

from __future__ import annotations

import json

from plugwright.config import (
    ConfigDef,
    ConfigType,
    ConfigValue,
    Importance,
    Password,
    Width,
    config_infos,
)


def definition():
    """One setting with everything, one with nothing."""
    return (
        ConfigDef()
        .define(
            "batch.size",
            ConfigType.INT,
            100,
            Importance.LOW,
            "Rows",
            group="Tuning",
            order_in_group=2,
            width=Width.SHORT,
            display_name="Batch size",
            dependents=["url"],
        )
        .define("url", ConfigType.STRING)
    )


def test_definition_and_value_of_a_setting():
    """Every property, in Kafka's spelling and order."""
    infos = config_infos("my.Sink", definition(), [ConfigValue("batch.size", 5, [5, 6])])

    assert json.dumps(infos["configs"][0]) == (
        '{"definition": {"name": "batch.size", "type": "INT", "required": false, '
        '"default_value": "100", "importance": "LOW", "documentation": "Rows", '
        '"group": "Tuning", "width": "SHORT", "display_name": "Batch size", '
        '"dependents": ["url"], "order_in_group": 2}, '
        '"value": {"name": "batch.size", "value": "5", "recommended_values": ["5", "6"], '
        '"errors": [], "visible": true}}'
    )


def test_required_setting_without_value():
    """No default is null and required; a setting that was not validated has no value."""
    infos = config_infos("my.Sink", definition(), [])

    assert infos["configs"][1]["definition"]["required"] is True
    assert infos["configs"][1]["definition"]["default_value"] is None
    assert infos["configs"][1]["definition"]["group"] is None
    assert infos["configs"][1]["value"] is None


def test_errors_are_counted_and_unknown_settings_listed_first():
    """A setting that no definition knows has none; its errors count."""
    values = [
        ConfigValue("url", None, [], ["one", "two"], visible=False),
        ConfigValue("extra", "v", [], ["three"]),
    ]

    infos = config_infos("my.Sink", definition(), values)

    assert (infos["name"], infos["error_count"], infos["groups"]) == ("my.Sink", 3, ["Tuning"])
    assert infos["configs"][0] == {
        "definition": None,
        "value": {
            "name": "extra", "value": "v", "recommended_values": [], "errors": ["three"],
            "visible": True,
        },
    }  # fmt: skip
    assert infos["configs"][2]["value"]["visible"] is False


def test_groups_can_be_given():
    """The runtime lists its own groups before those of the connector."""
    infos = config_infos("my.Sink", definition(), [], groups=["Common", "Tuning"])

    assert infos["groups"] == ["Common", "Tuning"]


def test_passwords_are_hidden_wherever_they_stand():
    """Value, default and recommended values of a PASSWORD, even as plain strings."""
    secret = ConfigDef().define("pw", ConfigType.PASSWORD, Password("hunter2"))

    infos = config_infos("my.Sink", secret, [ConfigValue("pw", "hunter2", ["hunter2"])])

    assert "hunter2" not in json.dumps(infos)
    assert infos["configs"][0]["value"]["value"] == "[hidden]"


def test_recommended_elements_of_a_list():
    """A recommendation for a LIST is an element, not a list."""
    lists = ConfigDef().define("l", ConfigType.LIST)

    infos = config_infos("my.Sink", lists, [ConfigValue("l", ["a", "b"], ["c", ["d", "e"]])])

    assert infos["configs"][0]["value"]["value"] == "a,b"
    assert infos["configs"][0]["value"]["recommended_values"] == ["c", "[d, e]"]


def test_text_can_always_be_encoded():
    """A lone surrogate in a value does not break the answer."""
    infos = config_infos("x", ConfigDef(), [ConfigValue("k\udc80", "v\udc80", [], ["e\udc80"])])

    assert "v\\\\udc80" in json.dumps(infos, ensure_ascii=False).encode().decode()
