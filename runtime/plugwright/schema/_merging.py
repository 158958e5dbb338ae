"""The common schema of the values in a parsed array or map."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.schema._type import Type

if TYPE_CHECKING:
    from plugwright.schema._schema import Schema, SchemaAndValue

__all__ = ["Merger"]

_WIDENING = (Type.INT8, Type.INT16, Type.INT32, Type.INT64, Type.FLOAT32, Type.FLOAT64)


class Merger:
    """Finds the schema that fits all values added; numbers widen, nulls do not count.

    Attributes:
        schema: the common schema, ``None`` if there is none or nothing was added.
    """

    __slots__ = ("_mixed", "schema")

    def __init__(self) -> None:
        self.schema: Schema | None = None
        self._mixed = False

    def add(self, value: SchemaAndValue) -> None:
        """Take one more value into account."""
        if value.schema is None or self._mixed:
            return
        if self.schema is None:
            self.schema = value.schema
            return
        self.schema = _common(self.schema, value.schema)
        self._mixed = self.schema is None


def _common(one: Schema, other: Schema) -> Schema | None:
    if one == other:
        return one
    # Logical types are numbers that must not be mixed with numbers, nor with one another.
    if one.name is not None or other.name is not None:
        return None
    if one.type in _WIDENING and other.type in _WIDENING:
        return max(one, other, key=lambda schema: _WIDENING.index(schema.type))
    return None
