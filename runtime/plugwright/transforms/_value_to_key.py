"""ValueToKey: replaces the key by fields of the value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.config import ValidList, not_null
from plugwright.errors import DataError
from plugwright.schema import Schema, SchemaBuilder, Type
from plugwright.transforms._base import R
from plugwright.transforms._builtin import BuiltinTransformation, located
from plugwright.transforms._requirements import refused, require_map, require_struct
from plugwright.transforms._settings import (
    FIELDS,
    REPLACE_NULL_WITH_DEFAULT,
    with_fields,
    with_null_replacement,
)
from plugwright.transforms._sides import SchemaPlan
from plugwright.transforms._structs import picker, struct_maker, struct_reader
from plugwright.transforms.schema_cache import SchemaCache

if TYPE_CHECKING:
    from collections.abc import Mapping

_PURPOSE = "copying fields from value to key"


class ValueToKey(BuiltinTransformation[R]):
    """Replaces the key by fields of the value; the value is unchanged.

    Fields that schemaless data lacks are null. As in Kafka, tombstones are refused.
    """

    DEFINITION = with_null_replacement(
        with_fields(
            "The fields of the value that make up the key, in this order.",
            ValidList.any_non_duplicate_values(empty_allowed=False, null_allowed=False),
        )
    )

    def _take(self, settings: Mapping[str, Any]) -> None:
        self._fields: tuple[str, ...] = tuple(dict.fromkeys(settings[FIELDS]))
        self._defaults: bool = not_null(settings, REPLACE_NULL_WITH_DEFAULT)
        self._plans = SchemaCache(self._plan)

    def apply(self, record: R) -> R:
        """The record with a key made of its value. Hot path.

        Raises:
            DataError: if the value is not a struct or map, or lacks a field.
        """
        try:
            schema, key = self._key(record)
        except DataError as error:
            raise located(error, type(self)) from error
        copy = record.duplicate()
        copy.key_schema = schema
        copy.key = key
        return copy

    def _key(self, record: R) -> tuple[Schema | None, Any]:
        schema, value = record.value_schema, record.value
        if schema is None:
            data = require_map(value, _PURPOSE)
            return None, {field: data.get(field) for field in self._fields}
        plan = self._plans(schema)
        return plan.schema, plan.convert(value, record)

    def _plan(self, schema: Schema) -> SchemaPlan:
        if schema.type is not Type.STRUCT:
            return SchemaPlan(schema, lambda value, _record: require_struct(value, _PURPOSE))
        builder = SchemaBuilder.struct()
        for name in self._fields:
            field = schema.field(name)
            if field is None:
                raise refused(f"Field does not exist: {name}", name)
            builder.field(name, field.schema)
        updated = builder.build()
        pick = picker([schema.fields_by_name[name].index for name in self._fields])
        read = struct_reader(schema, _PURPOSE, defaults=self._defaults)
        make = struct_maker(updated)

        def convert(value: Any, _record: object) -> Any:
            return make(pick(read(value)))

        return SchemaPlan(updated, convert)
