"""Schema and Field: the immutable description of a value's type."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from plugwright.errors import DataError
from plugwright.schema._accepted import accepts
from plugwright.schema._equality import Comparable, same_value
from plugwright.schema._type import Type

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.schema._equality import Pair

_NO_PARAMETERS: Mapping[str, str] = MappingProxyType({})


class SchemaAndValue(NamedTuple):
    """A value with its schema; the schema is ``None`` for schemaless data."""

    schema: Schema | None
    value: Any


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a struct schema.

    Attributes:
        name: name of the field, unique in its struct.
        index: position of the field, from 0.
        schema: schema of the field's values.
    """

    name: str
    index: int
    schema: Schema


class Schema(Comparable):
    """The type of values, with its name, version, default and documentation.

    Immutable, hashable and comparable; built by ``SchemaBuilder``. Comparing a schema with itself
    costs an identity check and the hash is computed once, so schemas are good keys for caches.

    Attributes:
        type: one of the twelve types.
        optional: whether ``None`` is allowed.
        default: the value that replaces an absent one; ``None`` if there is none, as in Kafka,
            where an absent optional value reads as null anyway. See ``has_default``.
        name: name of the schema, or ``None``; logical types are recognised by it.
        version: version of the schema, or ``None``.
        doc: documentation, or ``None``.
        parameters: further properties, empty when there are none.
        fields_by_name: the fields of a struct by name, empty for other types; for hot paths.
        accepts: whether a value that is not ``None`` is of the right Python type and range; it
            does not look into containers, which ``validate_value`` does.
        is_leaf: whether ``accepts`` checks everything: the type is not an array, map or struct.
    """

    __slots__ = (
        "__weakref__",
        "_fields",
        "_hash",
        "_key_schema",
        "_value_schema",
        "accepts",
        "default",
        "doc",
        "fields_by_name",
        "is_leaf",
        "name",
        "optional",
        "parameters",
        "type",
        "version",
    )

    type: Type
    optional: bool
    default: Any
    name: str | None
    version: int | None
    doc: str | None
    parameters: Mapping[str, str]
    fields_by_name: Mapping[str, Field]
    accepts: Callable[[Any], bool]
    is_leaf: bool
    _fields: tuple[Field, ...]
    _key_schema: Schema | None
    _value_schema: Schema | None
    _hash: int

    def __init__(  # noqa: PLR0913  # one argument for each property of a schema
        self,
        type: Type,  # noqa: A002  # Kafka's word
        *,
        optional: bool = False,
        default: Any = None,
        name: str | None = None,
        version: int | None = None,
        doc: str | None = None,
        parameters: Mapping[str, str] | None = None,
        fields: Sequence[Field] = (),
        key_schema: Schema | None = None,
        value_schema: Schema | None = None,
    ) -> None:
        if not isinstance(type, Type):
            raise DataError(f"Not a type of a schema: {type!r}", code="schema.wrong-type")
        assign = object.__setattr__
        assign(self, "type", type)
        assign(self, "optional", optional)
        assign(self, "default", default)
        assign(self, "name", name)
        assign(self, "version", version)
        assign(self, "doc", doc)
        kept = MappingProxyType(dict(parameters)) if parameters else _NO_PARAMETERS
        assign(self, "parameters", kept)
        assign(self, "_fields", tuple(fields))
        by_name = {field.name: field for field in fields}
        assign(self, "fields_by_name", MappingProxyType(by_name))
        assign(self, "_key_schema", key_schema)
        assign(self, "_value_schema", value_schema)
        assign(self, "accepts", accepts(type, name))
        assign(self, "is_leaf", type.is_primitive)
        assign(self, "_hash", self._compute_hash())

    @property
    def has_default(self) -> bool:
        """Whether there is a default value; ``0``, ``False`` and ``""`` are defaults too."""
        return self.default is not None

    @property
    def fields(self) -> tuple[Field, ...]:
        """The fields of a struct schema, in order.

        Raises:
            DataError: if the schema is not a struct.
        """
        if self.type is not Type.STRUCT:
            raise DataError("Cannot list fields on non-struct type", code="schema.wrong-type")
        return self._fields

    def field(self, name: str) -> Field | None:
        """The field of a struct schema with that name, or ``None``.

        Raises:
            DataError: if the schema is not a struct.
        """
        if self.type is not Type.STRUCT:
            raise DataError("Cannot look up fields on non-struct type", code="schema.wrong-type")
        return self.fields_by_name.get(name)

    @property
    def key_schema(self) -> Schema | None:
        """The schema of a map's keys; ``None`` only in maps that ``Values`` parsed.

        Raises:
            DataError: if the schema is not a map.
        """
        if self.type is not Type.MAP:
            raise DataError("Cannot look up key schema on non-map type", code="schema.wrong-type")
        return self._key_schema

    @property
    def value_schema(self) -> Schema | None:
        """The schema of an array's elements or a map's values.

        ``None`` only in arrays and maps that ``Values`` parsed and that have no common schema.

        Raises:
            DataError: if the schema is neither an array nor a map.
        """
        if self.type is not Type.MAP and self.type is not Type.ARRAY:
            raise DataError(
                "Cannot look up value schema on non-array and non-map type",
                code="schema.wrong-type",
            )
        return self._value_schema

    def _compute_hash(self) -> int:
        # The default may be unhashable, so only equality considers it.
        return hash(
            (
                self.type.value,
                self.optional,
                self.name,
                self.version,
                self.doc,
                frozenset(self.parameters.items()),
                self._fields,
                self._key_schema,
                self._value_schema,
            )
        )

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Schema):
            return NotImplemented
        return self._hash == other._hash and same_value(self, other)

    def pairs_inside(self, other: Any) -> list[Pair] | None:
        """What must be equal inside both schemas; ``None`` if their own properties differ."""
        if not isinstance(other, Schema) or not self._same_outside(other):
            return None
        mine, theirs = self._fields, other._fields
        return [
            (self._key_schema, other._key_schema),  # noqa: SLF001  # another schema
            (self._value_schema, other._value_schema),  # noqa: SLF001
            (self.default, other.default),
            *((one.schema, two.schema) for one, two in zip(mine, theirs, strict=True)),
        ]

    def _same_outside(self, other: Schema) -> bool:
        # The hash covers all properties but the default, so what differs deep inside shows here.
        return (
            self._hash == other._hash
            and self.type is other.type
            and self.optional == other.optional
            and self.name == other.name
            and self.version == other.version
            and self.doc == other.doc
            and self.parameters == other.parameters
            and [field.name for field in self._fields] == [field.name for field in other._fields]
        )

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle by properties: a mapping proxy cannot be pickled, a hash of text must not be."""
        properties = {
            "type": self.type,
            "optional": self.optional,
            "default": self.default,
            "name": self.name,
            "version": self.version,
            "doc": self.doc,
            "parameters": dict(self.parameters),
            "fields": self._fields,
            "key_schema": self._key_schema,
            "value_schema": self._value_schema,
        }
        return _rebuild, (properties,)

    def __copy__(self) -> Schema:
        return self

    def __deepcopy__(self, _memo: dict[int, Any]) -> Schema:
        return self

    def __setattr__(self, name: str, _value: object) -> NoReturn:
        raise AttributeError(f"a schema is immutable, so its {name!r} cannot be set")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a schema is immutable, so its {name!r} cannot be deleted")

    def __str__(self) -> str:
        inner = f"{self.name}:{self.type}" if self.name is not None else str(self.type)
        return f"Schema{{{inner}}}"

    __repr__ = __str__


def _rebuild(properties: dict[str, Any]) -> Schema:
    return Schema(**properties)
