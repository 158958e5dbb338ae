"""Compare what our ``ConfigDef`` does with what Java's did."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.oracle.notation import read_value, write_value

from plugwright.config import (
    NO_DEFAULT_VALUE,
    CaseInsensitiveValidString,
    CompositeValidator,
    ConfigDef,
    ConfigType,
    Importance,
    ListSize,
    NonEmptyString,
    NonEmptyStringWithoutControlChars,
    NonNullValidator,
    Password,
    Range,
    ValidList,
    ValidString,
    Width,
    to_enriched_rst,
    to_html,
    to_html_table,
    to_rst,
)
from plugwright.errors import ConfigError

__all__ = ["answer", "defined", "outcome", "shown", "without_widths"]

_CLASSES = {
    r"java\.lang\.Boolean": "bool",
    r"java\.lang\.(Byte|Short|Integer|Long)": "int",
    r"java\.lang\.(Float|Double)": "float",
    r"java\.util\.ArrayList": "list",
}

_VALIDATORS = {
    "at_least": Range.at_least,
    "between": Range.between,
    "valid_string": ValidString.in_,
    "case_insensitive": CaseInsensitiveValidString.in_,
    "valid_list": ValidList.in_,
    "non_null": NonNullValidator,
    "non_empty": NonEmptyString,
    "no_control_characters": NonEmptyStringWithoutControlChars,
    "list_size": ListSize.at_most_of_size,
}


def answer(case: dict[str, Any]) -> dict[str, Any]:
    """The result of a case in the notation; an error as its message."""
    try:
        return _done(case, defined(case["define"]))
    except ConfigError as error:
        return {"message": str(error)}


def defined(keys: list[dict[str, Any]]) -> ConfigDef:
    """The definition of the keys of a case."""
    definition = ConfigDef()
    for key in keys:
        definition.define(
            key["name"],
            ConfigType[key.get("type", "STRING")],
            read_value(key["default"], None) if "default" in key else NO_DEFAULT_VALUE,
            Importance[key.get("importance", "MEDIUM")],
            key.get("documentation", f"Documentation of {key['name']}"),
            validator=_validator(key["validator"]) if "validator" in key else None,
            group=key.get("group"),
            order_in_group=key.get("order", -1),
            width=Width[key.get("width", "NONE")],
            display_name=key.get("display_name"),
            dependents=key.get("dependents", ()),
            internal=key.get("internal", False),
            alternative_string=key.get("alternative"),
        )
    return definition


def _validator(node: list[Any]) -> Any:
    kind, *arguments = node
    if kind == "any_of_both":
        return CompositeValidator.of(*map(_validator, arguments))
    return _VALIDATORS[kind](*arguments)


def _done(case: dict[str, Any], definition: ConfigDef) -> dict[str, Any]:
    given = {key: read_value(value, None) for key, value in case.get("properties", {}).items()}
    if case["method"] == "render":
        return {
            "rst": to_rst(definition),
            "enriched_rst": to_enriched_rst(definition),
            "html": to_html(definition),
            "html_table": to_html_table(definition),
        }
    if case["method"] == "parse":
        return {"values": {key: shown(value) for key, value in definition.parse(given).items()}}
    validated = sorted(definition.validate(given), key=lambda value: value.name)
    return {
        "configs": [
            {
                "name": value.name,
                "value": shown(value.value),
                "errors": list(value.error_messages),
                "visible": value.visible,
            }
            for value in validated
        ]
    }


def shown(value: Any) -> Any:
    """The value of a setting in the notation."""
    return {"$password": value.value} if isinstance(value, Password) else write_value(value, None)


def _comparable(result: Any) -> str:
    """The text of a result, without the width of numbers and with Python's names of classes."""
    text = json.dumps(without_widths(result), sort_keys=True)
    for pattern, name in _CLASSES.items():
        text = re.sub(pattern, name, text)
    return text


def without_widths(node: Any) -> Any:
    """The same in the notation, without the width of numbers."""
    if isinstance(node, dict):
        tag = next(iter(node), "")
        if tag.startswith(("$int", "$float")):
            return write_value(read_value(node, None), None)
        return {key: without_widths(item) for key, item in node.items()}
    return [without_widths(item) for item in node] if isinstance(node, list) else node


def outcome(line: Any) -> str:
    """``same``; else ``message``, ``error`` or ``value``, for how ours differs from Java's."""
    ours, theirs = answer(line.case), line.result
    if "error" in theirs:
        if "message" not in ours:
            return "value"
        same = _comparable(ours["message"]) == _comparable(theirs["error"]["message"])
        return "same" if same else "message"
    if "message" in ours:
        return "error"
    return "same" if _comparable(ours) == _comparable(theirs) else "value"
