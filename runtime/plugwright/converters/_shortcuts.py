"""Shortcuts that avoid a function call for the most common values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.converters._numbers import INTEGER_LIMITS
from plugwright.schema import Type

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugwright.schema import Schema

    Convert = Callable[[Any], Any]


class _NoneSuch:
    """A class without values."""


def passing_class(schema: Schema | None) -> type:
    """The class whose values are converted unchanged; a class without values if there is none.

    Only the exact class counts: subclasses and ``None`` are converted by the function.
    """
    if schema is None:
        return _NoneSuch
    return {Type.STRING: str, Type.BOOLEAN: bool}.get(_plain_type(schema), _NoneSuch)


def quick(schema: Schema, convert: Convert) -> Convert:
    """A function that returns integers in range at once and leaves other values to ``convert``."""
    limit = INTEGER_LIMITS.get(_plain_type(schema))
    if limit is None:
        return convert

    def pass_integer(value: Any) -> Any:
        if value.__class__ is int and -limit - 1 <= value <= limit:
            return value
        return convert(value)

    return pass_integer


def _plain_type(schema: Schema) -> Type:
    """The type, or a container's if the schema's name may mean a logical type."""
    logical = schema.name is not None and schema.name.startswith("org.apache.kafka.connect.data.")
    return Type.STRUCT if logical else schema.type
