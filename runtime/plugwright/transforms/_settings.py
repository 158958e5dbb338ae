"""Settings and validators that several transformations share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.config import ConfigDef, ConfigType, Importance, invalid_value
from plugwright.errors import ConfigError
from plugwright.transforms._java_regex import java_pattern

if TYPE_CHECKING:
    from plugwright.config import Validator

REPLACE_NULL_WITH_DEFAULT = "replace.null.with.default"
"""Whether the default of a field replaces null (KIP-1040)."""


FIELDS = "fields"
"""The names of the fields to transform."""


def with_fields(documentation: str, validator: Validator) -> ConfigDef:
    """A definition that begins with ``fields``."""
    return ConfigDef().define(
        FIELDS,
        ConfigType.LIST,
        importance=Importance.HIGH,
        documentation=documentation,
        validator=validator,
    )


def with_null_replacement(definition: ConfigDef) -> ConfigDef:
    """The definition with ``replace.null.with.default`` added."""
    return definition.define(
        REPLACE_NULL_WITH_DEFAULT,
        ConfigType.BOOLEAN,
        default=True,
        importance=Importance.MEDIUM,
        documentation="Whether a null in a field that has a default value is read as that default. "
        "If false, the null stays.",
    )


@dataclass(frozen=True, slots=True)
class NonEmptyList:
    """A list that is not empty."""

    def __call__(self, name: str, value: object) -> None:
        if not value:
            raise invalid_value(name, value, "Empty list")

    def __str__(self) -> str:
        return "non-empty list"


@dataclass(frozen=True, slots=True)
class NonEmptyNames:
    """A list that is not empty, without empty elements (KIP-1161).

    Attributes:
        or_none: whether it may also have no elements.
    """

    or_none: bool = False

    def __call__(self, name: str, value: object) -> None:
        if value is None:
            raise _refused(name, f"Configuration '{name}' values must not be null.")
        if not isinstance(value, list) or not (value or self.or_none):
            raise _refused(
                name,
                f"Configuration '{name}' must not be empty. "
                "Valid values include: any non-empty value",
            )
        if "" in value:
            raise _refused(name, f"Configuration '{name}' values must not be empty.")

    def __str__(self) -> str:
        return "list of non-empty names" if self.or_none else "non-empty list of non-empty names"


@dataclass(frozen=True, slots=True)
class RegexValidator:
    """A Java regular expression that has an exact counterpart in Python."""

    def __call__(self, name: str, value: object) -> None:
        if value is None:
            raise invalid_value(name, None, "Invalid regex: there is none")
        java_pattern(str(value), name)

    def __str__(self) -> str:
        return "valid regex"


def mapping_pairs(mappings: list[str], key: str) -> dict[str, str]:
    """Parse pairs ``from:to``; the last of several for the same name counts.

    Empty parts at the end of a pair are dropped first, as by Java's ``split``.

    Raises:
        ConfigError: if one does not consist of two parts.
    """
    pairs: dict[str, str] = {}
    for mapping in mappings:
        parts = java_split(mapping)
        if len(parts) != 2:  # noqa: PLR2004  # a pair
            raise _bad_pair(mappings, mapping, key)
        pairs[parts[0]] = parts[1]
    return pairs


def java_split(text: str) -> list[str]:
    """The parts between colons, without empty ones at the end; a text without colon is one part."""
    parts = text.split(":")
    if len(parts) == 1:
        return parts
    while parts and not parts[-1]:
        parts.pop()
    return parts


def _bad_pair(mappings: list[str], mapping: str, key: str) -> ConfigError:
    return invalid_value(key, mappings, f"Invalid rename mapping: {mapping}")


def _refused(key: str, message: str) -> ConfigError:
    return ConfigError(message, facts={"key": key, "problems": ((key, message),)})
