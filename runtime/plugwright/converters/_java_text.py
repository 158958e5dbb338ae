"""Values as Java's ``toString`` prints them."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from plugwright.converters.misfit import MAX_DEPTH, MisfitError, found, too_deep
from plugwright.errors import DataError
from plugwright.java_text import decimal_text, float_text
from plugwright.schema import Schema, Struct, Type, Values

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_LITERALS: Mapping[bool | None, str] = MappingProxyType(
    {None: "null", True: "true", False: "false"}
)


def java_text(schema: Schema | None, value: Any, depth: int = 0) -> str:
    """The text of a value; ``[1, 2]``, ``{a=1}`` and ``Struct{a=1}`` for containers.

    Raises:
        MisfitError: if a value's class has no text form, or the nesting is too deep.
    """
    scalar = _scalar(schema, value)
    return scalar if scalar is not None else _container(schema, value, depth)


def _scalar(schema: Schema | None, value: Any) -> str | None:
    if isinstance(value, str):
        return str.__str__(value)
    if value is None or isinstance(value, bool):
        return _LITERALS[value]
    if isinstance(value, (int, float)):
        return _integer(value) if isinstance(value, int) else _float(schema, value)
    if isinstance(value, Decimal):
        return decimal_text(value)
    return _moment(schema, value) if isinstance(value, (dt.date, dt.time)) else None


def _integer(value: int) -> str:
    # Not str(), which refuses integers of more than 4,300 digits.
    return format(Decimal(value), "f")


def _float(schema: Schema | None, value: float) -> str:
    return float_text(value, single=schema is not None and schema.type is Type.FLOAT32)


def _moment(schema: Schema | None, value: dt.date | dt.time) -> str:
    try:
        return str(Values.convert_to_string(schema, value))
    except DataError as error:
        raise MisfitError(str(error), code="data.wrong-type", hint=error.hint) from error


def _container(schema: Schema | None, value: Any, depth: int) -> str:
    pairs = isinstance(value, dict) and not _has_text_keys(schema, value)
    below = depth + (2 if pairs else 1)
    if below > MAX_DEPTH and isinstance(value, (list, dict, Struct)):
        raise too_deep()
    if isinstance(value, list):
        inner = schema.value_schema if schema and schema.type is Type.ARRAY else None
        return f"[{_joined([java_text(inner, item, below) for item in value])}]"
    if isinstance(value, dict):
        return f"{{{_joined(_entries(schema, value, below))}}}"
    if isinstance(value, Struct):
        return f"Struct{{{','.join(_fields(value, below))}}}"
    raise MisfitError(
        f"{found(value)} has no text form",
        code="data.wrong-type",
        hint="use ByteArrayConverter or JsonConverter for bytes",
    )


def _has_text_keys(schema: Schema | None, value: dict[Any, Any]) -> bool:
    """Whether JSON can use an object for the map; if not, its nesting counts twice, as in JSON."""
    if schema and schema.type is Type.MAP and schema.key_schema:
        return schema.key_schema.type is Type.STRING
    return all(isinstance(key, str) for key in value)


def _entries(schema: Schema | None, value: dict[Any, Any], depth: int) -> Iterable[str]:
    known = schema if schema and schema.type is Type.MAP else None
    keys, values = (known.key_schema, known.value_schema) if known else (None, None)
    for key, item in value.items():
        yield f"{java_text(keys, key, depth)}={java_text(values, item, depth)}"


def _fields(value: Struct, depth: int) -> Iterable[str]:
    for field in value.schema.fields:
        item = value.get_without_default(field)
        if item is not None:
            yield f"{field.name}={java_text(field.schema, item, depth)}"


def _joined(parts: Iterable[str]) -> str:
    return ", ".join(parts)
