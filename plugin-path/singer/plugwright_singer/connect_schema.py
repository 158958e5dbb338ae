"""From a Connect schema to a JSON schema for targets, and a way to write values as JSON."""

from __future__ import annotations

import base64
import datetime as dt
import json
import math
from dataclasses import dataclass
from decimal import Decimal as Exact
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from plugwright import DataError, Date, Decimal, SchemaType, Time, Timestamp

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from plugwright import Schema

__all__ = ["Writing", "inferred", "writing_of"]

_INTEGERS = frozenset({SchemaType.INT8, SchemaType.INT16, SchemaType.INT32, SchemaType.INT64})


@dataclass(frozen=True, slots=True)
class Writing:
    """The JSON form of values of one schema.

    Attributes:
        schema: the JSON schema.
        text: makes JSON text of a value.
    """

    schema: Mapping[str, Any]
    text: Callable[[Any], str]


def writing_of(schema: Schema, *, finite: bool) -> Writing:
    """The JSON schema for a target, and the form of the values.

    Args:
        schema: of the values.
        finite: whether ``NaN`` and infinity, which JSON does not have, are refused.

    Raises:
        DataError: if JSON has no such type.
    """
    made = _LOGICAL[schema.name](schema) if schema.name in _LOGICAL else _plain(schema, finite)
    if not schema.optional and not schema.has_default:
        return made
    return Writing({**made.schema, "type": ["null", made.schema["type"]]}, _nullable(made.text))


def inferred(value: Any, *, finite: bool) -> Writing:
    """The JSON form of a value without a schema.

    Raises:
        DataError: if JSON has no such value.
    """
    return Writing(_described(value), lambda item: _text(item, finite))


def _plain(schema: Schema, finite: bool) -> Writing:
    if schema.type in _LEAVES:
        return _LEAVES[schema.type]
    match schema.type:
        case SchemaType.FLOAT32 | SchemaType.FLOAT64:
            return Writing({"type": "number"}, lambda value: _float_text(value, finite))
        case SchemaType.ARRAY:
            return _array(schema, finite)
        case SchemaType.MAP:
            return _map(schema, finite)
        case _:
            return _struct(schema, finite)


def _array(schema: Schema, finite: bool) -> Writing:
    item = writing_of(_inner(schema.value_schema), finite=finite)
    return Writing(
        {"type": "array", "items": item.schema},
        lambda value: f"[{','.join(map(item.text, value))}]",
    )


def _map(schema: Schema, finite: bool) -> Writing:
    if _inner(schema.key_schema).type is not SchemaType.STRING:
        raise DataError(
            f"a map with keys of type {_inner(schema.key_schema).type.value} is not a JSON object",
            code="singer.unwritable",
            hint="transform the keys to strings",
        )
    item = writing_of(_inner(schema.value_schema), finite=finite)

    def text(value: Mapping[str, Any]) -> str:
        return f"{{{','.join(f'{json.dumps(k)}:{item.text(v)}' for k, v in value.items())}}}"

    return Writing({"type": "object", "additionalProperties": item.schema}, text)


def _struct(schema: Schema, finite: bool) -> Writing:
    fields = {field.name: writing_of(field.schema, finite=finite) for field in schema.fields}
    names = [(name, f"{json.dumps(name)}:", writing.text) for name, writing in fields.items()]
    described = {
        "type": "object",
        "properties": {name: writing.schema for name, writing in fields.items()},
        "required": [field.name for field in schema.fields if not field.schema.optional],
    }

    def text(value: Any) -> str:
        get = value.get
        parts = []
        for name, prefix, write in names:
            item = value.get_without_default(name)
            if item is None and not schema.fields_by_name[name].schema.optional:
                item = get(name)
            parts.append(prefix + write(item))
        return f"{{{','.join(parts)}}}"

    return Writing(described, text)


def _inner(schema: Schema | None) -> Schema:
    if schema is None:
        raise DataError("a container without a schema of its content", code="singer.unwritable")
    return schema


def _nullable(text: Callable[[Any], str]) -> Callable[[Any], str]:
    return lambda value: "null" if value is None else text(value)


def _float_text(value: float, finite: bool) -> str:
    if finite and not math.isfinite(value):
        raise DataError(
            f"{value} has no number form in JSON",
            code="singer.unwritable",
            hint="set singer.non.finite to write if the target understands NaN and Infinity",
        )
    return json.dumps(value)


def _base64_text(value: bytes) -> str:
    return f'"{base64.b64encode(value).decode()}"'


def _moment_text(value: dt.datetime) -> str:
    return f'"{value.astimezone(dt.UTC).isoformat()}"'


def _iso_text(value: dt.date | dt.time) -> str:
    return f'"{value.isoformat()}"'


_LEAVES: Mapping[SchemaType, Writing] = MappingProxyType(
    {
        **dict.fromkeys(_INTEGERS, Writing({"type": "integer"}, str)),
        SchemaType.BOOLEAN: Writing({"type": "boolean"}, json.dumps),
        SchemaType.STRING: Writing({"type": "string"}, json.dumps),
        SchemaType.BYTES: Writing({"type": "string", "contentEncoding": "base64"}, _base64_text),
    }
)


def _decimal(schema: Schema) -> Writing:
    scale = int(schema.parameters.get(Decimal.SCALE_FIELD, "0"))
    step = 10**-scale if scale > 0 else 1
    return Writing({"type": "number", "multipleOf": step}, lambda value: format(value, "f"))


def _formatted(name: str, text: Callable[[Any], str]) -> Callable[[Schema], Writing]:
    return lambda _: Writing({"type": "string", "format": name}, text)


_LOGICAL: Mapping[str | None, Callable[[Schema], Writing]] = MappingProxyType(
    {
        Decimal.LOGICAL_NAME: _decimal,
        Date.LOGICAL_NAME: _formatted("date", _iso_text),
        Time.LOGICAL_NAME: _formatted("time", _iso_text),
        Timestamp.LOGICAL_NAME: _formatted("date-time", _moment_text),
    }
)


def _described(value: Any) -> dict[str, Any]:
    """A JSON schema that a value without one fits; null may stand anywhere."""
    match value:
        case None:
            return {}
        case dict():
            properties = {str(name): _described(item) for name, item in value.items()}
            return {"type": ["null", "object"], "properties": properties}
        case bytes():
            return {"type": ["null", "string"], "contentEncoding": "base64"}
    kinds = [kind for classes, kind in _KINDS if isinstance(value, classes)]
    if not kinds:
        raise DataError(
            f"a value of type {type(value).__name__} without a schema cannot be written",
            code="singer.unwritable",
            hint="give it a schema, or use a converter that does",
        )
    return {"type": ["null", kinds[0]]}


_KINDS = (
    (bool, "boolean"),
    (int, "integer"),
    ((float, Exact), "number"),
    (str, "string"),
    (list, "array"),
)


def _text(value: Any, finite: bool) -> str:
    match value:
        case float():
            return _float_text(value, finite)
        case Exact():
            return format(value, "f")
        case bytes():
            return _base64_text(value)
        case dict():
            items = value.items()
            return f"{{{','.join(f'{json.dumps(str(k))}:{_text(v, finite)}' for k, v in items)}}}"
        case list():
            return f"[{','.join(_text(item, finite) for item in value)}]"
        case _:
            return json.dumps(value)
