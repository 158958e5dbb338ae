"""The common schema of the values in a parsed array or map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.errors import DataError
from plugwright.schema._schema import SchemaAndValue
from plugwright.schema._type import Type
from plugwright.schema._validation import validate_value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from plugwright.schema._schema import Schema

_WIDENING = (Type.INT8, Type.INT16, Type.INT32, Type.INT64, Type.FLOAT32, Type.FLOAT64)
_CONTAINERS = (Type.ARRAY, Type.MAP)


class Merger:
    """Finds the schema that fits all values added; numbers widen, nulls do not count.

    For arrays with different schemas, and for maps, the last value determines the schema, as in
    Kafka; unlike in Kafka, only if all values fit it.

    Args:
        schema: the schema of the previous values.
        values: the previous values.
    """

    __slots__ = ("_guessed", "_last", "_mixed", "_others", "_schema")

    def __init__(self, schema: Schema | None, values: Iterable[Any]) -> None:
        self._schema = schema
        self._last = schema
        self._guessed = False
        self._mixed = False
        self._others: list[SchemaAndValue] = []
        if schema is not None and schema.type in _CONTAINERS:
            self._others = [SchemaAndValue(schema, value) for value in values]

    def add(self, value: SchemaAndValue) -> None:
        """Take one more value into account."""
        schema = value.schema
        if schema is None or self._mixed or schema is self._last:
            self._keep(value)
            return
        self._last = schema
        self._keep(value)
        if self._schema is None or self._schema == schema:
            self._schema = schema
            return
        self._guessed |= schema.type in _CONTAINERS
        self._schema = _common(self._schema, schema)
        self._mixed = self._schema is None

    def _keep(self, value: SchemaAndValue) -> None:
        if value.schema is not None and value.schema.type in _CONTAINERS and not self._mixed:
            self._others.append(value)

    def common(self) -> Schema | None:
        """The common schema of the values added, ``None`` if there is none."""
        schema = self._schema
        if schema is None or not self._guessed:
            return schema
        # Checks only values with another schema; otherwise each level would check all levels below.
        fit = all(
            each.schema is schema or each.schema == schema or _fits(schema, each.value)
            for each in self._others
        )
        return schema if fit else None


def _common(one: Schema, other: Schema) -> Schema | None:
    # Logical types are numbers that must be mixed neither with numbers nor with one another.
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
