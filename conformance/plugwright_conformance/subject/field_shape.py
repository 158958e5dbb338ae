"""One field of a row: its type as a declaration writes it, its schema and its hard values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from plugwright import schema as connect
from plugwright_conformance.subject.boundaries import TYPE_NAMES, boundary_values
from plugwright_conformance.subject.same_values import same

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["FieldShape", "plain_row", "rows_of", "struct_builder", "struct_from"]

_NOTATION = re.compile(
    r"(?P<type>[a-z0-9]+)(\((?P<scale>\d+)\)|<(?P<parts>.*)>)?(?P<optional>\?)?"
    r"(\s*=(?P<default>.*))?",
    re.DOTALL,
)
_NESTED = ("array", "map", "struct")
_KEY_TYPES = frozenset({"string", "int8", "int16", "int32", "int64"})
_MAP_KEYS = ("key", "Key", "two words", "ÄÖÜ", "日本語", "0", "null")
"""Names that every system can store, and that are easily confused."""
_LONGEST_PART = 300  # characters of a text within a nested value


@dataclass(frozen=True, slots=True)
class FieldShape:
    """One field: name, type and optionality.

    Attributes:
        type: a type name such as ``int64``; a decimal has two digits after its point unless
            ``scale`` says otherwise.
        default: what a missing value stands for, or ``None``.
        parts: the element of an array, key and value of a map, the fields of a struct.
    """

    name: str
    type: str
    scale: int = 2
    optional: bool = False
    default: str | None = None
    parts: tuple[FieldShape, ...] = ()

    @classmethod
    def parse(cls, name: str, text: str) -> FieldShape:
        """A field as a declaration writes it: ``decimal(2)``, ``string?``, ``array<string>``.

        Raises:
            ValueError: if it is written otherwise.
        """
        found = _NOTATION.fullmatch(text.strip())
        if found is None or found["type"] not in (*TYPE_NAMES, *_NESTED):
            raise ValueError(
                f"{name} = {text!r} is no type of {', '.join(TYPE_NAMES)}, array<...>, "
                "map<..., ...>, struct<name: ..., ...>"
            )
        default = found["default"].strip() if found["default"] is not None else None
        if default is not None and found["type"] != "string":
            raise ValueError(f"{name} = {text!r}: only strings may have a default here")
        parts = tuple(_parts(name, found["type"], found["parts"]))
        if any(part.default is not None for part in parts):
            raise ValueError(f"{name} = {text!r}: parts of a field have no default here")
        scale = int(found["scale"] or 2)
        return cls(name, found["type"], scale, found["optional"] is not None, default, parts)

    @property
    def is_nested(self) -> bool:
        """Whether it is an array, a map or a struct."""
        return bool(self.parts)

    @property
    def logical(self) -> bool:
        """Whether the type is one of Connect's logical types."""
        return self.type in {"decimal", "date", "time", "timestamp"}

    def may_hold(self, seen: object, put: object) -> bool:
        """Whether a sink may store the one for the other.

        For a null it may store the field's default, which Connect's ``Struct.get`` returns then.
        """
        stands_in = put is None and self.default is not None and same(seen, self.default)
        return stands_in or same(seen, put)

    def schema(self) -> connect.Schema:
        """The field's Connect schema."""
        builder: connect.SchemaBuilder = _BUILDERS[self.type](self)
        if self.optional:
            builder = builder.optional()
        return (builder if self.default is None else builder.default(self.default)).build()

    def edges(self, excluded: Sequence[str] = ()) -> Sequence[Any]:
        """Values that are hard to store, without characters that the endpoint excludes.

        Arrays are lists; maps and structs are dictionaries.
        """
        values = self._edges(excluded)
        return [*values, None] if self.optional else values

    def _edges(self, excluded: Sequence[str]) -> Sequence[Any]:
        if self.type == "array":
            elements = _short(self.parts[0].edges(excluded))
            return [[], elements[:1], elements, [*reversed(elements), elements[0]]]
        if self.type == "map":
            keys, there = self._keys(), _short(self.parts[1].edges(excluded))
            turned = [*there[1:], *there[:1]]
            return [{}, {keys[0]: there[0]}, _paired(keys, there), _paired(keys, turned)]
        if self.type == "struct":
            edges = {part.name: _short(part.edges(excluded)) for part in self.parts}
            return [*rows_of(edges), {name: values[-1] for name, values in edges.items()}]
        values = boundary_values(self.type, excluded)
        if self.type == "decimal":
            return [value.quantize(Decimal(1).scaleb(-self.scale)) for value in values]
        return values

    def _keys(self) -> Sequence[Any]:
        kind = self.parts[0].type
        return _MAP_KEYS if kind == "string" else boundary_values(kind)

    def connect_value(self, value: Any) -> Any:
        """The value as Connect has it: a dictionary of a struct becomes one."""
        if value is None:
            return None
        if self.type == "array":
            return [self.parts[0].connect_value(each) for each in value]
        if self.type == "map":
            return {key: self.parts[1].connect_value(each) for key, each in value.items()}
        if self.type == "struct":
            return struct_from(self.parts, self.schema(), value)
        return value

    def plain_value(self, value: Any) -> Any:
        """A value of Connect as rows have it; one of another type is unchanged."""
        if self.type == "array" and isinstance(value, list):
            return [self.parts[0].plain_value(each) for each in value]
        if self.type == "map" and isinstance(value, dict):
            return {key: self.parts[1].plain_value(each) for key, each in value.items()}
        if self.type == "struct" and isinstance(value, connect.Struct):
            return plain_row(self.parts, value)
        return value


def struct_builder(fields: Sequence[FieldShape]) -> connect.SchemaBuilder:
    """A builder with these fields."""
    builder = connect.SchemaBuilder.struct()
    for field in fields:
        builder.field(field.name, field.schema())
    return builder


def rows_of(edges: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Rows that together hold every edge of every field."""
    count = max(map(len, edges.values()))
    return [
        {name: values[number % len(values)] for name, values in edges.items()}
        for number in range(count)
    ]


def struct_from(
    fields: Sequence[FieldShape], schema: connect.Schema, row: Mapping[str, Any]
) -> connect.Struct:
    """A row as a Connect struct; fields that it lacks stay unset."""
    made, known = connect.Struct(schema), {field.name: field for field in fields}
    for name, value in row.items():
        made.put(name, known[name].connect_value(value) if name in known else value)
    return made


def plain_row(fields: Sequence[FieldShape], struct: connect.Struct) -> dict[str, Any]:
    """The fields of a Connect struct as they were put, without those that it lacks."""
    there = [field for field in fields if struct.schema.field(field.name)]
    return {f.name: f.plain_value(struct.get_without_default(f.name)) for f in there}


def _parts(name: str, kind: str, text: str | None) -> Iterator[FieldShape]:
    """What a nested type is made of.

    Raises:
        ValueError: if the type has other parts than it needs.
    """
    written = [] if text is None else _divided(text)
    if kind == "struct" and written and all(":" in each for each in written):
        pairs = (each.partition(":") for each in written)
        yield from (FieldShape.parse(part.strip(), inner) for part, _, inner in pairs)
    elif kind == "array" and len(written) == 1:
        yield FieldShape.parse("element", written[0])
    elif kind == "map" and len(written) == 2:  # noqa: PLR2004  # key and value
        key = FieldShape.parse("key", written[0])
        if key.type not in _KEY_TYPES or key.optional:
            raise ValueError(f"{name}: keys of maps are {', '.join(sorted(_KEY_TYPES))} here")
        yield key
        yield FieldShape.parse("value", written[1])
    elif kind in _NESTED or written:
        raise ValueError(f"{name} = {kind}<{text or ''}> does not have the parts of its type")


def _divided(text: str) -> list[str]:
    """The text at its commas, except those within angle brackets."""
    found, depth = [""], 0
    for character in text:
        depth += (character == "<") - (character == ">")
        if character == "," and not depth:
            found.append("")
        else:
            found[-1] += character
    return found


def _short(values: Sequence[Any]) -> list[Any]:
    """Values that fit into another one several times."""
    return [v for v in values if not isinstance(v, str | bytes) or len(v) <= _LONGEST_PART]


def _paired(keys: Sequence[Any], values: Sequence[Any]) -> dict[Any, Any]:
    return {key: values[number % len(values)] for number, key in enumerate(keys)}


_BUILDERS: Mapping[str, Any] = MappingProxyType(
    {
        **{
            name: (lambda _, name=name: getattr(connect.SchemaBuilder, name)())
            for name in ("int8", "int16", "int32", "int64", "float32", "float64", "string", "bytes")
        },
        "boolean": lambda _: connect.SchemaBuilder.bool(),
        "decimal": lambda field: connect.Decimal.builder(field.scale),
        "date": lambda _: connect.Date.builder(),
        "time": lambda _: connect.Time.builder(),
        "timestamp": lambda _: connect.Timestamp.builder(),
        "array": lambda field: connect.SchemaBuilder.array(field.parts[0].schema()),
        "map": lambda field: connect.SchemaBuilder.map(*(each.schema() for each in field.parts)),
        "struct": lambda field: struct_builder(field.parts),
    }
)
