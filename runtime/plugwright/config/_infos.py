"""The answer of a validation request, as Kafka Connect's REST API gives it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.config._printing import convert_to_string, hidden_if_secret, printed
from plugwright.config._types import Type

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plugwright.config._definition import ConfigDef
    from plugwright.config._key import ConfigKey
    from plugwright.config._values import ConfigValue


def config_infos(
    class_name: str,
    definition: ConfigDef,
    values: Iterable[ConfigValue],
    groups: Sequence[str] | None = None,
) -> dict[str, Any]:
    """The validation result of a plugin, ready for JSON.

    Values without definition come first, with a definition of ``null``; then every defined setting
    in the order of definition, with a value of ``null`` where the validation left it out.

    Args:
        class_name: the plugin that was validated.
        definition: all settings that apply to it.
        values: what validation found.
        groups: the groups to list, by default those of the definition.
    """
    by_name = {value.name: value for value in values}
    unknown = [value for name, value in by_name.items() if name not in definition.keys]
    configs: list[dict[str, Any]] = [
        {"definition": None, "value": value_info(value, None)} for value in unknown
    ]
    for name, key in definition.keys.items():
        value = by_name.get(name)
        info = None if value is None else value_info(value, key.type)
        configs.append({"definition": key_info(key), "value": info})
    return {
        "name": class_name,
        "error_count": sum(len(value.error_messages) for value in by_name.values()),
        "groups": list(definition.groups if groups is None else groups),
        "configs": configs,
    }


def key_info(key: ConfigKey) -> dict[str, Any]:
    """One setting as ``GET /connector-plugins/{plugin}/config`` lists it."""
    default = key.default_value if key.has_default else None
    return {
        "name": key.name,
        "type": key.type.name,
        "required": not key.has_default,
        "default_value": _text(default, key.type),
        "importance": key.importance.name,
        "documentation": key.documentation,
        "group": key.group,
        "width": key.width.name,
        "display_name": key.display_name,
        "dependents": list(key.dependents),
        "order": key.order_in_group,
    }


def value_info(value: ConfigValue, type: Type | None) -> dict[str, Any]:  # noqa: A002  # Kafka's name
    """The outcome for one setting; values are text, passwords hidden."""
    element = Type.STRING if type is Type.LIST else type
    return {
        "name": printed(value.name),
        "value": _text(value.value, type),
        "recommended_values": [_text(item, element) for item in value.recommended_values],
        "errors": [printed(message) for message in value.error_messages],
        "visible": value.visible,
    }


def _text(value: object, type: Type | None) -> str | None:  # noqa: A002  # Kafka's name
    return convert_to_string(hidden_if_secret(value, type), type)
