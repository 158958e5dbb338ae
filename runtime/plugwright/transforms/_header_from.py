"""HeaderFrom: moves or copies fields to headers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.config import ConfigType, Importance, ValidString, not_null
from plugwright.errors import ConfigError, DataError
from plugwright.schema import Field, Schema, SchemaBuilder
from plugwright.schema import Type as SchemaType
from plugwright.transforms._base import R
from plugwright.transforms._builtin import located
from plugwright.transforms._requirements import refused, require_map, require_struct
from plugwright.transforms._settings import (
    FIELDS,
    REPLACE_NULL_WITH_DEFAULT,
    NonEmptyList,
    with_fields,
    with_null_replacement,
)
from plugwright.transforms._sides import KeyOrValueTransformation, SchemaPlan
from plugwright.transforms._structs import picker, struct_maker, struct_reader

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_HEADERS = "headers"
_OPERATION = "operation"
_MOVE = "move"
_COPY = "copy"


class HeaderFrom(KeyOrValueTransformation[R]):
    """Adds headers with the values of fields; ``move`` takes the fields out of the data.

    Schemaless data gives a header with null for a field that it lacks.
    """

    NULL_PASSES = False

    DEFINITION = with_null_replacement(
        with_fields("The fields whose values become headers.", NonEmptyList())
        .define(
            _HEADERS,
            ConfigType.LIST,
            importance=Importance.HIGH,
            documentation="The names of the headers, one for each field, in the same order.",
            validator=NonEmptyList(),
        )
        .define(
            _OPERATION,
            ConfigType.STRING,
            importance=Importance.HIGH,
            documentation="move removes the fields from the data, copy leaves them there.",
            validator=ValidString.in_(_MOVE, _COPY),
        )
    )

    def _take(self, settings: Mapping[str, Any]) -> None:
        fields, headers = settings[FIELDS], settings[_HEADERS]
        self._moves = settings[_OPERATION] == _MOVE
        self._purpose = f"header {settings[_OPERATION]}"
        self._defaults: bool = not_null(settings, REPLACE_NULL_WITH_DEFAULT)
        if len(fields) != len(headers):
            raise ConfigError(
                f"'{FIELDS}' config must have the same number of elements as '{_HEADERS}' config.",
                facts={"key": _HEADERS},
            )
        self._pairs: tuple[tuple[str, str], ...] = tuple(zip(fields, headers, strict=True))
        self._taken = frozenset(fields)
        self._schemaless_plan = SchemaPlan(None, self._schemaless)

    def apply(self, record: R) -> R:
        """The record with more headers, and perhaps fewer fields. Hot path.

        Raises:
            DataError: if the data is not a struct or map, or its schema lacks a field.
        """
        schema, value = self._data(record)
        try:
            plan = self._schemaless_plan if schema is None else self._plans(schema)
            kept, headers = plan.convert(value, record)
            changed: R = self._with(record, plan.schema, kept)
            for name, found, found_schema in headers:
                changed.headers.add(name, found, found_schema)
        except DataError as error:
            raise located(error, type(self)) from error
        return changed

    def _schemaless(self, value: Any, record: R) -> Any:  # noqa: ARG002  # for others
        values = require_map(value, self._purpose)
        headers = [(name, values.get(field), None) for field, name in self._pairs]
        return self._rest(values), headers

    def _rest(self, values: dict[str, Any]) -> dict[str, Any]:
        if not self._moves:
            return values
        return {field: value for field, value in values.items() if field not in self._taken}

    def _plan(self, schema: Schema) -> SchemaPlan:
        if schema.type is not SchemaType.STRUCT:
            return SchemaPlan(schema, lambda value, _record: require_struct(value, self._purpose))
        kept = [field for field in schema.fields if not (self._moves and field.name in self._taken)]
        updated = _restricted(schema, kept) if self._moves else schema
        read = struct_reader(schema, self._purpose, defaults=self._defaults)
        make = struct_maker(updated)
        taken = [(name, self._field(schema, field)) for field, name in self._pairs]
        moves = self._moves
        pick = picker([field.index for field in kept])

        def convert(value: Any, _record: object) -> Any:
            values = read(value)
            headers = [(name, values[field.index], field.schema) for name, field in taken]
            return (make(pick(values)) if moves else value), headers

        return SchemaPlan(updated, convert)

    def _field(self, schema: Schema, name: str) -> Field:
        field = schema.fields_by_name.get(name)
        if field is None:
            raise refused(f"Unknown field: {name}", name)
        return field


def _restricted(schema: Schema, fields: Iterable[Field]) -> Schema:
    builder = SchemaBuilder.like(schema)
    for field in fields:
        builder.field(field.name, field.schema)
    return builder.build()
