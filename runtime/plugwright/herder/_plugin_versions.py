"""The settings that select a plugin's version for a connector (KIP-891)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.config import ConfigDef, ConfigType, Importance, invalid_value, parse_type
from plugwright.errors import ConfigError
from plugwright.plugins import VersionRequirement

if TYPE_CHECKING:
    from collections.abc import Mapping

NO_SUCH_VERSION = "plugin.no-such-version"
"""The error code for a plugin that is not installed in the requested version."""

PLUGIN_VERSION = "plugin.version"
"""The suffix of version keys."""

CONVERTER_KEYS = ("key.converter", "value.converter", "header.converter")
"""The settings of connectors and workers that name converters."""

CHAIN_KINDS = {"transforms": "transformation", "predicates": "predicate"}
"""The settings that list transformations and predicates, each with the word for one of them."""

_SYNTAX = (
    "an exact version such as 1.9; specifiers such as >=1.0,<2.0; "
    "ranges such as [1.0,2.0); or latest"
)


@dataclass(frozen=True, slots=True)
class ValidVersion:
    """Validates a version requirement; an empty one accepts all versions."""

    def __call__(self, name: str, value: object) -> None:
        try:
            VersionRequirement.parse(None if value is None else str(value))
        except ConfigError as error:
            message = f"{error.facts['reason']}; expected {_SYNTAX}"
            raise invalid_value(name, value, message) from error

    def __str__(self) -> str:
        return _SYNTAX


def version_documentation(subject: str) -> str:
    """The documentation of the version setting for the plugin that ``subject`` names."""
    return (
        f"Which version of {subject} to use if several are installed: {_SYNTAX}. "
        "The default is the copy in the connector's location for a converter, transformation or "
        "predicate, and otherwise the highest version that is not a pre-release."
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
    """The aliases in ``transforms`` or ``predicates``, each once; empty if it is not a list."""
    try:
        listed = parse_type(key, settings.get(key), ConfigType.LIST)
    except ConfigError:
        return ()
    return tuple(dict.fromkeys(listed)) if isinstance(listed, list) else ()


def without_versions(settings: Mapping[str, str], prefix: str = "") -> dict[str, str]:
    """Settings without the version setting, which has served its purpose."""
    return {key: value for key, value in settings.items() if key != f"{prefix}{PLUGIN_VERSION}"}
