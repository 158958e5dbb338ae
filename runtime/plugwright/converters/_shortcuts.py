"""Ways around a function call for the values that nearly every field has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.converters._numbers import INTEGER_LIMITS
from plugwright.schema import Type

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugwright.schema import Schema

    Convert = Callable[[Any], Any]

__all__ = ["passing_class", "quick"]


class _NoneSuch:
    """The class of no value."""


def passing_class(schema: Schema | None) -> type:
    """The class whose values are themselves on both sides; one without values if there is none.

    Only the exact class: subclasses, and ``None``, take the long way.
    """
    if schema is None:
        return _NoneSuch
    return {Type.STRING: str, Type.BOOLEAN: bool}.get(_plain_type(schema), _NoneSuch)


def quick(schema: Schema, convert: Convert) -> Convert:
    """A function that passes integers in range at once and leaves the rest to another."""
    limit = INTEGER_LIMITS.get(_plain_type(schema))
    if limit is None:
        return convert

    def pass_integer(value: Any) -> Any:
        if value.__class__ is int and -limit - 1 <= value <= limit:
            return value
        return convert(value)

    return pass_integer


def _plain_type(schema: Schema) -> Type:
    """The type, but a container's where a name may mean a logical type."""
    logical = schema.name is not None and schema.name.startswith("org.apache.kafka.connect.data.")
    return Type.STRUCT if logical else schema.type
