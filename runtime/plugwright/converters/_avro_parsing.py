"""Parses Avro schemas and translates them to Connect schemas."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from plugwright.converters._avro_names import DEFAULT_NAME, NAMESPACE, split_name
from plugwright.converters._avro_schema import (
    DEFAULT_PRECISION,
    ENUM,
    FIELD_DEFAULT,
    PRECISION,
    UNION,
    is_avro_map,
    is_union,
)
from plugwright.converters.misfit import MAX_DEPTH, MisfitError, found, too_deep
from plugwright.errors import DataError
from plugwright.schema import (
    STRING_SCHEMA,
    Date,
    Decimal,
    Schema,
    SchemaBuilder,
    Struct,
    Time,
    Timestamp,
    Type,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

_PRIMITIVES: Mapping[str, Type] = MappingProxyType(
    {
        "int": Type.INT32,
        "long": Type.INT64,
        "float": Type.FLOAT32,
        "double": Type.FLOAT64,
        "boolean": Type.BOOLEAN,
        "string": Type.STRING,
        "bytes": Type.BYTES,
        "fixed": Type.BYTES,
    }
)


@dataclass(frozen=True, slots=True)
class ParsedAvro:
    """An Avro schema in which all names are full names.

    Attributes:
        node: the schema as JSON value.
        named: the named types by full name.
    """

    node: Any
    named: Mapping[str, Any]

    @classmethod
    def parse(cls, text: str) -> ParsedAvro:
        """Parse the text of a schema.

        Raises:
            MisfitError: if it is not an Avro schema.
        """
        from fastavro.schema import parse_schema  # noqa: PLC0415  # an extra

        named: dict[str, Any] = {}
        try:
            node = json.loads(text)
            if isinstance(node, dict) and "references" in node:
                for reference in node["references"]:
                    parse_schema(reference, named)
                node = node["schema"]
            parsed = parse_schema(node, named)
        except Exception as error:
            raise MisfitError(f"not an Avro schema: {error}", code="data.invalid-schema") from error
        return cls(parsed, named)

    def resolve(self, node: Any) -> Any:
        """The definition with a name; other nodes unchanged."""
        return self.named.get(node, node) if isinstance(node, str) else node


def kind(node: Any) -> str:
    """``union``, or Avro's name of the type of a resolved node."""
    if isinstance(node, list):
        return "union"
    type_ = node["type"] if isinstance(node, dict) else node
    return kind(type_) if isinstance(type_, (dict, list)) else str(type_)


def branches(node: list[Any]) -> list[Any]:
    """The branches of a union except null."""
    return [branch for branch in node if kind(branch) != "null"]


def is_map_entry(node: Any) -> bool:
    """Whether arrays of the node represent a map whose keys are not required strings."""
    return isinstance(node, dict) and (
        node.get("name") == f"{NAMESPACE}.MapEntry"
        or node.get("connect.internal.type") == "MapEntry"
    )


@dataclass(slots=True)
class ConnectSchemas:
    """Translates Avro schemas to Connect's, as Confluent's converter does.

    Attributes:
        avro: the schema.
        metadata: whether to read Connect's own properties (``connect.meta.data``).
        enhanced: whether to use full names for union branches (``enhanced.avro.schema.support``).
    """

    avro: ParsedAvro
    metadata: bool = True
    enhanced: bool = False
    _open: list[str] = field(default_factory=list)

    def translate(self, version: int | None) -> Schema:
        """The Connect schema.

        Args:
            version: the schema's version in its subject, used if the schema has none.

        Raises:
            MisfitError: if Connect cannot express it: null alone, or a recursive record.
        """
        try:
            return self._schema(self.avro.node, version=version)
        except MisfitError as error:
            error.root = "schema"
            raise
        except DataError as error:
            raise MisfitError(str(error), code=error.code, hint=error.hint) from error

    def _schema(
        self,
        node: Any,
        *,
        optional: bool = False,
        default: Any = None,
        version: int | None = None,
    ) -> Schema:
        node = self.avro.resolve(node)
        if isinstance(node, dict) and isinstance(node["type"], (dict, list)):
            node = node["type"]
        if isinstance(node, list):
            return self._union(node, default, optional=optional)
        if len(self._open) > MAX_DEPTH:
            raise too_deep()
        properties = node if isinstance(node, dict) else {}
        name = properties.get("name", kind(node))
        if name in self._open and kind(node) == "record":
            raise MisfitError(
                f"the record {name} is recursive, which Connect schemas do not support",
                code="data.invalid-schema",
            )
        self._open.append(name)
        builder = self._builder(node, properties)
        self._open.pop()
        self._describe(builder, node, properties, default, version)
        return (builder.optional() if optional else builder).build()

    def _union(self, node: list[Any], default: Any, *, optional: bool) -> Schema:
        options = branches(node)
        if len(node) == 2 and len(options) == 1:  # noqa: PLR2004  # null and another
            return self._schema(options[0], optional=True, default=default)
        builder = SchemaBuilder.struct().name(UNION)
        for option in options:
            builder.field(self._branch_name(option), self._schema(option, optional=True))
        if optional or len(options) < len(node):
            builder.optional()
        return builder.build()

    def _branch_name(self, node: Any) -> str:
        resolved = self.avro.resolve(node)
        if kind(resolved) in {"record", "enum"}:
            name = str(resolved["name"])
            return name if self.enhanced else split_name(name)[1]
        return kind(resolved)

    def _builder(self, node: Any, properties: dict[str, Any]) -> SchemaBuilder:
        match kind(node):
            case "null":
                raise MisfitError(
                    "Standalone null schemas are not supported by this converter",
                    code="data.invalid-schema",
                )
            case "array":
                return self._array(properties)
            case "map":
                return SchemaBuilder.map(STRING_SCHEMA, self._schema(properties["values"]))
            case "record":
                return self._record(properties)
            case "enum":
                return self._enum(properties)
            case name:
                return _logical(name, properties) or self._primitive(name, properties)

    def _primitive(self, name: str, properties: dict[str, Any]) -> SchemaBuilder:
        width = properties.get("connect.type")
        if name == "int" and width in {Type.INT8.value, Type.INT16.value}:
            return SchemaBuilder.type(Type(width))
        return SchemaBuilder.type(_PRIMITIVES[name])

    def _array(self, properties: dict[str, Any]) -> SchemaBuilder:
        item = self.avro.resolve(properties["items"])
        if not is_map_entry(item):
            return SchemaBuilder.array(self._schema(item))
        parts = {inner["name"]: inner["type"] for inner in item["fields"]}
        if parts.keys() != {"key", "value"}:
            raise MisfitError(
                "Found map encoded as array of key-value pairs, but array elements do not match "
                "the expected format.",
                code="data.invalid-schema",
            )
        return SchemaBuilder.map(self._schema(parts["key"]), self._schema(parts["value"]))

    def _record(self, properties: dict[str, Any]) -> SchemaBuilder:
        builder = SchemaBuilder.struct()
        if self.metadata and properties.get("doc") is not None:
            builder.parameter(f"{NAMESPACE}.record.doc", properties["doc"])
        for inner in properties["fields"]:
            if self.metadata and inner.get("doc") is not None:
                builder.parameter(f"{NAMESPACE}.field.doc.{inner['name']}", inner["doc"])
            try:
                schema = self._schema(inner["type"], default=inner.get("default"))
                builder.field(inner["name"], schema)
            except MisfitError as error:
                error.in_field(inner["name"])
                raise
        return builder

    def _enum(self, properties: dict[str, Any]) -> SchemaBuilder:
        builder = SchemaBuilder.string()
        simple = split_name(properties["name"])[1]
        for word in ("doc", "default") if self.metadata else ():
            if properties.get(word) is not None:
                builder.parameter(f"{NAMESPACE}.enum.{word}.{simple}", properties[word])
        builder.parameter(ENUM, properties["name"])
        for symbol in properties["symbols"]:
            builder.parameter(f"{ENUM}.{symbol}", symbol)
        return builder

    def _describe(
        self,
        builder: SchemaBuilder,
        node: Any,
        properties: dict[str, Any],
        default: Any,
        version: int | None,
    ) -> None:
        made = builder.build()
        if self.metadata and properties.get("connect.doc") is not None:
            builder.doc(properties["connect.doc"])
        known = properties.get("connect.version", version)
        if made.version is None and isinstance(known, int):
            builder.version(known)
        parameters = properties.get("connect.parameters")
        if self.metadata and isinstance(parameters, dict):
            builder.parameters({key: str(value) for key, value in parameters.items()})
        for key, value in properties.items():
            if key.startswith("avro"):
                builder.parameter(key, str(value))
        own_default = properties.get("connect.default")
        if default is not None and own_default is None:
            builder.parameter(FIELD_DEFAULT, "true")
        name = self._name(node, properties)
        if made.name is None and name is not None:
            builder.name(name)
        chosen = own_default if default is None else default
        if chosen is not None:
            builder.default(_default(builder.build(), chosen))

    def _name(self, node: Any, properties: dict[str, Any]) -> str | None:
        named = kind(node) in {"record", "enum"}
        name = properties.get("connect.name", properties.get("name") if named else None)
        # Like Confluent's: any name with this prefix, numbered or not.
        return None if name is None or name.startswith(DEFAULT_NAME) else name


def _logical(name: str, properties: dict[str, Any]) -> SchemaBuilder | None:
    match name, properties.get("logicalType"):
        case (("bytes" | "fixed"), "decimal"):
            builder = Decimal.builder(int(properties.get("scale", 0)))
            precision = properties.get("precision", DEFAULT_PRECISION)
            if precision != DEFAULT_PRECISION:
                builder.parameter(PRECISION, str(precision))
            return builder
        case "int", "date":
            return Date.builder()
        case "int", "time-millis":
            return Time.builder()
        case "long", "timestamp-millis":
            return Timestamp.builder()
    return None


def _default(schema: Schema, node: Any) -> Any:
    """The value of a default that is in Avro's JSON form."""
    match schema.type:
        case _ if node is None:
            return None
        case Type.BYTES:
            return _logical_value(schema, _text(node).encode("latin-1"))
        case Type.ARRAY if isinstance(node, list) and schema.value_schema:
            return [_default(schema.value_schema, item) for item in node]
        case Type.MAP:
            return _default_map(schema, node)
        case Type.STRUCT:
            return _default_struct(schema, node)
    is_float = schema.type in {Type.FLOAT32, Type.FLOAT64} and isinstance(node, int)
    return float(node) if is_float else _logical_value(schema, node)


def _default_struct(schema: Schema, node: Any) -> Any:
    made = Struct(schema)
    if is_union(schema):
        first = schema.fields[0]
        return made.put(first, _default(first.schema, node))
    for inner in schema.fields if isinstance(node, dict) else ():
        made.put(inner, _default(inner.schema, node.get(inner.name)))
    return made


def _default_map(schema: Schema, node: Any) -> dict[Any, Any]:
    keys, values = schema.key_schema, schema.value_schema
    assert keys is not None and values is not None, "made here with both"  # noqa: S101, PT018
    if is_avro_map(schema):
        return {key: _default(values, item) for key, item in node.items()}
    pairs = ((item["key"], item["value"]) if isinstance(item, dict) else item for item in node)
    return {_default(keys, key): _default(values, item) for key, item in pairs}


def _text(node: Any) -> str:
    if not isinstance(node, str):
        raise MisfitError(f"expected text as default of bytes, found {found(node)}")
    return node


def _logical_value(schema: Schema, plain: Any) -> Any:
    decode = {
        Decimal.LOGICAL_NAME: Decimal.to_logical,
        Date.LOGICAL_NAME: Date.to_logical,
        Time.LOGICAL_NAME: Time.to_logical,
        Timestamp.LOGICAL_NAME: Timestamp.to_logical,
    }.get(schema.name or "")
    return decode(schema, plain) if decode else plain
