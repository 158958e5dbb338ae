"""MaskField: replaces values of fields by neutral ones."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal as PythonDecimal
from typing import TYPE_CHECKING, Any

from plugwright.config import ConfigType, Importance, NonEmptyString, not_null
from plugwright.errors import DataError
from plugwright.schema import Schema, Type, Values
from plugwright.transforms._base import R
from plugwright.transforms._requirements import class_of, refused, require_map, require_struct
from plugwright.transforms._settings import (
    FIELDS,
    REPLACE_NULL_WITH_DEFAULT,
    NonEmptyNames,
    with_fields,
    with_null_replacement,
)
from plugwright.transforms._sides import KeyOrValueTransformation, SchemaPlan
from plugwright.transforms._structs import struct_maker, struct_reader

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_REPLACEMENT = "replacement"
_PURPOSE = "mask fields"

# A bool is an int and a datetime is a date: the first class that fits counts.
_NEUTRAL: tuple[tuple[type, Callable[[], Any]], ...] = (
    (bool, lambda: False),
    (int, lambda: 0),
    (float, lambda: 0.0),
    (str, lambda: ""),
    (PythonDecimal, lambda: PythonDecimal(0)),
    (dt.datetime, lambda: dt.datetime(1970, 1, 1, tzinfo=dt.UTC)),
    (dt.date, lambda: dt.date(1970, 1, 1)),
    (dt.time, dt.time),
    (list, list),
    (dict, dict),
)
_INTEGERS = {
    Type.INT8: Values.convert_to_byte,
    Type.INT16: Values.convert_to_short,
    Type.INT32: Values.convert_to_integer,
    Type.INT64: Values.convert_to_long,
}


class MaskField(KeyOrValueTransformation[R]):
    """Replaces the values of fields by a neutral value of their type, or by a configured one.

    Null stays null. Only numbers and text can have a configured replacement; bytes and
    structs cannot be masked. Listed fields that schemaless data lacks are added with null.
    """

    NULL_PASSES = False

    DEFINITION = with_null_replacement(
        with_fields("The names of the fields to mask.", NonEmptyNames()).define(
            _REPLACEMENT,
            ConfigType.STRING,
            default=None,
            importance=Importance.LOW,
            documentation="The replacement for numbers and text, instead of 0 and the empty "
            "string; applied to all the fields.",
            validator=NonEmptyString(),
        )
    )

    def _take(self, settings: Mapping[str, Any]) -> None:
        self._fields: tuple[str, ...] = tuple(dict.fromkeys(settings[FIELDS]))
        self._replacement: str | None = settings[_REPLACEMENT]
        self._defaults: bool = not_null(settings, REPLACE_NULL_WITH_DEFAULT)

    def _schemaless(self, value: Any, record: R) -> Any:  # noqa: ARG002  # for others
        updated = dict(require_map(value, _PURPOSE))
        for field in self._fields:
            updated[field] = self._masked(field, None, updated.get(field))
        return updated

    def _plan(self, schema: Schema) -> SchemaPlan:
        if schema.type is not Type.STRUCT:
            return SchemaPlan(schema, lambda value, _record: require_struct(value, _PURPOSE))
        masked = [
            (field.index, field.name, field.schema)
            for field in schema.fields
            if field.name in self._fields
        ]
        read = struct_reader(schema, _PURPOSE, defaults=self._defaults)
        make = struct_maker(schema)

        def convert(value: Any, _record: object) -> Any:
            values = list(read(value))
            for index, name, inner in masked:
                values[index] = self._masked(name, inner, values[index])
            return make(values)

        return SchemaPlan(schema, convert)

    def _masked(self, field: str, schema: Schema | None, value: Any) -> Any:
        if value is None:
            return None
        if self._replacement is not None:
            return _replaced(field, schema, value, self._replacement)
        for kind, neutral in _NEUTRAL:
            if isinstance(value, kind):
                return neutral()
        raise refused(f"Cannot mask value of type: class {class_of(value)}", field)


def _replaced(field: str, schema: Schema | None, value: Any, replacement: str) -> Any:
    if isinstance(value, str):
        return replacement
    if isinstance(value, bool) or not isinstance(value, (int, float, PythonDecimal)):
        raise refused(
            f"Cannot mask value of type class {class_of(value)} with custom replacement.", field
        )
    try:
        return _number(schema, value, replacement)
    except DataError as error:
        article = "" if isinstance(value, PythonDecimal) else "a "
        raise refused(
            f"Unable to convert {replacement} (class {class_of(replacement)}) to {article}number",
            field,
        ) from error


def _number(schema: Schema | None, value: Any, replacement: str) -> Any:
    if isinstance(value, PythonDecimal):
        return Values.convert_to_decimal(None, replacement, 0)
    kind = Type.INT64 if schema is None else schema.type
    if isinstance(value, int):
        return _INTEGERS.get(kind, Values.convert_to_long)(None, replacement)
    if kind is Type.FLOAT32:
        return Values.convert_to_float(None, replacement)
    return Values.convert_to_double(None, replacement)
