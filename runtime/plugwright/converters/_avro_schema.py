"""Translates Connect schemas to Avro, property by property like Confluent's converter.

The order of the properties matters: the registry distinguishes schemas by their text, and a schema
that a Java worker registered must be found again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from plugwright.converters._avro_names import DEFAULT_NAME, NAMESPACE, AvroNames, split_name
from plugwright.converters.misfit import MAX_DEPTH, MisfitError, too_deep
from plugwright.errors import DataError
from plugwright.schema import Date, Decimal, Field, Schema, Struct, Time, Timestamp, Type

if TYPE_CHECKING:
    from collections.abc import Mapping

UNION = f"{NAMESPACE}.Union"
ENUM = f"{NAMESPACE}.Enum"
FIELD_DEFAULT = f"{NAMESPACE}.field.default"
PRECISION = "connect.decimal.precision"
DEFAULT_PRECISION = 64

_PRIMITIVES: Mapping[Type, str] = MappingProxyType(
    {
        Type.INT8: "int",
        Type.INT16: "int",
        Type.INT32: "int",
        Type.INT64: "long",
        Type.FLOAT32: "float",
        Type.FLOAT64: "double",
        Type.BOOLEAN: "boolean",
        Type.STRING: "string",
        Type.BYTES: "bytes",
    }
)
LOGICAL_NAMES: Mapping[str | None, str] = MappingProxyType(
    {
        Decimal.LOGICAL_NAME: "decimal",
        Date.LOGICAL_NAME: "date",
        Time.LOGICAL_NAME: "time-millis",
        Timestamp.LOGICAL_NAME: "timestamp-millis",
    }
)


def is_enum(schema: Schema) -> bool:
    """Whether strings of the schema are the symbols of an Avro enum."""
    return schema.type is Type.STRING and ENUM in schema.parameters


def is_union(schema: Schema) -> bool:
    """Whether structs of the schema represent an Avro union, one field per branch."""
    return schema.type is Type.STRUCT and schema.name == UNION


def is_avro_map(schema: Schema) -> bool:
    """Whether Avro can use a map: the keys are required strings. Otherwise it uses an array."""
    key = schema.key_schema
    return key is not None and key.type is Type.STRING and not key.optional


@dataclass(frozen=True, slots=True)
class AvroSchemas:
    """Translates schemas.

    Attributes:
        names: creates names that Avro accepts.
        metadata: whether Connect's own properties are kept (``connect.meta.data``).
        enhanced: whether enums are kept (``enhanced.avro.schema.support``).
    """

    names: AvroNames
    metadata: bool = True
    enhanced: bool = False

    def translate(self, schema: Schema) -> Any:
        """The Avro schema as a JSON value.

        Raises:
            MisfitError: if Avro cannot express it.
        """
        try:
            return _Translation(self).schema(schema, None, 0)
        except MisfitError as error:
            error.root = "schema"
            raise


@dataclass(slots=True)
class _Translation:
    """One translation; named types that were already written are referred to by name."""

    settings: AvroSchemas
    written: dict[str, Schema] = field(default_factory=dict)
    unnamed: dict[Schema, str] = field(default_factory=dict)

    def schema(self, schema: Schema, space: str | None, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise too_deep()
        if is_union(schema):
            branches = [self._required(inner.schema, space, depth + 1) for inner in schema.fields]
            return ["null", *branches] if schema.optional else branches
        required = self._required(schema, space, depth)
        if not schema.optional:
            return required
        # A field's default must fit the first branch.
        return ["null", required] if schema.default is None else [required, "null"]

    def _required(self, schema: Schema, space: str | None, depth: int) -> Any:
        match schema.type:
            case Type.STRUCT:
                return self._record(schema, space, depth)
            case Type.ARRAY:
                inner = _inner(schema.value_schema)
                node = {"type": "array", "items": self.schema(inner, space, depth + 1)}
            case Type.MAP:
                node = self._map(schema, space, depth)
            case Type.STRING if self.settings.enhanced and is_enum(schema):
                return self._enum(schema, space)
            case _:
                node = {"type": _PRIMITIVES[schema.type]}
                if schema.name == Decimal.LOGICAL_NAME:
                    node |= {"scale": _scale(schema), "precision": _precision(schema)}
        node |= self._properties(schema)
        return node if len(node) > 1 else node["type"]

    def _record(self, schema: Schema, space: str | None, depth: int) -> Any:
        name = self.settings.names.full_name(schema.name or self._default_name(_bare(schema)))
        return self._named(name, schema, space) or self._write_record(name, schema, space, depth)

    def _default_name(self, bare: Schema) -> str:
        """The generated name of a struct: numbered from the second on, shared by equal ones."""
        number = len(self.unnamed) + 1
        default = f"{DEFAULT_NAME}{number if number > 1 else ''}"
        return self.unnamed.setdefault(bare, default)

    def _write_record(self, name: str, schema: Schema, space: str | None, depth: int) -> Any:
        node = _head("record", name, space, schema.parameters.get(f"{NAMESPACE}.record.doc"))
        own_space = split_name(name)[0]
        self.written[name] = _bare(schema)
        fields = []
        for inner in schema.fields:
            try:
                fields.append(self._field(inner, schema, own_space, depth))
            except MisfitError as error:
                error.in_field(inner.name)
                raise
        node["fields"] = fields
        return node | self._properties(schema)

    def _field(self, inner: Field, schema: Schema, space: str | None, depth: int) -> dict[str, Any]:
        node = {
            "name": self.settings.names.simple_name(inner.name),
            "type": self.schema(inner.schema, space, depth + 1),
        }
        doc = schema.parameters.get(f"{NAMESPACE}.field.doc.{inner.name}")
        if doc is not None:
            node["doc"] = doc
        if inner.schema.default is not None:
            node["default"] = self._default(inner.schema, inner.schema.default)
        elif inner.schema.optional:
            node["default"] = None
        return node

    def _map(self, schema: Schema, space: str | None, depth: int) -> dict[str, Any]:
        if is_avro_map(schema):
            inner = _inner(schema.value_schema)
            return {"type": "map", "values": self.schema(inner, space, depth + 1)}
        name = self.settings.names.full_name(schema.name or f"{NAMESPACE}.MapEntry")
        return {"type": "array", "items": self._entry(name, schema, space, depth)}

    def _entry(self, name: str, schema: Schema, space: str | None, depth: int) -> Any:
        known = self._named(name, schema, space)
        if known is not None:
            return known
        node = _head("record", name, space, None)
        self.written[name] = _bare(schema)
        own_space = split_name(name)[0]
        parts = (("key", schema.key_schema), ("value", schema.value_schema))
        node["fields"] = [
            self._field(Field(part, index, _inner(inner)), schema, own_space, depth + 1)
            for index, (part, inner) in enumerate(parts)
        ]
        return node if schema.name is None else {**node, "connect.internal.type": "MapEntry"}

    def _enum(self, schema: Schema, space: str | None) -> Any:
        if schema.name is None:
            self._default_name(_bare(schema))  # takes a number in Confluent's converter, too
        name = self.settings.names.full_name(schema.parameters[ENUM])
        known = self._named(name, schema, space)
        if known is not None:
            return known
        simple = split_name(name)[1]
        node = _head("enum", name, space, schema.parameters.get(f"{NAMESPACE}.enum.doc.{simple}"))
        self.written[name] = _bare(schema)
        node["symbols"] = [
            symbol for key, symbol in schema.parameters.items() if key.startswith(f"{ENUM}.")
        ]
        default = schema.parameters.get(f"{NAMESPACE}.enum.default.{simple}")
        if default is not None:
            node["default"] = default
        return node | self._properties(schema)

    def _named(self, name: str, schema: Schema, space: str | None) -> str | None:
        """The reference to a named type, if it was already written."""
        if name not in self.written:
            return None
        if self.written[name] != _bare(schema):
            raise MisfitError(
                f"two different schemas have the name {name} in Avro",
                code="data.invalid-schema",
                hint="give every struct schema, and every map without string keys, its own name",
            )
        own_space, simple = split_name(name)
        return simple if own_space == space else name

    def _properties(self, schema: Schema) -> dict[str, Any]:
        node = self._metadata(schema) if self.settings.metadata else {}
        logical = LOGICAL_NAMES.get(schema.name)
        if logical is not None:
            node["logicalType"] = logical
        avro = {key: value for key, value in schema.parameters.items() if key.startswith("avro")}
        return node | avro

    def _metadata(self, schema: Schema) -> dict[str, Any]:
        parameters = {
            key: value for key, value in schema.parameters.items() if key != FIELD_DEFAULT
        }
        from_field = FIELD_DEFAULT in schema.parameters
        default = None if schema.default is None else self._default(schema, schema.default)
        width = schema.type.value if schema.type in {Type.INT8, Type.INT16} else None
        properties = {
            "connect.doc": schema.doc,
            "connect.version": schema.version,
            "connect.parameters": parameters or None,
            "connect.default": None if from_field else default,
            "connect.name": schema.name,
            "connect.type": width,
        }
        return {key: value for key, value in properties.items() if value is not None}

    def _default(self, schema: Schema, value: Any) -> Any:
        """A default in Avro's JSON form: bytes as text of the same code points."""
        if value is None:
            return None
        plain = _unlogical(schema, value)
        if isinstance(plain, (bytes, bytearray, memoryview)):
            return bytes(plain).decode("latin-1")
        if isinstance(plain, float) and not math.isfinite(plain):
            raise MisfitError(f"a default of {plain} cannot be written in an Avro schema")
        if isinstance(plain, list):
            inner = _inner(schema.value_schema)
            return [self._default(inner, item) for item in plain]
        if isinstance(plain, dict):
            return self._default_map(schema, plain)
        if isinstance(plain, Struct):
            return self._default_struct(plain)
        return plain

    def _default_map(self, schema: Schema, value: dict[Any, Any]) -> Any:
        keys, values = _inner(schema.key_schema), _inner(schema.value_schema)
        if is_avro_map(schema):
            return {key: self._default(values, item) for key, item in value.items()}
        return [
            {"key": self._default(keys, key), "value": self._default(values, item)}
            for key, item in value.items()
        ]

    def _default_struct(self, value: Struct) -> Any:
        simple = self.settings.names.simple_name
        return {
            simple(inner.name): self._default(inner.schema, value.get(inner))
            for inner in value.schema.fields
        }


def _head(kind: str, name: str, space: str | None, doc: str | None) -> dict[str, Any]:
    own_space, simple = split_name(name)
    node: dict[str, Any] = {"type": kind, "name": simple}
    if own_space != space:
        node["namespace"] = own_space or ""
    if doc is not None:
        node["doc"] = doc
    return node


def _inner(schema: Schema | None) -> Schema:
    if schema is None:
        raise MisfitError("an array or map without inner schema has no Avro schema")
    return schema


def _bare(schema: Schema) -> Schema:
    """The schema without the properties that Avro keeps in a union or a field."""
    return Schema(
        schema.type,
        default=schema.default,
        name=schema.name,
        version=schema.version,
        doc=schema.doc,
        parameters=schema.parameters,
        fields=schema.fields if schema.type is Type.STRUCT else (),
        key_schema=schema.key_schema if schema.type is Type.MAP else None,
        value_schema=schema.value_schema if schema.type is Type.MAP else None,
    )


def _scale(schema: Schema) -> int:
    return _number(schema, Decimal.SCALE_FIELD, None)


def _precision(schema: Schema) -> int:
    return _number(schema, PRECISION, DEFAULT_PRECISION)


def _number(schema: Schema, parameter: str, default: int | None) -> int:
    text = schema.parameters.get(parameter, default)
    try:
        return int(text)  # type: ignore[arg-type]  # None fails as it should
    except (TypeError, ValueError) as error:
        raise MisfitError(
            f"the parameter {parameter} of a Decimal is not a number", code="data.invalid-schema"
        ) from error


def _unlogical(schema: Schema, value: Any) -> Any:
    encode = {
        Decimal.LOGICAL_NAME: Decimal.from_logical,
        Date.LOGICAL_NAME: Date.from_logical,
        Time.LOGICAL_NAME: Time.from_logical,
        Timestamp.LOGICAL_NAME: Timestamp.from_logical,
    }.get(schema.name or "")
    try:
        return encode(schema, value) if encode else value
    except DataError as error:
        raise MisfitError(str(error), code=error.code, hint=error.hint) from error
