"""Infers the schema of a value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.schema._builder import SchemaBuilder
from plugwright.schema._constants import (
    BOOLEAN_SCHEMA,
    BYTES_SCHEMA,
    FLOAT64_SCHEMA,
    INT64_SCHEMA,
    STRING_SCHEMA,
)
from plugwright.schema._struct import Struct
from plugwright.schema._type import Type

if TYPE_CHECKING:
    from collections.abc import Iterable

    from plugwright.schema._schema import Schema

_MAX_DEPTH = 100
_PRIMITIVES: tuple[tuple[type | tuple[type, ...], Schema], ...] = (
    (str, STRING_SCHEMA),
    (bool, BOOLEAN_SCHEMA),
    (float, FLOAT64_SCHEMA),
    ((bytes, bytearray, memoryview), BYTES_SCHEMA),
)


def infer_schema(value: Any) -> Schema | None:
    """The schema of a value, or ``None`` if none can be inferred.

    Integers are INT64 and floats FLOAT64, because Python has no narrower types.
    Lists and dicts must be homogeneous and hold a value that is not ``None``. If they also hold
    ``None``, their inner schema is optional and keeps the inner schemas of nested containers,
    which Kafka loses. As in Kafka, no schema is inferred for decimals, dates and times.
    """
    return _infer(value, 0)


def _infer(value: Any, depth: int) -> Schema | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return INT64_SCHEMA if INT64_SCHEMA.accepts(value) else None
    for kinds, schema in _PRIMITIVES:
        if isinstance(value, kinds):
            return schema
    if isinstance(value, Struct):
        return value.schema
    return _infer_container(value, depth + 1) if depth < _MAX_DEPTH else None


def _infer_container(value: Any, depth: int) -> Schema | None:
    if isinstance(value, list):
        element = _common(value, depth)
        return SchemaBuilder.array(element).build() if element else None
    if isinstance(value, dict):
        key = _common(value, depth)
        item = _common(value.values(), depth)
        return SchemaBuilder.map(key, item).build() if key and item else None
    return None


def _common(values: Iterable[Any], depth: int) -> Schema | None:
    """The one schema of all values, optional if there are nulls among them."""
    found: Schema | None = None
    nulls = False
    for value in values:
        if value is None:
            nulls = True
            continue
        schema = _infer(value, depth)
        if schema is None or (found is not None and found != schema):
            return None
        found = schema
    return _optional(found) if found is not None and nulls else found


def _optional(schema: Schema) -> Schema:
    builder = SchemaBuilder.like(schema).optional()
    for field in schema.fields if schema.type is Type.STRUCT else ():
        builder.field(field.name, field.schema)
    return builder.build()
