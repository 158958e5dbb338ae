"""One value cast to another type, as Kafka's ``Cast`` does it."""

from __future__ import annotations

import base64
import datetime as dt
from decimal import Decimal as PythonDecimal
from typing import TYPE_CHECKING, Any

from plugwright.java_numbers import to_double
from plugwright.schema import Date, Schema, Struct, Time, Timestamp, Type, Values
from plugwright.transforms._requirements import class_of, refused
from plugwright.transforms.java_numbers import (
    BITS,
    narrowed,
    parsed_float,
    parsed_integer,
    single,
    truth,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugwright.errors import DataError

SUPPORTED_OUTPUT = (
    Type.INT8,
    Type.INT16,
    Type.INT32,
    Type.INT64,
    Type.FLOAT32,
    Type.FLOAT64,
    Type.BOOLEAN,
    Type.STRING,
)
SUPPORTED_INPUT = (*SUPPORTED_OUTPUT, Type.BYTES)

_MILLISECONDS_A_DAY = 86_400_000
_LOGICAL = {logical.LOGICAL_NAME: logical for logical in (Date, Time, Timestamp)}
_TYPES: tuple[tuple[type | tuple[type, ...], Type], ...] = (
    (bool, Type.BOOLEAN),
    (int, Type.INT64),
    (float, Type.FLOAT64),
    (str, Type.STRING),
    ((bytes, bytearray, memoryview), Type.BYTES),
    (list, Type.ARRAY),
    (dict, Type.MAP),
    (Struct, Type.STRUCT),
)


def caster(schema: Schema | None, target: Type) -> Callable[[Any], Any]:
    """A function that casts values of a schema, or schemaless ones, to a type; for hot paths.

    ``None`` stays ``None``. Dates, times and timestamps are encoded first, except to text.

    Raises:
        DataError: from the function, if a value cannot be cast.
    """
    if schema is None:
        return _schemaless_caster(target)
    conversion = _CONVERSIONS[target]
    logical = None if target is Type.STRING else _LOGICAL.get(schema.name or "")

    def cast(value: Any) -> Any:
        if value is None:
            return None
        if schema.type not in SUPPORTED_INPUT:
            raise unsupported("from", schema.type)
        if logical is not None:
            value = logical.from_logical(schema, value)
        return _attempted(conversion, schema, value)

    return cast


def unsupported(direction: str, found: Type) -> DataError:
    """The error for a type that nothing can be cast from, or to."""
    supported = SUPPORTED_INPUT if direction == "from" else SUPPORTED_OUTPUT
    return refused(
        f"Cast transformation does not support casting {direction} {found}; "
        f"supported types are [{', '.join(map(str, supported))}]"
    )


def _schemaless_caster(target: Type) -> Callable[[Any], Any]:
    conversion = _CONVERSIONS[target]

    def cast(value: Any) -> Any:
        if value is None:
            return None
        found = next((known for kind, known in _TYPES if isinstance(value, kind)), None)
        if found is None:
            raise refused(
                f"Cast transformation was passed a value of type class {class_of(value)} "
                "which is not supported by Connect's data API"
            )
        if found not in SUPPORTED_INPUT:
            raise unsupported("from", found)
        return _attempted(conversion, None, value)

    return cast


def _attempted(
    conversion: Callable[[Schema | None, Any], Any], schema: Schema | None, value: Any
) -> Any:
    try:
        return conversion(schema, value)
    except ValueError as error:
        raise refused(f"Value ({value}) was out of range for requested data type") from error


def _integer(bits: int) -> Callable[[Schema | None, Any], int]:
    def convert(_schema: Schema | None, value: Any) -> int:
        if isinstance(value, (int, float, PythonDecimal)):
            return narrowed(value, bits)
        if isinstance(value, str):
            return parsed_integer(value, bits)
        raise _unexpected(value)

    return convert


def _float32(_schema: Schema | None, value: Any) -> float:
    if isinstance(value, (int, float, PythonDecimal)):
        return single(value)
    if isinstance(value, str):
        return parsed_float(value, narrow=True)
    raise _unexpected(value)


def _float64(_schema: Schema | None, value: Any) -> float:
    if isinstance(value, (int, float, PythonDecimal)):
        return to_double(value)
    if isinstance(value, str):
        return parsed_float(value, narrow=False)
    raise _unexpected(value)


def _boolean(_schema: Schema | None, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, float, PythonDecimal)):
        return truth(value)
    if isinstance(value, str):
        return value.lower() == "true"
    raise _unexpected(value)


def _string(schema: Schema | None, value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, dt.datetime):
        return _timestamp_text(value)
    return str(Values.convert_to_string(schema, value))


def _timestamp_text(value: dt.datetime) -> str:
    """A timestamp; one at midnight as its date, as Kafka prints it, but only after 1970-01-01."""
    milliseconds = Timestamp.from_logical(Timestamp.SCHEMA, value) or 0
    if milliseconds >= _MILLISECONDS_A_DAY and milliseconds % _MILLISECONDS_A_DAY == 0:
        return value.astimezone(dt.UTC).date().isoformat()
    return str(Values.convert_to_string(Timestamp.SCHEMA, value))


def _unexpected(value: object) -> DataError:
    return refused(f"Unexpected type in Cast transformation: class {class_of(value)}")


_CONVERSIONS: dict[Type, Callable[[Schema | None, Any], Any]] = {
    **{type_: _integer(bits) for type_, bits in BITS.items()},
    Type.FLOAT32: _float32,
    Type.FLOAT64: _float64,
    Type.BOOLEAN: _boolean,
    Type.STRING: _string,
}
