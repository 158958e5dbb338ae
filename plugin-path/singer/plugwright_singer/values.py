"""From JSON values, with exact numbers, to values of Connect's data model."""

from __future__ import annotations

import base64
import datetime as dt
import json
from decimal import Context, Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from plugwright import DataError, Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from plugwright import Schema

__all__ = [
    "decimal_reader",
    "exact_json",
    "list_reader",
    "map_reader",
    "parsed_moment",
    "struct_reader",
    "to_boolean",
    "to_bytes",
    "to_date",
    "to_float",
    "to_integer",
    "to_json",
    "to_text",
    "to_timestamp",
]

_ROOMY = Context(prec=600)
_LOW, _HIGH = -(2**63), 2**63 - 1
_SHOWN = 60


def to_text(value: Any) -> str:
    """A string as it is."""
    if not isinstance(value, str):
        raise _wrong("a string", value)
    return value


def to_boolean(value: Any) -> bool:
    """A truth value as it is."""
    if not isinstance(value, bool):
        raise _wrong("a boolean", value)
    return value


def to_integer(value: Any) -> int:
    """An integer of 64 bits; ``1.0`` is one for JSON Schema."""
    if isinstance(value, Decimal) and _LOW <= value <= _HIGH and value == int(value):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not _LOW <= value <= _HIGH:
        raise _wrong("an integer of 64 bits", value)
    return value


def to_float(value: Any) -> float:
    """A floating point number of 64 bits; a tap of Python may write ``NaN`` and ``Infinity``."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise _wrong("a number", value)
    try:
        return float(value)
    except OverflowError as error:
        raise _wrong("a number of 64 bits", value) from error


def to_bytes(value: Any) -> bytes:
    """The bytes of a base64 string."""
    try:
        return base64.b64decode(to_text(value), validate=True)
    except ValueError as error:
        raise _wrong("base64", value) from error


def to_timestamp(value: Any) -> dt.datetime:
    """A moment; without an offset from UTC it is at UTC."""
    moment = parsed_moment(to_text(value))
    if moment is None:
        raise _wrong("a date-time of RFC 3339", value)
    return moment


def to_date(value: Any) -> dt.date:
    """A day; a time of day is allowed if it is midnight."""
    text = to_text(value)
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        moment = parsed_moment(text)
    if moment is None or moment.time() != dt.time(0):
        raise _wrong("a date", value)
    return moment.date()


def to_json(value: Any) -> str:
    """JSON text of whatever it is; numbers keep their digits."""
    return _text(value)


def exact_json(value: Any) -> str:
    """JSON text in ASCII, with sorted names; numbers keep their digits."""
    return _text(value, plain=True)


def decimal_reader(scale: int) -> Callable[[Any], Decimal]:
    """Reads numbers of that many digits after the point; more digits are refused, not rounded."""
    unit = Decimal(1).scaleb(-scale)

    def read(value: Any) -> Decimal:
        if isinstance(value, bool) or not isinstance(value, int | Decimal):
            raise _wrong("a number", value)
        try:
            exact = Decimal(value).quantize(unit, context=_ROOMY)
        except InvalidOperation as error:
            raise _wrong(f"a decimal of scale {scale}", value) from error
        if exact != value:
            raise _wrong(f"a decimal of scale {scale}", value)
        return exact

    return read


def list_reader(convert: Callable[[Any], Any], *, nulls: bool) -> Callable[[Any], list[Any]]:
    """Reads arrays, each element with ``convert``."""

    def read(value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise _wrong("an array", value)
        return [_element(item, convert, nulls=nulls) for item in value]

    return read


def map_reader(convert: Callable[[Any], Any], *, nulls: bool) -> Callable[[Any], dict[str, Any]]:
    """Reads objects of any names, each value with ``convert``."""

    def read(value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise _wrong("an object", value)
        return {name: _element(item, convert, nulls=nulls) for name, item in value.items()}

    return read


def struct_reader(
    schema: Schema, converters: Mapping[str, Callable[[Any], Any]]
) -> Callable[[Any], Struct]:
    """Reads objects with known names; other names are left out.

    Runs once for each record.
    """
    fields = [
        (field.name, field.schema.optional, converters[field.name]) for field in schema.fields
    ]

    def read(value: Any) -> Struct:
        if not isinstance(value, dict):
            raise _wrong("an object", value)
        found: list[Any] = []
        for name, optional, convert in fields:
            item = value.get(name)
            if item is None:
                if not optional:
                    raise _wrong(f"a value of {name}", item)
                found.append(None)
                continue
            try:
                found.append(convert(item))
            except DataError as error:
                raise _within(name, error) from error
        return Struct.from_trusted(schema, found)

    return read


def parsed_moment(text: str) -> dt.datetime | None:
    """The moment of an RFC 3339 text, or ``None``; as many digits of a second as Python has."""
    try:
        moment = dt.datetime.fromisoformat(text)
        return moment.replace(tzinfo=dt.UTC) if moment.tzinfo is None else moment.astimezone(dt.UTC)
    except (ValueError, OverflowError):
        return None


def _element(item: Any, convert: Callable[[Any], Any], *, nulls: bool) -> Any:
    if item is None:
        if not nulls:
            raise _wrong("a value", item)
        return None
    return convert(item)


def _text(value: Any, *, plain: bool = False) -> str:
    match value:
        case Decimal():
            return str(value)
        case dict():
            items = sorted(value.items()) if plain else value.items()
            parts = (f"{_text(n, plain=plain)}:{_text(item, plain=plain)}" for n, item in items)
            return f"{{{','.join(parts)}}}"
        case list():
            return f"[{','.join(_text(item, plain=plain) for item in value)}]"
        case _:
            return json.dumps(value, ensure_ascii=plain)


def _wrong(expected: str, value: object) -> DataError:
    shown = json.dumps(value, default=str, ensure_ascii=False)
    shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
    return DataError(
        f"expected {expected}, found {shown}",
        code="singer.wrong-value",
        hint="the record does not fit the schema that the tap has announced",
    )


def _within(name: str, error: DataError) -> DataError:
    text = str(error)
    path, found, rest = text.partition(": expected ")
    said = f"{name}.{path}{found}{rest}" if found else f"{name}: {text}"
    return DataError(said, code=error.code, hint=error.hint)
