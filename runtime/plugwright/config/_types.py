"""The enumerations of a configuration definition: type, importance, width and "no default"."""

from __future__ import annotations

from enum import Enum
from typing import Final


class ConfigType(Enum):
    """The type of a setting's value (Kafka's ``ConfigDef.Type``)."""

    BOOLEAN = "boolean"
    STRING = "string"
    INT = "int"
    SHORT = "short"
    LONG = "long"
    DOUBLE = "double"
    LIST = "list"
    CLASS = "class"
    PASSWORD = "password"  # noqa: S105  # the name of a type, not a secret


class Importance(Enum):
    """The importance of a setting for a first configuration; HIGH sorts first."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Width(Enum):
    """The width of an input field for a setting."""

    NONE = "none"
    SHORT = "short"
    MEDIUM = "medium"
    LONG = "long"


class NoDefault(Enum):
    """The type of :data:`NO_DEFAULT_VALUE`; an enum, so that it survives copying and pickling."""

    NO_DEFAULT_VALUE = "no default value"

    def __repr__(self) -> str:
        return self.name


NO_DEFAULT_VALUE: Final = NoDefault.NO_DEFAULT_VALUE
"""Used instead of a default; a setting defined with it is required."""
