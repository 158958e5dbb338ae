"""Functions that turn Connect values into the plain ones that writers of files take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from plugwright import DataError, Date, Decimal, Schema, SchemaType, Struct, Time, Timestamp
from plugwright_lake.values import LOGICAL, inner, moment_number, refused

if TYPE_CHECKING:
    from collections.abc import Callable

    Convert = Callable[[Any], Any]

__all__ = ["Shapes", "converter"]

_AS_THEY_ARE = frozenset(
    {
        SchemaType.BOOLEAN,
        SchemaType.INT8,
        SchemaType.INT16,
        SchemaType.INT32,
        SchemaType.INT64,
        SchemaType.FLOAT32,
        SchemaType.FLOAT64,
    }
)
_MOMENTS = frozenset({Date.LOGICAL_NAME, Time.LOGICAL_NAME, Timestamp.LOGICAL_NAME})


class Shapes(Protocol):
    """The differences between the writers."""

    def decimal(self, schema: Schema) -> Convert:
        """Converts decimals of a schema."""

    def moment(self, schema: Schema) -> Convert | None:
        """Converts dates, times and timestamps; ``None`` if they are written as numbers."""

    def map(self, schema: Schema, key: Convert, value: Convert) -> Convert:
        """Converts maps, whose keys and values are converted so."""


def converter(schema: Schema, shapes: Shapes) -> Convert:
    """The function for values of a schema; it raises a ``DataError`` if one has no place.

    Hot path: what it returns is called for every value, and looks at no schema any more.
    """
    if schema.type in _AS_THEY_ARE and schema.name not in LOGICAL:
        return _unchanged(schema)
    convert = _required(schema, shapes)
    if schema.optional:
        return lambda value: None if value is None else convert(value)
    default = schema.default

    def present(value: Any) -> Any:
        if value is None:
            value = default
            if value is None:
                raise _null()
        return convert(value)

    return present


def _unchanged(schema: Schema) -> Convert:
    """For values that are written as they are: one test each, if they fit."""
    accepts, optional, default = schema.accepts, schema.optional, schema.default

    def unchanged(value: Any) -> Any:
        if value is None:
            if optional:
                return None
            value = default
            if value is None:
                raise _null()
        return value if accepts(value) else _misfit(schema, value)

    return unchanged


def _null() -> DataError:
    return refused("a value that is not optional is null", "make its schema optional")


def _misfit(schema: Schema, value: Any) -> NoReturn:
    raise refused(f"a {type(value).__name__} does not fit its schema {schema}", "fix the source")


def _required(schema: Schema, shapes: Shapes) -> Convert:
    if schema.name == Decimal.LOGICAL_NAME:
        return shapes.decimal(schema)
    if schema.name in _MOMENTS:
        return shapes.moment(schema) or (lambda value: moment_number(schema, value))
    if schema.type is SchemaType.STRUCT:
        return _struct(schema, shapes)
    return _checked(schema, _inside(schema, shapes))


def _inside(schema: Schema, shapes: Shapes) -> Convert:
    """Convert a value that is known to have the type of its schema."""
    match schema.type:
        case SchemaType.ARRAY:
            element = converter(inner(schema.value_schema), shapes)
            return lambda value: [element(each) for each in value]
        case SchemaType.MAP:
            key = converter(inner(schema.key_schema), shapes)
            return shapes.map(schema, key, converter(inner(schema.value_schema), shapes))
        case SchemaType.STRING:
            return _text
        case _:  # bytes
            return bytes


def _struct(schema: Schema, shapes: Shapes) -> Convert:
    fields = [(field.name, converter(field.schema, shapes)) for field in schema.fields]

    def convert(value: Any) -> dict[str, Any]:
        if not isinstance(value, Struct) or (value.schema is not schema and value.schema != schema):
            raise refused(
                f"a {type(value).__name__} is not a struct of its schema", "fix the source"
            )
        return {name: convert(value.get(name)) for name, convert in fields}

    return convert


def _checked(schema: Schema, convert: Convert) -> Convert:
    accepts = schema.accepts

    def checked(value: Any) -> Any:
        if not accepts(value):
            _misfit(schema, value)
        return convert(value)

    return checked


def _text(value: str) -> str:
    if value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise refused(f"a text is not valid Unicode: {error}", "fix the source") from error
    return value
