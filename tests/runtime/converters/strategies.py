"""Schemas with values that stand under them, for property tests."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal as PythonDecimal
from typing import Any

from hypothesis import strategies as st

from plugwright.schema import Date, Decimal, Schema, SchemaBuilder, Struct, Time, Timestamp, Type

__all__ = ["JSON_VALUES", "records", "schemas", "values"]

_BITS = {Type.INT8: 7, Type.INT16: 15, Type.INT32: 31, Type.INT64: 63}
_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
_NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,5}", fullmatch=True)
_PRIMITIVES = [type_ for type_ in Type if type_.is_primitive]
_MILLISECONDS = st.integers(-(10**13), 10**13)
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | _TEXT
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=8,
)
"""Schemaless data as JSON can carry it."""


def _leaf_values(schema: Schema) -> st.SearchStrategy[Any]:
    if schema.type in _BITS:
        limit = 2 ** _BITS[schema.type]
        return st.integers(-limit, limit - 1)
    return {
        Type.FLOAT32: st.floats(allow_nan=False, width=32),
        Type.FLOAT64: st.floats(allow_nan=False),
        Type.BOOLEAN: st.booleans(),
        Type.STRING: _TEXT,
        Type.BYTES: st.binary(max_size=8),
    }[schema.type]


def _logical_values(schema: Schema) -> st.SearchStrategy[Any] | None:
    match schema.name:
        case Decimal.LOGICAL_NAME:
            scale = int(schema.parameters["scale"])
            numbers = st.integers(-(10**20), 10**20)
            return numbers.map(lambda number: PythonDecimal(number).scaleb(-scale))
        case Date.LOGICAL_NAME:
            return st.dates()
        case Time.LOGICAL_NAME:
            day = st.integers(0, 86_399_999)
            return day.map(lambda ms: (_EPOCH + dt.timedelta(milliseconds=ms)).time())
        case Timestamp.LOGICAL_NAME:
            return _MILLISECONDS.map(lambda ms: _EPOCH + dt.timedelta(milliseconds=ms))
    return None


def values(schema: Schema) -> st.SearchStrategy[Any]:
    """Values of a schema; also null where it is optional."""
    logical = _logical_values(schema)
    present = _present_values(schema) if logical is None else logical
    return st.none() | present if schema.optional else present


def _present_values(schema: Schema) -> st.SearchStrategy[Any]:
    if schema.type is Type.ARRAY:
        return st.lists(values(schema.value_schema), max_size=3)
    if schema.type is Type.MAP:
        keys = values(schema.key_schema)
        return st.dictionaries(keys, values(schema.value_schema), max_size=3)
    if schema.type is not Type.STRUCT:
        return _leaf_values(schema)
    fields = st.tuples(*(values(field.schema) for field in schema.fields))
    return fields.map(lambda made: Struct.from_trusted(schema, made))


@st.composite
def schemas(draw: st.DrawFn, depth: int = 2, *, optional: bool | None = None) -> Schema:
    """Schemas of every type; structs have names of their own, maps of any key one each."""
    kind = draw(
        st.sampled_from(["leaf", "logical", "array", "map", "struct"][: 2 + 3 * (depth > 0)])
    )
    builder = {
        "leaf": _leaf,
        "logical": _logical,
        "array": _array,
        "map": _map,
        "struct": _struct,
    }[kind](draw, depth)
    if draw(st.booleans()) if optional is None else optional:
        builder.optional()
    if kind in {"leaf", "array"} and draw(st.booleans()):
        builder.doc(draw(_TEXT)).version(draw(st.integers(0, 9)))
    return builder.build()


def _leaf(draw: st.DrawFn, _depth: int) -> SchemaBuilder:
    return SchemaBuilder.type(draw(st.sampled_from(_PRIMITIVES)))


def _logical(draw: st.DrawFn, _depth: int) -> SchemaBuilder:
    decimals = st.integers(0, 5).map(Decimal.builder)
    others = st.sampled_from([Date.builder, Time.builder, Timestamp.builder])
    return draw(decimals | others.map(lambda builder: builder()))


def _array(draw: st.DrawFn, depth: int) -> SchemaBuilder:
    return SchemaBuilder.array(draw(schemas(depth - 1)))


def _map(draw: st.DrawFn, depth: int) -> SchemaBuilder:
    key_type = draw(st.sampled_from([Type.STRING, Type.INT32, Type.BOOLEAN]))
    builder = SchemaBuilder.map(SchemaBuilder.type(key_type), draw(schemas(depth - 1)))
    return builder.name(_fresh_name(draw))


def _struct(draw: st.DrawFn, depth: int) -> SchemaBuilder:
    builder = SchemaBuilder.struct().name(_fresh_name(draw))
    for name in draw(st.lists(_NAMES, unique=True, max_size=4)):
        builder.field(name, draw(schemas(depth - 1)))
    return builder


def _fresh_name(draw: st.DrawFn) -> str:
    return f"made.N{draw(st.uuids()).hex}"


def records() -> st.SearchStrategy[tuple[Schema, Any]]:
    """A schema and a value under it."""
    return schemas().flatmap(lambda schema: st.tuples(st.just(schema), values(schema)))
