"""The common schema of the values in a parsed array or map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.errors import DataError
from plugwright.schema._type import Type
from plugwright.schema._validation import validate_value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from plugwright.schema._schema import Schema, SchemaAndValue

__all__ = ["Merger"]

_WIDENING = (Type.INT8, Type.INT16, Type.INT32, Type.INT64, Type.FLOAT32, Type.FLOAT64)
_CONTAINERS = (Type.ARRAY, Type.MAP)


class Merger:
    """Finds the schema that fits all values added; numbers widen, nulls do not count.

    Of arrays with different schemas, and of maps, the last one says the schema, as in Kafka; other
    than there only if all values fit it.
    """

    __slots__ = ("_guessed", "_mixed", "_schema")

    def __init__(self) -> None:
        self._schema: Schema | None = None
        self._guessed = False
        self._mixed = False

    def add(self, value: SchemaAndValue) -> None:
        """Take one more value into account."""
        if value.schema is None or self._mixed:
            return
        if self._schema is None or self._schema == value.schema:
            self._schema = value.schema
            return
        self._guessed |= value.schema.type in _CONTAINERS
        self._schema = _common(self._schema, value.schema)
        self._mixed = self._schema is None

    def common(self, values: Iterable[Any]) -> Schema | None:
        """The common schema of the values added, ``None`` if there is none.

        Args:
            values: all of them.
        """
        schema = self._schema
        if schema is None or not self._guessed:
            return schema
        return schema if all(value is None or _fits(schema, value) for value in values) else None


def _common(one: Schema, other: Schema) -> Schema | None:
    # Logical types are numbers that must not be mixed with numbers, nor with one another.
    if one.name is not None or other.name is not None:
        return None
    if one.type in _WIDENING and other.type in _WIDENING:
        return max(one, other, key=lambda schema: _WIDENING.index(schema.type))
    return other if one.type is other.type else None


def _fits(schema: Schema, value: Any) -> bool:
    try:
        validate_value(schema, value)
    except DataError:
        return False
    return True
