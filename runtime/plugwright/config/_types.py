"""The vocabulary of a configuration definition: types, importance, width and "no default"."""

from __future__ import annotations

from enum import Enum
from typing import Final


class Type(Enum):
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
    """How much a setting matters to someone who configures for the first time; HIGH sorts first."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Width(Enum):
    """How wide an input field for a setting should be."""

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
"""Stands where a default would; a setting defined with it is required."""
