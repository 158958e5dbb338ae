"""SchemaBuilder: builds schemas step by step."""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType
from typing import Any, Self

from plugwright.errors import DataError, SchemaBuilderError
from plugwright.schema._accepted import accepts
from plugwright.schema._schema import Field, Schema
from plugwright.schema._type import Type
from plugwright.schema._validation import validate_value

_is_int32 = accepts(Type.INT32, None)


class SchemaBuilder:
    """Builds a schema; every method returns the builder, ``build`` returns the schema.

    Each property can be set once; setting the same value again is allowed, as in Kafka. A builder
    is accepted wherever a schema of a field, element, key or value is expected.

    >>> person = (
    ...     SchemaBuilder.struct()
    ...     .name("com.example.Person")
    ...     .field("name", SchemaBuilder.string())
    ...     .field("age", SchemaBuilder.int8().optional())
    ...     .build()
    ... )
    >>> print(person, [field.name for field in person.fields])
    Schema{com.example.Person:STRUCT} ['name', 'age']
    """

    __slots__ = (
        "_default",
        "_doc",
        "_fields",
        "_key_schema",
        "_name",
        "_optional",
        "_parameters",
        "_type",
        "_value_schema",
        "_version",
    )

    def __init__(self, type: Type) -> None:  # noqa: A002  # Kafka's word
        if not isinstance(type, Type):
            raise _refused("type cannot be null.")
        self._type = type
        self._optional: bool | None = None
        self._default: Any = None
        self._name: str | None = None
        self._version: int | None = None
        self._doc: str | None = None
        self._parameters: dict[str, str] = {}
        self._fields: dict[str, Field] = {}
        self._key_schema: Schema | None = None
        self._value_schema: Schema | None = None

    @classmethod
    def type(cls, type: Type) -> Self:  # noqa: A002  # Kafka's word
        """A builder for any type; for schemas that are created from data."""
        return cls(type)

    @classmethod
    def int8(cls) -> Self:
        """A builder for integers of 8 bits."""
        return cls(Type.INT8)

    @classmethod
    def int16(cls) -> Self:
        """A builder for integers of 16 bits."""
        return cls(Type.INT16)

    @classmethod
    def int32(cls) -> Self:
        """A builder for integers of 32 bits."""
        return cls(Type.INT32)

    @classmethod
    def int64(cls) -> Self:
        """A builder for integers of 64 bits."""
        return cls(Type.INT64)

    @classmethod
    def float32(cls) -> Self:
        """A builder for floating point numbers of 32 bits."""
        return cls(Type.FLOAT32)

    @classmethod
    def float64(cls) -> Self:
        """A builder for floating point numbers of 64 bits."""
        return cls(Type.FLOAT64)

    @classmethod
    def bool(cls) -> Self:
        """A builder for booleans."""
        return cls(Type.BOOLEAN)

    @classmethod
    def string(cls) -> Self:
        """A builder for strings."""
        return cls(Type.STRING)

    @classmethod
    def bytes(cls) -> Self:
        """A builder for bytes."""
        return cls(Type.BYTES)

    @classmethod
    def struct(cls) -> Self:
        """A builder for structs; add fields with ``field``."""
        return cls(Type.STRUCT)

    @classmethod
    def array(cls, value_schema: Schema | SchemaBuilder) -> Self:
        """A builder for arrays.

        Raises:
            SchemaBuilderError: if there is no element schema.
        """
        builder = cls(Type.ARRAY)
        builder._value_schema = _built(value_schema, "valueSchema cannot be null.")
        return builder

    @classmethod
    def map(cls, key_schema: Schema | SchemaBuilder, value_schema: Schema | SchemaBuilder) -> Self:
        """A builder for maps.

        Raises:
            SchemaBuilderError: if there is no key or value schema.
        """
        builder = cls(Type.MAP)
        builder._key_schema = _built(key_schema, "keySchema cannot be null.")
        builder._value_schema = _built(value_schema, "valueSchema cannot be null.")
        return builder

    @classmethod
    def like(cls, schema: Schema) -> Self:
        """A builder with the type, name, version, doc, parameters and inner schemas of a schema.

        Fields, default and ``optional`` are not copied, so that transformations can change them.
        """
        schema = _built(schema, "schema cannot be null.")
        builder = cls(schema.type)
        builder._name = schema.name
        builder._version = schema.version
        builder._doc = schema.doc
        builder._parameters = dict(schema.parameters)
        if schema.type is Type.MAP:
            builder._key_schema = schema.key_schema
        if schema.type in {Type.ARRAY, Type.MAP}:
            builder._value_schema = schema.value_schema
        return builder

    def optional(self) -> Self:
        """Allow ``None`` as a value."""
        _check_unchanged("optional", self._optional, True)
        self._optional = True
        return self

    def required(self) -> Self:
        """Forbid ``None`` as a value, which is the default."""
        _check_unchanged("optional", self._optional, False)
        self._optional = False
        return self

    def default(self, value: Any) -> Self:
        """Set the value that replaces an absent one.

        Raises:
            SchemaBuilderError: if there is another already, or the value does not fit what has been
                built so far; call ``optional`` first if the default is ``None``.
        """
        _check_unchanged("default", self._default, value)
        try:
            validate_value(self.build(), value)
        except DataError as error:
            raise _refused("Invalid default value") from error
        self._default = value
        return self

    def name(self, name: str | None) -> Self:
        """Set the name, by which consumers recognise the schema."""
        _check_unchanged("name", self._name, name)
        _check_class("name", name, str, NoneType)
        self._name = name
        return self

    def version(self, version: int | None) -> Self:
        """Set the version; newer schemas have larger ones."""
        _check_unchanged("version", self._version, version)
        _check_class("version", version, int, NoneType)
        if version is not None and not _is_int32(version):
            raise _refused("Invalid SchemaBuilder call: version must fit 32 bits.")
        self._version = version
        return self

    def doc(self, doc: str | None) -> Self:
        """Set the documentation."""
        _check_unchanged("doc", self._doc, doc)
        _check_class("doc", doc, str, NoneType)
        self._doc = doc
        return self

    def parameter(self, name: str, value: str) -> Self:
        """Set one further property, replacing one of the same name."""
        _check_class("parameter name", name, str)
        _check_class("parameter", value, str)
        self._parameters[name] = value
        return self

    def parameters(self, parameters: Mapping[str, str]) -> Self:
        """Set further properties, keeping those that the mapping does not name."""
        _check_class("parameters", parameters, Mapping)
        for name, value in parameters.items():
            self.parameter(name, value)
        return self

    def field(self, name: str, schema: Schema | SchemaBuilder) -> Self:
        """Add a field to a struct, after those already there.

        Raises:
            SchemaBuilderError: if this is not a struct, the name is empty or taken, or there is no
                schema.
        """
        if self._type is not Type.STRUCT:
            raise _refused(f"Cannot create fields on type {self._type}")
        if name in (None, ""):  # an unhashable name is refused below
            raise _refused("fieldName cannot be null.")
        _check_class("field name", name, str)
        built = _built(schema, f"fieldSchema for field {name} cannot be null.")
        if name in self._fields:
            raise _refused(f"Cannot create field because of field name duplication {name}")
        self._fields[name] = Field(name, len(self._fields), built)
        return self

    def build(self) -> Schema:
        """The schema in its current state; the builder can then build another one."""
        return Schema(
            self._type,
            optional=self._optional is True,
            default=self._default,
            name=self._name,
            version=self._version,
            doc=self._doc,
            parameters=self._parameters,
            fields=tuple(self._fields.values()),
            key_schema=self._key_schema,
            value_schema=self._value_schema,
        )

    schema = build

    def __repr__(self) -> str:
        return f"SchemaBuilder({self.build()})"


def _built(schema: Schema | SchemaBuilder | None, refusal: str) -> Schema:
    if schema is None:
        raise _refused(refusal)
    built = schema.build() if isinstance(schema, SchemaBuilder) else schema
    _check_class("schema", built, Schema)
    return built


def _check_unchanged(name: str, present: object, value: object) -> None:
    if present is not None and (type(present) is not type(value) or present != value):
        raise _refused(f"Invalid SchemaBuilder call: {name} has already been set.")


def _check_class(name: str, value: object, *kinds: type) -> None:
    """Refuse a value of another class; a ``bool`` is not an integer."""
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        wanted = " or ".join(kind.__name__ for kind in kinds)
        raise _refused(
            f"Invalid SchemaBuilder call: {name} must be {wanted}, found {type(value).__name__}."
        )


def _refused(message: str) -> SchemaBuilderError:
    return SchemaBuilderError(message)
