"""The settings of KIP-891 that say which version of a plugin a connector wants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.config import ConfigDef, ConfigType, Importance, invalid_value, parse_type
from plugwright.errors import ConfigError
from plugwright.plugins import VersionRequirement

if TYPE_CHECKING:
    from collections.abc import Mapping

NO_SUCH_VERSION = "plugin.no-such-version"
"""The code of the error that a plugin is there, and not in the version that is asked for."""

PLUGIN_VERSION = "plugin.version"
"""What the key of a version ends with."""

CONVERTER_KEYS = ("key.converter", "value.converter", "header.converter")
"""The settings that name converters, of connectors and of the worker."""

CHAIN_KINDS = {"transforms": "transformation", "predicates": "predicate"}
"""The settings that list what a record passes, with the word for one of them."""

_SYNTAX = (
    "a version, which is taken exactly, such as 1.9; specifiers such as >=1.0,<2.0; "
    "ranges such as [1.0,2.0); or latest"
)


@dataclass(frozen=True, slots=True)
class ValidVersion:
    """Something that says which versions will do; nothing says it of all."""

    def __call__(self, name: str, value: object) -> None:
        try:
            VersionRequirement.parse(None if value is None else str(value))
        except ConfigError as error:
            message = f"{error.facts['reason']}; expected {_SYNTAX}"
            raise invalid_value(name, value, message) from error

    def __str__(self) -> str:
        return _SYNTAX


def version_documentation(subject: str) -> str:
    """What the setting says of itself for the plugin that ``subject`` names."""
    return (
        f"Which version of {subject} to use if there are several: {_SYNTAX}. "
        "By default a converter, transformation or predicate from the location of the connector, "
        "else the highest version that is no pre-release."
    )


def chain_versions(settings: Mapping[str, str]) -> ConfigDef:
    """The version settings of a connector's transformations and predicates."""
    definition = ConfigDef()
    for key, word in CHAIN_KINDS.items():
        for alias in aliases_in(settings, key):
            definition.define(
                f"{key}.{alias}.{PLUGIN_VERSION}",
                ConfigType.STRING,
                default=None,
                importance=Importance.LOW,
                validator=ValidVersion(),
                documentation=version_documentation(f"the {word} {alias}"),
                group=f"{key.capitalize()}: {alias}",
            )
    return definition


def aliases_in(settings: Mapping[str, str], key: str) -> tuple[str, ...]:
    """The aliases that ``transforms`` or ``predicates`` lists, each once; none if it is no list."""
    try:
        listed = parse_type(key, settings.get(key), ConfigType.LIST)
    except ConfigError:
        return ()
    return tuple(dict.fromkeys(listed)) if isinstance(listed, list) else ()


def without_versions(settings: Mapping[str, str], prefix: str = "") -> dict[str, str]:
    """Settings without the version that chose the plugin, which it knows itself."""
    return {key: value for key, value in settings.items() if key != f"{prefix}{PLUGIN_VERSION}"}
