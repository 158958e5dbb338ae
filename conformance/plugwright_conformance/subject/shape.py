"""Rows with typed fields: their declaration, and values that are hard to store."""

from __future__ import annotations

import datetime as dt
import math
import re
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from plugwright import schema as connect

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["TYPE_NAMES", "FieldShape", "RowShape", "boundary_values", "finite", "is_finite", "same"]

_NOTATION = re.compile(
    r"(?P<type>[a-z0-9]+)(\((?P<scale>\d+)\))?(?P<optional>\?)?(\s*=(?P<default>.*))?"
)
_UTC = dt.UTC
_STRINGS = (
    "",
    " ",
    "  leading and trailing  ",
    "\t",
    "carriage return at the end\r",
    "null",
    "None",
    "0",
    "nul\x00inside",
    "line\nfeed",
    "quotes \" ' ` and \\ backslash",
    "'; DROP TABLE x; -- {braces} ${dollar} %s",
    "ÄÖÜ ß é ñ",
    "numérals ١٢٣",
    "日本語",
    "\U0001f9ea\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "e\u0301 is not \u00e9",
    "\u202eright to left",
    "\ufeffbyte order mark",
    "x" * (1 << 20),
    "every\x0bother\x0cbreak\x1cof\x1dlines\x1ethat\x85Unicode\u2028has\u2029.",
    *("x" * shift + "\U0001f9ea" * 16400 for shift in range(4)),
    "twice",
    "twice",
)
"""Some are longer than usual buffers, whose ends cut a character of four bytes in every place."""
_LINE_ENDS = frozenset("\n\r")
_OTHER_BREAKS = tuple("\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")

_BOUNDARIES: Mapping[str, tuple[Any, ...]] = MappingProxyType(
    {
        "boolean": (True, False),
        "int8": (0, -1, -(2**7), 2**7 - 1),
        "int16": (0, -1, -(2**15), 2**15 - 1),
        "int32": (0, -1, -(2**31), 2**31 - 1),
        "int64": (0, -1, -(2**63), 2**63 - 1, 2**53 + 1),
        "float32": (0.0, -0.0, 1.5, -(2.0**127), math.inf, -math.inf, math.nan),
        "float64": (0.0, -0.0, 0.1, 5e-324, 1.7976931348623157e308, math.inf, -math.inf, math.nan),
        "string": _STRINGS,
        "bytes": (b"", b"\x00", bytes(range(256)), b"\xff" * 4096),
        "decimal": (Decimal(0), Decimal("-0.01"), Decimal(60), Decimal("12345678901234567890.12")),
        "date": (
            dt.date(1, 1, 1),
            dt.date(1969, 12, 31),
            dt.date(2000, 2, 29),
            dt.date(9999, 12, 31),
        ),
        "time": (dt.time(0), dt.time(2, 30), dt.time(23, 59, 59, 999000)),
        "timestamp": (
            dt.datetime(1, 1, 1, tzinfo=_UTC),
            dt.datetime(1969, 12, 31, 23, 59, 59, 999000, tzinfo=_UTC),
            dt.datetime(2024, 3, 31, 1, 30, tzinfo=_UTC),
            dt.datetime(9999, 12, 31, 23, 59, 59, 999000, tzinfo=_UTC),
        ),
    }
)
"""The edges of every type; a summer-time gap of Europe is among the timestamps."""


def boundary_values(kind: str, excluded: Sequence[str] = ()) -> Sequence[Any]:
    """The edges of a type, without those that hold an excluded character.

    Who excludes both ends of a line has an endpoint of lines, and need not name the other breaks.

    Raises:
        KeyError: if the suite has no such type.
    """
    values = _BOUNDARIES[kind]
    if kind != "string":
        return values
    if set(excluded) >= _LINE_ENDS:
        excluded = (*excluded, *_OTHER_BREAKS)
    return [value for value in values if not any(character in value for character in excluded)]


def same(one: object, other: object) -> bool:
    """Whether two values are equal in type and value; NaN is NaN, and zero has a sign."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return repr(one) == repr(other) if isinstance(one, float) else one == other


def finite(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with one half for infinities and NaN, which JSON and many systems do not have."""
    return {name: value if is_finite(value) else 0.5 for name, value in row.items()}


def is_finite(value: object) -> bool:
    """Whether a value is anything but infinity or NaN."""
    return not isinstance(value, float) or math.isfinite(value)


TYPE_NAMES = tuple(_BOUNDARIES)
"""Every type that a declaration may name."""


@dataclass(frozen=True, slots=True)
class FieldShape:
    """One field: name, type and optionality.

    Attributes:
        type: a type name such as ``int64``; a decimal has two digits after its point unless
            ``scale`` says otherwise.
        default: what a missing value stands for, or ``None``.
    """

    name: str
    type: str
    scale: int = 2
    optional: bool = False
    default: str | None = None

    @classmethod
    def parse(cls, name: str, text: str) -> FieldShape:
        """A field as a declaration writes it: ``decimal(2)``, ``string?``, ``string = new``.

        Raises:
            ValueError: if it is written otherwise.
        """
        found = _NOTATION.fullmatch(text.strip())
        if found is None or found["type"] not in _BOUNDARIES:
            raise ValueError(f"{name} = {text!r} is no type of {', '.join(_BOUNDARIES)}")
        default = found["default"].strip() if found["default"] is not None else None
        if default is not None and found["type"] != "string":
            raise ValueError(f"{name} = {text!r}: only strings may have a default here")
        scale = int(found["scale"] or 2)
        return cls(name, found["type"], scale, found["optional"] is not None, default)

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
    }
)


def typed_values(
    kinds: Sequence[str], excluded: Sequence[str] = ()
) -> list[tuple[connect.Schema, Any]]:
    """The edges of several types in their order, each with the optional schema of its own type.

    Raises:
        KeyError: if the suite has no such type.
    """
    found: list[tuple[connect.Schema, Any]] = []
    for kind in kinds:
        field = FieldShape("value", kind, optional=True)
        schema, unit = field.schema(), Decimal(1).scaleb(-field.scale)
        for value in boundary_values(kind, excluded):
            fitting = value.quantize(unit) if isinstance(value, Decimal) else value
            found.append((schema, fitting))
    return found


@dataclass(frozen=True, slots=True)
class RowShape:
    """The fields of a row, in order."""

    fields: Sequence[FieldShape]

    @classmethod
    def parse(cls, fields: Mapping[str, str]) -> RowShape:
        """The ``fields`` of a declaration.

        Raises:
            ValueError: naming the first field that is written wrongly.
        """
        return cls(tuple(FieldShape.parse(name, text) for name, text in fields.items()))

    @property
    def text_field(self) -> str | None:
        """The name of the first string field; ``None`` if there is none."""
        return next((field.name for field in self.fields if field.type == "string"), None)

    def schema(self) -> connect.Schema:
        """The struct schema of a row."""
        builder = connect.SchemaBuilder.struct().name("com.example.Row")
        for field in self.fields:
            builder.field(field.name, field.schema())
        return builder.build()

    def boundary_rows(self, excluded: Sequence[str] = ()) -> list[dict[str, Any]]:
        """Rows that together hold every edge of every field."""
        edges = {f.name: self._edges(f, excluded) for f in self.fields}
        count = max(map(len, edges.values()))
        return [
            {name: values[number % len(values)] for name, values in edges.items()}
            for number in range(count)
        ]

    @staticmethod
    def _edges(field: FieldShape, excluded: Sequence[str]) -> Sequence[Any]:
        values = boundary_values(field.type, excluded)
        if field.type == "decimal":
            values = [value.quantize(Decimal(1).scaleb(-field.scale)) for value in values]
        return [*values, None] if field.optional else values

    def struct(self, schema: connect.Schema, row: Mapping[str, Any]) -> connect.Struct:
        """The row as a Connect struct; fields that it lacks stay unset."""
        made = connect.Struct(schema)
        for name, value in row.items():
            made.put(name, value)
        return made

    def row(self, value: connect.Struct) -> dict[str, Any]:
        """A Connect struct as a row, its fields as they were put."""
        return {f.name: value.get_without_default(f.name) for f in self.fields}

    def carrying(self, text: str) -> dict[str, Any]:
        """A row whose first string field holds the text.

        Raises:
            ValueError: if no field is a string.
        """
        name = self.text_field
        if name is None:
            raise ValueError("a row needs a field of type string to carry the ledger's ids")
        return {f.name: self._edges(f, ())[0] for f in self.fields} | {name: text}
