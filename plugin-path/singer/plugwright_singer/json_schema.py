"""From a JSON schema, as taps write it, to a Connect schema and a way to convert values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal as Exact
from typing import TYPE_CHECKING, Any

from plugwright import Date, Decimal, Schema, SchemaBuilder, Timestamp
from plugwright_singer import values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = ["JSON_NAME", "Reading", "Translator"]

JSON_NAME = "singer.Json"
"""The name of the schema of strings that hold JSON: what has no type, or several."""

_INT64 = (-(2**63), 2**63 - 1)
_DEPTH = 32
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_]")
_SCALES = 255


@dataclass(frozen=True, slots=True)
class Reading:
    """The conversion of values at one position.

    Attributes:
        schema: of the values.
        convert: makes a Connect value of a JSON value that is not null.
    """

    schema: Schema
    convert: Callable[[Any], Any]


class Translator:
    """Translates the schemas of one SCHEMA message.

    Args:
        document: the whole schema, to which references lead.
        decimals: whether numbers with ``multipleOf`` are exact decimals.
    """

    def __init__(self, document: Mapping[str, Any], *, decimals: bool) -> None:
        self._document = document
        self._decimals = decimals

    def record(self, name: str, keys: frozenset[str]) -> Reading:
        """The conversion of a stream's records: to structs, with keys that are never null."""
        return self._struct(self._document, _part(name), optional=False, depth=0, keys=keys)

    def _field(
        self, schema: Mapping[str, Any], name: str, *, optional: bool, depth: int
    ) -> Reading:
        choices = list(self._choices(schema, depth))
        types = {kind for choice in choices for kind in _types(choice)}
        optional = optional or "null" in types or not types
        kinds = types - {"null"}
        branches = [choice for choice in choices if _types(choice) - {"null"}]
        if depth > _DEPTH or not kinds:
            return _json(optional=optional)
        if kinds == {"integer", "number"}:
            return _plain(SchemaBuilder.float64(), values.to_float, optional=optional)
        if len(kinds) > 1:
            return _json(optional=optional)
        (kind,) = kinds
        if len(branches) == 1:
            return self._single(branches[0], kind, name, optional=optional, depth=depth)
        if kind in {"object", "array"}:
            return _json(optional=optional)
        return self._single({}, kind, name, optional=optional, depth=depth)  # what all have

    def _choices(self, schema: Mapping[str, Any], depth: int) -> Iterator[Mapping[str, Any]]:
        """The branches of ``anyOf`` and the like, or the schema itself."""
        schema = self._resolved(schema)
        for word in ("anyOf", "oneOf", "allOf"):
            branches = schema.get(word)
            if isinstance(branches, list) and branches and depth <= _DEPTH:
                for branch in branches:
                    if isinstance(branch, dict):
                        yield from self._choices(branch, depth + 1)
                return
        yield schema

    def _single(
        self, schema: Mapping[str, Any], kind: str, name: str, *, optional: bool, depth: int
    ) -> Reading:
        match kind:
            case "number":
                return self._number(schema, optional=optional)
            case "object":
                return self._object(schema, name, optional=optional, depth=depth)
            case "array":
                return self._array(schema, name, optional=optional, depth=depth)
            case _:
                return _leaf(schema, kind, optional=optional)

    def _number(self, schema: Mapping[str, Any], *, optional: bool) -> Reading:
        scale = _scale(schema.get("multipleOf")) if self._decimals else None
        if scale is None:
            return _plain(SchemaBuilder.float64(), values.to_float, optional=optional)
        return _plain(Decimal.builder(scale), values.decimal_reader(scale), optional=optional)

    def _array(
        self, schema: Mapping[str, Any], name: str, *, optional: bool, depth: int
    ) -> Reading:
        items = schema.get("items")
        if not isinstance(items, dict) or not items:
            return _json(optional=optional)
        item = self._field(items, f"{name}.item", optional=False, depth=depth + 1)
        convert = values.list_reader(item.convert, nulls=item.schema.optional)
        return _plain(SchemaBuilder.array(item.schema), convert, optional=optional)

    def _object(
        self, schema: Mapping[str, Any], name: str, *, optional: bool, depth: int
    ) -> Reading:
        if schema.get("properties"):
            return self._struct(schema, name, optional=optional, depth=depth, keys=frozenset())
        others = schema.get("additionalProperties")
        if not isinstance(others, dict) or not others:
            return _json(optional=optional)
        item = self._field(others, f"{name}.value", optional=False, depth=depth + 1)
        builder = SchemaBuilder.map(SchemaBuilder.string(), item.schema)
        convert = values.map_reader(item.convert, nulls=item.schema.optional)
        return _plain(builder, convert, optional=optional)

    def _struct(
        self,
        schema: Mapping[str, Any],
        name: str,
        *,
        optional: bool,
        depth: int,
        keys: frozenset[str],
    ) -> Reading:
        required = set(schema.get("required") or ()) | keys
        builder = SchemaBuilder.struct().name(name)
        converters = {}
        for field, inner in (schema.get("properties") or {}).items():
            if not field:
                continue  # Connect has no fields without a name
            described: Mapping[str, Any] = inner if isinstance(inner, dict) else {}
            if field in keys:
                described = _never_null(described)
            reading = self._field(
                described, f"{name}.{_part(field)}", optional=field not in required, depth=depth + 1
            )
            builder.field(field, reading.schema)
            converters[field] = reading.convert
        built = (builder.optional() if optional else builder).build()
        return Reading(built, values.struct_reader(built, converters))

    def _resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """The schema that a reference within the document leads to; an empty one if none does."""
        for _ in range(_DEPTH):
            reference = schema.get("$ref")
            if not isinstance(reference, str):
                return schema
            found: Any = self._document
            for step in reference.removeprefix("#/").split("/"):
                step = step.replace("~1", "/").replace("~0", "~")  # noqa: PLW2901
                found = found.get(step) if isinstance(found, dict) else None
            if not isinstance(found, dict):
                return {}
            schema = found
        return {}


def _part(name: str) -> str:
    """A part of the name of a schema, which Avro takes too."""
    text = _NOT_IN_NAMES.sub("_", name)
    return f"_{text}" if text[:1].isdigit() else text


def _types(schema: Mapping[str, Any]) -> set[str]:
    found = schema.get("type")
    if found is None and schema.get("properties"):
        return {"object"}
    return set(found) if isinstance(found, list) else {found} if isinstance(found, str) else set()


def _never_null(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    types = _types(schema) - {"null"}
    return {**schema, "type": sorted(types)} if types else schema


def _plain(builder: SchemaBuilder, convert: Callable[[Any], Any], *, optional: bool) -> Reading:
    return Reading((builder.optional() if optional else builder).build(), convert)


def _json(*, optional: bool) -> Reading:
    return _plain(SchemaBuilder.string().name(JSON_NAME), values.to_json, optional=optional)


def _leaf(schema: Mapping[str, Any], kind: str, *, optional: bool) -> Reading:
    match kind:
        case "string":
            return _string(schema, optional=optional)
        case "integer":
            return _integer(schema, optional=optional)
        case "boolean":
            return _plain(SchemaBuilder.bool(), values.to_boolean, optional=optional)
        case _:
            return _json(optional=optional)


def _string(schema: Mapping[str, Any], *, optional: bool) -> Reading:
    if schema.get("contentEncoding") == "base64":
        return _plain(SchemaBuilder.bytes(), values.to_bytes, optional=optional)
    match schema.get("format"):
        case "date-time":
            return _plain(Timestamp.builder(), values.to_timestamp, optional=optional)
        case "date":
            return _plain(Date.builder(), values.to_date, optional=optional)
        case _:
            return _plain(SchemaBuilder.string(), values.to_text, optional=optional)


def _integer(schema: Mapping[str, Any], *, optional: bool) -> Reading:
    """64 bits, or a decimal of scale 0 where the schema says that there are larger ones."""
    low, high = schema.get("minimum"), schema.get("maximum")
    bounds = [bound for bound in (low, high) if isinstance(bound, int | Exact)]
    if any(not _INT64[0] <= bound <= _INT64[1] for bound in bounds):
        return _plain(Decimal.builder(0), values.decimal_reader(0), optional=optional)
    return _plain(SchemaBuilder.int64(), values.to_integer, optional=optional)


def _scale(step: object) -> int | None:
    """Digits after the point of every multiple of a step; ``None`` if it says nothing usable."""
    if isinstance(step, bool) or not isinstance(step, int | Exact) or step <= 0:
        return None
    exponent = Exact(step).normalize().as_tuple().exponent
    scale = max(0, -exponent) if isinstance(exponent, int) else _SCALES + 1
    return scale if scale <= _SCALES else None
