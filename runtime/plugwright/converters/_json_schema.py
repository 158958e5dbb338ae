"""Schemas as JSON: the ``schema`` half of an envelope."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from plugwright.converters.misfit import MAX_DEPTH, MisfitError, too_deep
from plugwright.errors import DataError
from plugwright.schema import INT32_SCHEMA, Schema, SchemaBuilder, Type

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.converters._json_reading import JsonReading
    from plugwright.converters._json_writing import JsonWriting

_NAMES: Mapping[Type, str] = MappingProxyType(
    {type_: type_.value for type_ in Type} | {Type.FLOAT32: "float", Type.FLOAT64: "double"}
)
_TYPES: Mapping[str, Type] = MappingProxyType({name: type_ for type_, name in _NAMES.items()})


def write_schema(schema: Schema | None, writing: JsonWriting) -> dict[str, Any] | None:
    """A schema as a plain JSON value, with its keys in Java's order.

    Raises:
        MisfitError: if the default does not fit, or the nesting is too deep.
    """
    if schema is None:
        return None
    try:
        return _written(schema, writing, 0)
    except MisfitError as error:
        error.root = "schema"
        raise


def _written(schema: Schema, writing: JsonWriting, depth: int) -> dict[str, Any]:
    if depth >= MAX_DEPTH and not schema.is_leaf:
        raise too_deep()
    node: dict[str, Any] = {"type": _NAMES[schema.type]}
    match schema.type:
        case Type.ARRAY:
            node["items"] = _inner(schema.value_schema, writing, depth + 1)
        case Type.MAP:
            node["keys"] = _inner(schema.key_schema, writing, depth + 1)
            node["values"] = _inner(schema.value_schema, writing, depth + 1)
        case Type.STRUCT:
            node["fields"] = [
                {**_written(field.schema, writing, depth + 1), "field": field.name}
                for field in schema.fields
            ]
    node["optional"] = schema.optional
    properties = {"name": schema.name, "version": schema.version, "doc": schema.doc}
    node |= {key: value for key, value in properties.items() if value is not None}
    if schema.parameters:
        node["parameters"] = dict(schema.parameters)
    if schema.default is not None:
        node["default"] = writing.compile(schema)(schema.default)
    return node


def _inner(schema: Schema | None, writing: JsonWriting, depth: int) -> dict[str, Any] | None:
    return None if schema is None else _written(schema, writing, depth)


def read_schema(node: Any, reading: JsonReading) -> Schema | None:
    """The schema that a plain JSON value represents.

    Raises:
        MisfitError: if it does not represent a schema.
    """
    if node is None:
        return None
    try:
        return _read(node, reading)
    except MisfitError as error:
        error.root = "schema"
        raise


def _read(node: Any, reading: JsonReading) -> Schema:
    type_ = _type(node)
    builder = _builder(type_, node, reading)
    try:
        return _described(builder, node, reading).build()
    except DataError as error:
        raise MisfitError(str(error), code=error.code, hint=error.hint) from error


def _type(node: Any) -> Type:
    if not isinstance(node, dict) or not isinstance(node.get("type"), str):
        raise _unreadable("Schema must contain 'type' field")
    name = node["type"]
    if name not in _TYPES:
        raise _unreadable(f"Unknown schema type: {name[:80]}", hint="use " + ", ".join(_TYPES))
    return _TYPES[name]


def _builder(type_: Type, node: dict[str, Any], reading: JsonReading) -> SchemaBuilder:
    match type_:
        case Type.ARRAY:
            missing = "Array schema did not specify the element type"
            return SchemaBuilder.array(_part(node, "items", missing, reading))
        case Type.MAP:
            keys = _part(node, "keys", "Map schema did not specify the key type", reading)
            values = _part(node, "values", "Map schema did not specify the value type", reading)
            return SchemaBuilder.map(keys, values)
        case Type.STRUCT:
            return _struct(node, reading)
    return SchemaBuilder.type(type_)


def _part(node: dict[str, Any], key: str, missing: str, reading: JsonReading) -> Schema:
    if node.get(key) is None:
        raise _unreadable(missing)
    try:
        return _read(node[key], reading)
    except MisfitError as error:
        error.in_field(key)
        raise


def _struct(node: dict[str, Any], reading: JsonReading) -> SchemaBuilder:
    fields = node.get("fields")
    if not isinstance(fields, list):
        raise _unreadable('Struct schema\'s "fields" argument is not an array.')
    builder = SchemaBuilder.struct()
    for index, field in enumerate(fields):
        try:
            _add_field(builder, field, reading)
        except MisfitError as error:
            error.in_item(index).in_field("fields")
            raise
    return builder


def _add_field(builder: SchemaBuilder, node: Any, reading: JsonReading) -> None:
    name = node.get("field") if isinstance(node, dict) else None
    if not isinstance(name, str):
        raise _unreadable("Struct schema's field name not specified properly")
    schema = _read(node, reading)
    try:
        builder.field(name, schema)
    except DataError as error:
        raise _unreadable(str(error)) from error


def _described(builder: SchemaBuilder, node: dict[str, Any], reading: JsonReading) -> SchemaBuilder:
    """The builder with the properties that every schema can have; wrong types are refused."""
    if node.get("optional") is True:
        builder.optional()
    builder.name(_text(node, "name")).version(_version(node)).doc(_text(node, "doc"))
    parameters = node.get("parameters")
    if isinstance(parameters, dict):
        if not all(isinstance(value, str) for value in parameters.values()):
            raise _unreadable("Schema parameters must have string values.")
        builder.parameters(parameters)
    if "default" in node:
        builder.default(_default(builder.build(), node["default"], reading))
    return builder


def _default(schema: Schema, node: Any, reading: JsonReading) -> Any:
    try:
        return reading.compile(schema)(node)
    except MisfitError as error:
        error.in_field("default")
        raise


def _text(node: dict[str, Any], key: str) -> str | None:
    value = node.get(key)
    return value if isinstance(value, str) else None


def _version(node: dict[str, Any]) -> int | None:
    value = node.get("version")
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    if not INT32_SCHEMA.accepts(value):
        raise _unreadable("Schema version must be an integer of 32 bits")
    return value


def _unreadable(problem: str, *, hint: str = "") -> MisfitError:
    return MisfitError(problem, code="data.invalid-schema", hint=hint)
