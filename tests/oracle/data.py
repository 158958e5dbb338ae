"""Schemas, values and bytes in the notation."""

from __future__ import annotations

import base64
import datetime as dt
import json
import math
import struct
import uuid
from decimal import Decimal as PythonDecimal
from typing import TYPE_CHECKING, Any

from plugwright.schema import (
    Date,
    Decimal,
    Field,
    Schema,
    SchemaAndValue,
    Struct,
    Time,
    Timestamp,
    Type,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = [
    "NotRepresentableError",
    "read_bytes",
    "read_data",
    "read_schema",
    "read_value",
    "write_bytes",
    "write_data",
    "write_schema",
    "write_value",
]

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MILLISECOND = dt.timedelta(milliseconds=1)
_DAY = 86_400_000
_LOGICAL = {"date": Date.SCHEMA, "time": Time.SCHEMA, "timestamp": Timestamp.SCHEMA}
_NAMES = {schema.name: head for head, schema in _LOGICAL.items()}
_FLOATS = (Type.FLOAT32, Type.FLOAT64)
_INTEGERS = (Type.INT8, Type.INT16, Type.INT32, Type.INT64)
_MAX_LONG = 2**63 - 1
_SIMPLE: dict[str, Callable[[Any], Any]] = {
    "$int8": int,
    "$int16": int,
    "$int32": int,
    "$int64": int,
    "$bigint": int,
    "$float32": lambda node: _single(float(node)),
    "$float64": float,
    "$bytes": base64.b64decode,
    "$buffer": lambda node: memoryview(base64.b64decode(node)),
    "$decimal": lambda node: _read_decimal(*node),
    "$uuid": uuid.UUID,
}


class NotRepresentableError(ValueError):
    """Python has no value for what the notation says."""


def read_bytes(node: Mapping[str, Any]) -> bytes | None:
    """The bytes of a ``to`` case, or of the result of a ``from`` case."""
    if node.get("text") is not None:
        return str(node["text"]).encode()
    return None if node.get("bytes") is None else base64.b64decode(node["bytes"])


def write_bytes(value: bytes | None) -> dict[str, Any]:
    """Bytes as the result of a ``from`` case."""
    if value is None:
        return {"bytes": None}
    text = value.decode(errors="replace")
    if all(ord(character) >= ord(" ") and character != "\ufffd" for character in text):
        return {"text": text}
    return {"bytes": base64.b64encode(value).decode("ascii")}


def read_schema(node: Any) -> Schema | None:
    """The schema that the notation says, ``None`` for none."""
    if node is None:
        return None
    if isinstance(node, str):
        return _shorthand(node)
    base = _shorthand(node["type"])
    properties: dict[str, Any] = {
        "optional": base.optional or node.get("optional", False),
        "name": node.get("name", base.name),
        "version": node.get("version", base.version),
        "doc": node.get("doc"),
        "parameters": {**base.parameters, **node.get("parameters", {})},
        "fields": tuple(
            Field(name, index, _present(read_schema(inner)))
            for index, (name, inner) in enumerate(node.get("fields", ()))
        ),
        "key_schema": read_schema(node.get("keys")),
        "value_schema": read_schema(node.get("items" if base.type is Type.ARRAY else "values")),
    }
    bare = Schema(base.type, **properties)
    if node.get("default") is None:
        return bare
    return Schema(base.type, default=read_value(node["default"], bare), **properties)


def _shorthand(text: str) -> Schema:
    name = text.removesuffix("?")
    if name.startswith("decimal("):
        base = Decimal.schema(int(name[len("decimal(") : -1]))
    else:
        base = _LOGICAL.get(name) or Schema(Type[name.upper()])
    return Schema(
        base.type,
        optional=text.endswith("?"),
        name=base.name,
        version=base.version,
        parameters=base.parameters,
    )


def _present(schema: Schema | None) -> Schema:
    assert schema is not None, "a field needs a schema"
    return schema


def write_schema(schema: Schema | None) -> Any:
    """A schema in the notation, in its shortest form."""
    if schema is None:
        return None
    short = _head(schema) + ("?" if schema.optional else "")
    if schema.type.is_primitive and _shorthand(short) == schema:
        return short
    node: dict[str, Any] = {"type": schema.type.value.lower()}
    if schema.optional:
        node["optional"] = True
    for name in ("name", "version", "doc"):
        if getattr(schema, name) is not None:
            node[name] = getattr(schema, name)
    if schema.parameters:
        node["parameters"] = dict(sorted(schema.parameters.items()))
    node |= _inner(schema)
    if schema.default is not None:
        node["default"] = _write_default(schema)
    return node


def _write_default(schema: Schema) -> Any:
    """A default; a struct is written without its schema if only the default itself differs.

    In Java a builder may be the schema of its own default; what cannot change has another one.
    """
    default = schema.default
    if isinstance(default, Struct) and _undefaulted(default.schema) == _undefaulted(schema):
        default = Struct.from_trusted(
            schema, [default.get_without_default(name) for name in default]
        )
    return write_value(default, schema)


def _undefaulted(schema: Schema) -> Schema:
    return Schema(
        schema.type,
        optional=schema.optional,
        name=schema.name,
        version=schema.version,
        doc=schema.doc,
        parameters=schema.parameters,
        fields=schema.fields if schema.type is Type.STRUCT else (),
    )


def _head(schema: Schema) -> str:
    scale = schema.parameters.get(Decimal.SCALE_FIELD, "")
    if schema.name == Decimal.LOGICAL_NAME and scale.removeprefix("-").isdecimal():
        return f"decimal({scale})"
    return _NAMES.get(schema.name) or schema.type.value.lower()


def _inner(schema: Schema) -> dict[str, Any]:
    if schema.type is Type.ARRAY:
        return {"items": write_schema(schema.value_schema)}
    if schema.type is Type.MAP:
        keys, values = schema.key_schema, schema.value_schema
        return {"keys": write_schema(keys), "values": write_schema(values)}
    if schema.type is Type.STRUCT:
        return {"fields": [[field.name, write_schema(field.schema)] for field in schema.fields]}
    return {}


def read_data(node: Any) -> SchemaAndValue | None:
    """Schema and value; ``None`` for Java's null SchemaAndValue."""
    if node is None:
        return None
    schema = read_schema(node.get("schema"))
    return SchemaAndValue(schema, read_value(node.get("value"), schema))


def write_data(schema: Schema | None, value: Any) -> dict[str, Any]:
    """Schema and value in the notation."""
    node = {} if schema is None else {"schema": write_schema(schema)}
    return {**node, "value": write_value(value, schema)}


def read_value(node: Any, schema: Schema | None) -> Any:
    """The Python value that the notation says, at a place with that schema."""
    if isinstance(node, list):
        return [read_value(item, _values(schema)) for item in node]
    if isinstance(node, dict):
        return _read_object(node, schema)
    if isinstance(node, (int, float)) and not isinstance(node, bool):
        return _read_number(node, schema)
    return node


def _read_number(node: float, schema: Schema | None) -> float:
    if isinstance(node, int) and not (schema and schema.type in _FLOATS):
        return node
    return _single(float(node)) if schema and schema.type is Type.FLOAT32 else float(node)


def _read_object(node: dict[str, Any], schema: Schema | None) -> Any:
    tag = next(iter(node), "")
    if tag.startswith("$"):
        return _read_tagged(tag, node[tag], schema)
    if schema is not None and schema.type is Type.STRUCT:
        return _read_struct(node, schema)
    return {name: read_value(item, _values(schema)) for name, item in node.items()}


def _read_tagged(tag: str, node: Any, schema: Schema | None) -> Any:
    if tag in _SIMPLE:
        _check_distinguished(tag, node, schema)
        return _SIMPLE[tag](node)
    if tag == "$date":
        return _read_moment(node, schema)
    if tag == "$map":
        return _read_pairs(node, schema)
    if tag == "$struct":
        return _read_struct(node["fields"], read_schema(node.get("schema")) or schema)
    raise ValueError(f"unknown tag {tag}")


def _check_distinguished(tag: str, node: Any, schema: Schema | None) -> None:
    """Refuse what has the wrong class in Java only, like an Integer where a Byte belongs."""
    if schema is None or tag == f"${schema.type.value.lower()}":
        return
    whole = tag.startswith("$int") and schema.type in _INTEGERS
    point = tag.startswith("$float") and schema.type in _FLOATS
    if (whole or point) and schema.accepts(_SIMPLE[tag](node)):
        raise NotRepresentableError(f"{tag} {node} under {schema}")


def _read_pairs(pairs: list[list[Any]], schema: Schema | None) -> dict[Any, Any]:
    keys, values = _keys(schema), _values(schema)
    try:
        return {read_value(key, keys): read_value(item, values) for key, item in pairs}
    except TypeError as error:
        raise NotRepresentableError(f"a map with the keys {pairs}") from error


def _read_decimal(unscaled: str, scale: int) -> PythonDecimal:
    sign, digits, _ = PythonDecimal(unscaled).as_tuple()
    return PythonDecimal((sign, digits, -scale))


def _read_moment(milliseconds: int, schema: Schema | None) -> dt.date | dt.time:
    """Under a schema whose Python class has no such value, a datetime: as wrong as Java's Date."""
    name = None if schema is None else schema.name
    try:
        instant = _EPOCH + milliseconds * _MILLISECOND
    except OverflowError as error:
        raise NotRepresentableError(f"{milliseconds} ms after 1970") from error
    if name == Date.LOGICAL_NAME and milliseconds % _DAY == 0:
        return instant.date()
    if name == Time.LOGICAL_NAME and 0 <= milliseconds < _DAY:
        return instant.time()
    return instant


def _read_struct(fields: dict[str, Any], schema: Schema | None) -> Struct:
    made = Struct(_present(schema))
    for name, item in fields.items():
        field = made.schema.field(name)
        made.put(name, read_value(item, field.schema if field else None))
    return made


def write_value(value: Any, schema: Schema | None) -> Any:
    """A Python value in the notation, at a place with that schema."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, float)):
        return _write_number(value, schema)
    if isinstance(value, list):
        return [write_value(item, _values(schema)) for item in value]
    if isinstance(value, dict):
        return _write_map(value, schema)
    if isinstance(value, Struct):
        return _write_struct(value, schema)
    return _write_tagged(value)


def _write_number(value: float, schema: Schema | None) -> Any:
    if isinstance(value, int):
        return value if -_MAX_LONG - 1 <= value <= _MAX_LONG else {"$bigint": str(value)}
    rounded = _single(value) if schema and schema.type is Type.FLOAT32 else value
    if math.isfinite(rounded):
        return rounded
    tag = "$float32" if schema and schema.type is Type.FLOAT32 else "$float64"
    return {tag: "NaN" if math.isnan(rounded) else f"{'-' * (rounded < 0)}Infinity"}


def _write_tagged(value: Any) -> dict[str, Any]:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"$bytes": base64.b64encode(value).decode("ascii")}
    if isinstance(value, PythonDecimal):
        sign, digits, exponent = value.as_tuple()
        return {"$decimal": [str(PythonDecimal((sign, digits, 0))), -int(exponent)]}
    if isinstance(value, uuid.UUID):
        return {"$uuid": str(value)}
    return {"$date": _milliseconds(value)}


def _milliseconds(value: Any) -> int:
    if isinstance(value, dt.datetime):
        return (value - _EPOCH) // _MILLISECOND
    if isinstance(value, dt.time):
        seconds = (value.hour * 60 + value.minute) * 60 + value.second
        return seconds * 1000 + value.microsecond // 1000
    if isinstance(value, dt.date):
        return (value.toordinal() - _EPOCH.toordinal()) * _DAY
    raise TypeError(f"no notation for {type(value).__name__}")


def _write_map(value: dict[Any, Any], schema: Schema | None) -> Any:
    inner = _values(schema)
    plain = all(isinstance(key, str) and not key.startswith("$") for key in value)
    if plain and not (schema and schema.type is Type.STRUCT):
        return {key: write_value(value[key], inner) for key in sorted(value)}
    pairs = [
        [write_value(key, _keys(schema)), write_value(item, inner)] for key, item in value.items()
    ]
    return {"$map": sorted(pairs, key=lambda pair: json.dumps(pair[0], sort_keys=True))}


def _write_struct(value: Struct, schema: Schema | None) -> Any:
    fields = {
        field.name: write_value(value.get_without_default(field.name), field.schema)
        for field in value.schema.fields
        if value.get_without_default(field.name) is not None
    }
    same = value.schema == schema
    if same and not any(name.startswith("$") for name in fields):
        return fields
    own = {} if same else {"schema": write_schema(value.schema)}
    return {"$struct": {**own, "fields": fields}}


def _keys(schema: Schema | None) -> Schema | None:
    return schema.key_schema if schema is not None and schema.type is Type.MAP else None


def _values(schema: Schema | None) -> Schema | None:
    has_values = schema is not None and schema.type in {Type.ARRAY, Type.MAP}
    return schema.value_schema if schema is not None and has_values else None


def _single(value: float) -> float:
    """The 32-bit float nearest to a number."""
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)
