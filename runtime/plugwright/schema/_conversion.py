"""Values as booleans, numbers, decimals, lists, maps and structs."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal as PythonDecimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from plugwright.errors import DataError
from plugwright.java_numbers import parse_number, to_double, to_float32, to_long, wrap
from plugwright.java_text import float_text
from plugwright.schema._decimal import Decimal
from plugwright.schema._parsing import parse_string
from plugwright.schema._struct import Struct
from plugwright.schema._temporal import Date, Time, Timestamp
from plugwright.schema._text import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.schema._schema import Schema


_LOGICAL: Mapping[str, type[Date | Time | Timestamp]] = MappingProxyType(
    {logical.LOGICAL_NAME: logical for logical in (Date, Time, Timestamp)}
)


def convert_to_boolean(schema: Schema | None, value: Any) -> bool | None:
    """``true`` or ``false`` as text, or whether a number is not zero; ``None`` stays ``None``.

    Raises:
        DataError: if the value is neither.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        parsed = parse_string(value).value
        if isinstance(parsed, bool):
            return parsed
    return to_integer(schema, value) != 0


def convert_to_byte(schema: Schema | None, value: Any) -> int | None:
    """An INT8; larger numbers are narrowed as a Java cast does; ``None`` stays ``None``.

    Raises:
        DataError: if the value is not a number, text of a number, or date or time under its schema.
    """
    return None if value is None else wrap(to_integer(schema, value), 8)


def convert_to_short(schema: Schema | None, value: Any) -> int | None:
    """An INT16; larger numbers are narrowed as a Java cast does; ``None`` stays ``None``.

    Raises:
        DataError: if the value is not a number, text of a number, or date or time under its schema.
    """
    return None if value is None else wrap(to_integer(schema, value), 16)


def convert_to_integer(schema: Schema | None, value: Any) -> int | None:
    """An INT32; larger numbers are narrowed as a Java cast does; ``None`` stays ``None``.

    Raises:
        DataError: if the value is not a number, text of a number, or date or time under its schema.
    """
    return None if value is None else wrap(to_integer(schema, value), 32)


def convert_to_long(schema: Schema | None, value: Any) -> int | None:
    """An INT64; larger numbers are narrowed as a Java cast does; ``None`` stays ``None``.

    Raises:
        DataError: if the value is not a number, text of a number, or date or time under its schema.
    """
    return None if value is None else to_integer(schema, value)


def convert_to_float(schema: Schema | None, value: Any) -> float | None:
    """A FLOAT32, infinite where the number is too large; ``None`` stays ``None``.

    Raises:
        DataError: if the value is not a number, text of a number, or date or time under its schema.
    """
    return None if value is None else to_float32(_as_double(schema, value))


def convert_to_double(schema: Schema | None, value: Any) -> float | None:
    """A FLOAT64, infinite where the number is too large; ``None`` stays ``None``.

    Raises:
        DataError: if the value is not a number, text of a number, or date or time under its schema.
    """
    return None if value is None else _as_double(schema, value)


def convert_to_list(schema: Schema | None, value: Any) -> list[Any]:
    """A list, or the text of one.

    Raises:
        DataError: if the value is neither, or ``None``.
    """
    found = parsed(value)
    if isinstance(found, list):
        return found
    raise inconvertible(schema, value, "Schema{ARRAY}")


def convert_to_map(schema: Schema | None, value: Any) -> dict[Any, Any]:
    """A map, or the text of one.

    Raises:
        DataError: if the value is neither, or ``None``.
    """
    found = parsed(value)
    if isinstance(found, dict):
        return found
    raise inconvertible(schema, value, "Schema{MAP}")


def convert_to_struct(schema: Schema | None, value: Any) -> Struct:
    """A struct; nothing else can become one.

    Raises:
        DataError: if the value is not a struct.
    """
    if isinstance(value, Struct):
        return value
    raise inconvertible(schema, value, "Schema{STRUCT}")


def convert_to_decimal(schema: Schema | None, value: Any, scale: int) -> PythonDecimal:
    """Convert a decimal, a number, text of a number, or bytes with that scale to a decimal.

    Nothing is rescaled; ``scale`` applies only to bytes. A number gets the scale of its text as a
    double: 5 becomes 5.0. An integer with more digits than a double keeps them; Kafka loses them.

    Raises:
        DataError: if the value is none of these, or ``None``.
    """
    found = value
    if isinstance(value, (bytes, bytearray, memoryview)):
        found = Decimal.to_logical(Decimal.schema(scale), value)
    elif isinstance(value, int) and not isinstance(value, bool):
        found = _exact(value)
    elif isinstance(value, float):
        found = parse_number(float_text(value))
    elif isinstance(value, str):
        found = parse_number(value)
    if isinstance(found, PythonDecimal) and found.is_finite():
        return found
    raise inconvertible(schema, value, str(Decimal.schema(scale)))


def to_integer(schema: Schema | None, value: Any) -> int:
    """The 64-bit integer in a number, the text of a number, or a date or time under its schema.

    Raises:
        DataError: if the value is none of these.
    """
    moment = _encoded(schema, value)
    if moment is not None:
        return moment
    return to_long(_number(schema, value))


def _as_double(schema: Schema | None, value: Any) -> float:
    moment = _encoded(schema, value)
    return float(moment) if moment is not None else to_double(_number(schema, value))


def _number(schema: Schema | None, value: Any) -> float | PythonDecimal:
    """The number that a value is, or that its text represents."""
    number = parse_number(value) if isinstance(value, str) else value
    if isinstance(number, (int, float)) and not isinstance(number, bool):
        return number
    if isinstance(number, PythonDecimal) and number.is_finite():
        return number
    raise inconvertible(schema, value, "a number" if schema is None else str(schema))


def _exact(number: int) -> PythonDecimal:
    short = parse_number(float_text(to_double(number)))
    return short if short is not None and short == number else PythonDecimal(number)


def _encoded(schema: Schema | None, value: Any) -> int | None:
    """Days or milliseconds, if the value and its schema are a date, time or timestamp."""
    if schema is None or not isinstance(value, (dt.date, dt.time)):
        return None
    logical = _LOGICAL.get(schema.name or "")
    return None if logical is None else logical.from_logical(schema, value)


def parsed(value: Any) -> Any:
    """The value that a text represents; any other value unchanged."""
    return parse_string(value).value if isinstance(value, str) else value


def inconvertible(schema: Schema | None, value: object, target: str) -> DataError:
    """The error for a value that cannot become what the caller wants."""
    message = (
        "Unable to convert a null value to a schema that requires a value"
        if value is None
        else f"Unable to convert {shown(value)} (class {type(value).__name__}) to {target}"
    )
    return DataError(
        message,
        code="values.inconvertible",
        facts={"class": type(value).__name__, "target": target, "schema": str(schema)},
    )
