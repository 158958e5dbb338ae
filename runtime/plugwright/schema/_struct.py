"""Struct: a value with named fields, each under its own schema."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from plugwright.errors import DataError
from plugwright.schema._accepted import StructValue
from plugwright.schema._equality import same_value
from plugwright.schema._schema import Field, Schema
from plugwright.schema._type import Type
from plugwright.schema._validation import validate_struct, validate_value
from plugwright.unrolled import unrolled

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from plugwright.schema._equality import Pair
    from plugwright.unrolled import Steps

_T = TypeVar("_T")
_LOGICAL = (Decimal, dt.date, dt.time)
_CONTAINERS = (list, dict)  # not their subclasses, which may print otherwise
_Layout = tuple[str, str, str, "Iterator[tuple[str, Any]]", "Callable[[Any], str]"]


class Struct(StructValue):
    """A value with named fields; ``put`` checks each value.

    ``struct["a"]`` reads and ``struct["a"] = 1`` writes; ``dict(struct)`` gives every field, with
    defaults. The hash depends on the content, as in Kafka, so structs can be keys of maps: do not
    change a struct while it is a key.

    >>> from plugwright.schema import INT8_SCHEMA, STRING_SCHEMA, SchemaBuilder
    >>> user = SchemaBuilder.struct().field("id", INT8_SCHEMA).field("name", STRING_SCHEMA).build()
    >>> print(Struct(user).put("id", 1).put("name", "a"))
    Struct{id=1,name=a}

    Raises:
        DataError: if the schema is not a struct schema.
    """

    __slots__ = ()

    def __init__(self, schema: Schema) -> None:
        given: object = schema
        if not isinstance(given, Schema) or schema.type is not Type.STRUCT:
            raise DataError(
                f"Not a struct schema: {schema}",
                code="schema.wrong-type",
                hint="build the schema first" if hasattr(schema, "build") else "",
            )
        self.schema = schema
        self._values: list[Any] = [None] * len(schema.fields_by_name)

    @classmethod
    def from_trusted(cls, schema: Schema, values: Sequence[Any]) -> Self:
        """A struct of values that are known to fit, one per field in order; for converters.

        Checks only their number. Hot path: runs once per record, so it bypasses the constructor.

        Raises:
            DataError: if there are not as many values as the schema has fields.
        """
        if len(values) != len(schema.fields_by_name):
            raise DataError(
                f"Struct of {len(schema.fields_by_name)} fields made from {len(values)} values",
                code="struct.wrong-size",
            )
        return cls.adopt(schema, list(values))

    @classmethod
    def adopt(cls, schema: Schema, values: list[Any]) -> Self:
        """A struct that takes over a list of values, one per field in order, without any check.

        Hot path for a caller that made the list for this schema and does not use it afterwards.
        """
        struct = cls.__new__(cls)
        struct.schema = schema
        struct._values = values  # noqa: SLF001  # a struct of its own class
        return struct

    def get(self, field: str | Field) -> Any:
        """The value of a field; the default of its schema when it is unset.

        Raises:
            DataError: if there is no such field.
        """
        try:
            found = self.schema.fields_by_name.get(field) or self._field(field)  # type: ignore[arg-type]  # a Field is no key
        except TypeError:  # neither a name nor a field
            found = self._field(field)
        value = self._values[found.index]
        return found.schema.default if value is None else value

    def get_without_default(self, field: str | Field) -> Any:
        """The value of a field as it was put, ``None`` when it is unset.

        Raises:
            DataError: if there is no such field.
        """
        return self._values[self._field(field).index]

    def put(self, field: str | Field, value: Any) -> Self:
        """Set a field. Runs for every field of every record.

        Raises:
            DataError: if there is no such field, or the value does not fit its schema.
        """
        try:
            found = self.schema.fields_by_name.get(field) or self._field(field)  # type: ignore[arg-type]  # a Field is no key
        except TypeError:  # neither a name nor a field
            found = self._field(field)
        schema = found.schema
        if not (schema.is_leaf and schema.accepts(value)):
            validate_value(schema, value, f'field: "{found.name}"')
        self._values[found.index] = value
        return self

    def validate(self) -> None:
        """Check every field; an unset field must be optional or have a default.

        Raises:
            DataError: naming the first field that does not fit.
        """
        validate_struct(self)

    def get_int8(self, name: str) -> int | None:
        """The value of a field of type INT8, without default."""
        return self._typed(name, Type.INT8, int)

    def get_int16(self, name: str) -> int | None:
        """The value of a field of type INT16, without default."""
        return self._typed(name, Type.INT16, int)

    def get_int32(self, name: str) -> int | None:
        """The value of a field of type INT32, without default."""
        return self._typed(name, Type.INT32, int)

    def get_int64(self, name: str) -> int | None:
        """The value of a field of type INT64, without default."""
        return self._typed(name, Type.INT64, int)

    def get_float32(self, name: str) -> float | None:
        """The value of a field of type FLOAT32, without default."""
        return self._typed(name, Type.FLOAT32, float)

    def get_float64(self, name: str) -> float | None:
        """The value of a field of type FLOAT64, without default."""
        return self._typed(name, Type.FLOAT64, float)

    def get_boolean(self, name: str) -> bool | None:
        """The value of a field of type BOOLEAN, without default."""
        return self._typed(name, Type.BOOLEAN, bool)

    def get_string(self, name: str) -> str | None:
        """The value of a field of type STRING, without default."""
        return self._typed(name, Type.STRING, str)

    def get_bytes(self, name: str) -> bytes | None:
        """The value of a field of type BYTES, without default; any buffer becomes ``bytes``."""
        value = self._typed(name, Type.BYTES, object)
        if isinstance(value, (bytearray, memoryview)):
            return bytes(value)
        return cast("bytes | None", value)

    def get_array(self, name: str) -> list[Any] | None:
        """The value of a field of type ARRAY, without default."""
        return self._typed(name, Type.ARRAY, list[Any])

    def get_map(self, name: str) -> dict[Any, Any] | None:
        """The value of a field of type MAP, without default."""
        return self._typed(name, Type.MAP, dict[Any, Any])

    def get_struct(self, name: str) -> Struct | None:
        """The value of a field of type STRUCT, without default."""
        return self._typed(name, Type.STRUCT, Struct)

    def keys(self) -> tuple[str, ...]:
        """The names of all fields, in order."""
        return tuple(field.name for field in self.schema.fields)

    def _typed(self, name: str, type_: Type, _python: type[_T]) -> _T | None:
        field = self._field(name)
        if field.schema.type is not type_:
            raise DataError(f"Field '{name}' is not of type {type_}", code="schema.wrong-type")
        value = self._values[field.index]
        if isinstance(value, _LOGICAL):
            raise _logical(field, value)
        return cast("_T | None", value)

    def _field(self, field: str | Field) -> Field:
        name: object = field.name if isinstance(field, Field) else field
        found = self.schema.field(name) if isinstance(name, str) else None
        if found is None:
            raise DataError(
                f"{'null' if name is None else name} is not a valid field name",
                code="struct.unknown-field",
                hint=_near_names(str(name), self.keys()),
                facts={"field": str(name), "schema": str(self.schema)},
            )
        return found

    __getitem__ = get

    def __setitem__(self, field: str | Field, value: Any) -> None:
        self.put(field, value)

    def __contains__(self, name: object) -> bool:
        return name in self.keys()

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Struct):
            return NotImplemented
        return same_value(self, other)

    def pairs_inside(self, other: Any) -> list[Pair] | None:
        """The schemas and the values of both; ``None`` if the other is not a struct."""
        if not isinstance(other, Struct):
            return None
        mine, theirs = self._values, other._values  # noqa: SLF001  # another struct
        if self.schema is other.schema:
            return list(zip(mine, theirs, strict=True))
        # The last pair is compared first: equal schemas have equal numbers of values.
        return [(mine, theirs), (self.schema, other.schema)]

    def __hash__(self) -> int:
        return unrolled(_hash(self))

    def __str__(self) -> str:
        parts: list[str] = []
        unrolled(_write(self, parts))
        return "".join(parts)

    __repr__ = __str__


_NESTED = (Struct, list, dict)


def _hash(value: Struct | list[Any] | dict[Any, Any]) -> Steps[int]:
    """The hash of a container, equal for equal ones."""
    hashes: list[Hashable] = []
    if isinstance(value, dict):
        for key, item in value.items():
            inner = (yield _hash(item)) if isinstance(item, _NESTED) else _leaf_hash(item)
            hashes.append((key, inner))
        return hash(frozenset(hashes))
    for item in value._values if isinstance(value, Struct) else value:  # noqa: SLF001
        inner = (yield _hash(item)) if isinstance(item, _NESTED) else _leaf_hash(item)
        hashes.append(inner)  # a comprehension cannot yield
    schema = value.schema if isinstance(value, Struct) else None
    return hash((schema, *hashes))


def _leaf_hash(value: Any) -> int:
    if isinstance(value, (bytearray, memoryview)):
        return hash(bytes(value))
    # The hash of a NaN is that of one object only.
    return hash(math.nan if value != value else value)  # noqa: PLR0124


def _write(value: Any, parts: list[str]) -> Steps[None]:
    """Write a container as Python prints it, and a struct as Kafka does."""
    opening, separator, closing, entries, written = _layout(value)
    parts.append(opening)
    for number, (label, item) in enumerate(entries):
        parts.append(f"{separator if number else ''}{label}")
        if isinstance(item, Struct) or type(item) in _CONTAINERS:
            yield _write(item, parts)
        else:
            parts.append(written(item))
    parts.append(closing)


def _layout(value: Any) -> _Layout:
    if isinstance(value, dict):
        return "{", ", ", "}", ((f"{key!r}: ", item) for key, item in value.items()), repr
    if isinstance(value, list):
        return "[", ", ", "]", (("", item) for item in value), repr
    named = (
        (f"{field.name}=", item)
        for field, item in zip(value.schema.fields, value._values, strict=True)  # noqa: SLF001
        if item is not None
    )
    return "Struct{", ",", "}", named, str


def _logical(field: Field, value: object) -> DataError:
    kind = type(value).__name__
    return DataError(
        f"Field '{field.name}' holds a {kind}, for its schema has the logical type "
        f"{field.schema.name}",
        code="schema.wrong-type",
        hint="read it with get or get_without_default",
        facts={"field": field.name, "class": kind},
    )


def _near_names(name: str, names: Sequence[str]) -> str:
    # Imported here because only records that do not fit need it.
    from difflib import get_close_matches  # noqa: PLC0415

    near = get_close_matches(name, names, 3)
    return f"did you mean {', '.join(near)}?" if near else "the schema lists its fields"
