"""The response to a validation request, as in Kafka Connect's REST API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.config._printing import convert_to_string, hidden_if_secret, printed
from plugwright.config._types import ConfigType

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

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
    definitions = [key_info(key) for key in definition.keys.values()]
    infos = infos_of(class_name, definitions, values)
    return infos | {"groups": list(definition.groups if groups is None else groups)}


def infos_of(
    class_name: str, definitions: Iterable[Mapping[str, Any]], values: Iterable[ConfigValue]
) -> dict[str, Any]:
    """The same from definitions that `key_info` made, possibly in other processes.

    If several definitions have the same name, the first one counts. Groups keep their order.
    """
    by_name = {value.name: value for value in values}
    ordered: dict[str, Mapping[str, Any]] = {}
    for each in definitions:
        ordered.setdefault(each["name"], each)
    configs: list[dict[str, Any]] = [
        {"definition": None, "value": value_info(value, None)}
        for name, value in by_name.items()
        if name not in ordered
    ]
    for name, definition in ordered.items():
        value = by_name.get(name)
        info = None if value is None else value_info(value, ConfigType[definition["type"]])
        configs.append({"definition": definition, "value": info})
    return {
        "name": class_name,
        "error_count": sum(len(value.error_messages) for value in by_name.values()),
        "groups": list(dict.fromkeys(d["group"] for d in ordered.values() if d["group"])),
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
        "order_in_group": key.order_in_group,
    }


def value_info(value: ConfigValue, type: ConfigType | None) -> dict[str, Any]:  # noqa: A002  # Kafka's name
    """The outcome for one setting; values are text, passwords hidden."""
    element = ConfigType.STRING if type is ConfigType.LIST else type
    return {
        "name": printed(value.name),
        "value": _text(value.value, type),
        "recommended_values": [_text(item, element) for item in value.recommended_values],
        "errors": [printed(message) for message in value.error_messages],
        "visible": value.visible,
    }


def _text(value: object, type: ConfigType | None) -> str | None:  # noqa: A002  # Kafka's name
    return convert_to_string(hidden_if_secret(value, type), type)
