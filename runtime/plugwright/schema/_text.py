"""Values as text: the counterpart of ``parse_string``."""

from __future__ import annotations

import datetime as dt
from base64 import b64encode
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from plugwright.errors import DataError
from plugwright.java_text import decimal_text, float_text
from plugwright.schema._struct import Struct
from plugwright.schema._type import Type

if TYPE_CHECKING:
    from collections.abc import Iterable

    from plugwright.schema._schema import Schema

_MAX_DEPTH = 100
_MAX_SHOWN = 80


def convert_to_string(schema: Schema | None, value: Any) -> str | None:
    r"""A value as text that ``parse_string`` can mostly read back; ``None`` stays ``None``.

    Containers look like JSON without blanks, bytes are in base64, numbers are written as Java does.
    Text is unchanged; inside containers it is in double quotes, with ``\`` and ``"`` escaped.
    Dates, times and timestamps take the form of their Python class, at UTC. Kafka looks at the
    number of milliseconds instead: there a timestamp at midnight prints as a date and one before
    1970 as a time.

    Args:
        schema: the schema of the value, if known; it distinguishes 32-bit from 64-bit floats.
        value: the value in Connect's data model.

    Raises:
        DataError: if the value, or one inside it, is not part of the data model.
    """
    return None if value is None else _text(schema, value, embedded=False, depth=0)


def shown(value: object) -> str:
    """A value for a message: as it prints, truncated if it is long."""
    try:
        text = _text(None, value, embedded=False, depth=0) if value is not None else "null"
    except DataError:
        text = _foreign(value)
    return _cut(text)


def _text(schema: Schema | None, value: Any, *, embedded: bool, depth: int) -> str:
    if value is None:
        return "null"
    if isinstance(value, str):
        return _quoted(value) if embedded else value
    if isinstance(value, (bytes, bytearray, memoryview)):
        encoded = b64encode(value).decode("ascii")
        return f'"{encoded}"' if embedded else encoded
    scalar = _scalar(schema, value)
    if scalar is not None:
        return scalar
    if depth >= _MAX_DEPTH and isinstance(value, (list, dict, Struct)):
        raise DataError(f"Failed to serialize a value nested deeper than {_MAX_DEPTH} levels")
    return _container(schema, value, depth + 1)


def _scalar(schema: Schema | None, value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        # Not str(), which refuses integers of more than 4300 digits.
        return format(Decimal(value), "f")
    if isinstance(value, float):
        return float_text(value, single=schema is not None and schema.type is Type.FLOAT32)
    if isinstance(value, Decimal):
        return decimal_text(value)
    return _moment(value)


def _moment(value: Any) -> str | None:
    if isinstance(value, dt.datetime):
        offset = value.utcoffset()
        if offset is None:
            raise _unexpected(value)
        try:
            instant = value.replace(tzinfo=None) - offset
        except OverflowError as error:
            raise _unexpected(value) from error
        return f"{instant.isoformat(timespec='milliseconds')}Z"
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, dt.time) and not value.utcoffset():
        return f"{value.replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"
    return None


def _container(schema: Schema | None, value: Any, depth: int) -> str:
    if isinstance(value, list):
        inner = schema.value_schema if schema and schema.type is Type.ARRAY else None
        return f"[{_joined(_text(inner, item, embedded=True, depth=depth) for item in value)}]"
    if isinstance(value, dict):
        key_schema = schema.key_schema if schema and schema.type is Type.MAP else None
        value_schema = schema.value_schema if schema and schema.type is Type.MAP else None
        entries = (
            f"{_text(key_schema, key, embedded=True, depth=depth)}:"
            f"{_text(value_schema, item, embedded=True, depth=depth)}"
            for key, item in value.items()
        )
        return f"{{{_joined(entries)}}}"
    if isinstance(value, Struct):
        fields = (
            f"{_quoted(field.name)}:"
            f"{_text(field.schema, value.get(field), embedded=True, depth=depth)}"
            for field in value.schema.fields
        )
        return f"{{{_joined(fields)}}}"
    raise _unexpected(value)


def _joined(parts: Iterable[str]) -> str:
    return ",".join(parts)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"


def _foreign(value: object) -> str:
    try:
        return str(value)
    except Exception:  # noqa: BLE001  # the __str__ of a foreign class may raise anything
        return f"<{type(value).__name__}>"


def _unexpected(value: object) -> DataError:
    found = f"{type(value).__name__}: {_cut(_foreign(value))}"
    return DataError(
        f"Failed to serialize unexpected value type {found}",
        code="values.unexpected-type",
        hint="give a datetime its time zone" if isinstance(value, dt.datetime) else "",
        facts={"class": type(value).__name__},
    )
