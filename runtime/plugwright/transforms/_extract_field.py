"""ExtractField: a field as the whole key or value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.config import ConfigDef, ConfigType, Importance, invalid_value, not_null
from plugwright.schema import Type as SchemaType
from plugwright.transforms._base import R
from plugwright.transforms._requirements import refused, require_map_or_none, require_struct
from plugwright.transforms._settings import (
    REPLACE_NULL_WITH_DEFAULT,
    with_null_replacement,
)
from plugwright.transforms._sides import KeyOrValueTransformation, SchemaPlan
from plugwright.transforms.field_path import FIELD_SYNTAX_VERSION, FieldPath, with_field_syntax

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.schema import Schema

_FIELD = "field"
_PURPOSE = "field extraction"


class ExtractField(KeyOrValueTransformation[R]):
    """Replaces data by one of its fields, which may be nested under V2 of the field syntax.

    If the field is missing, or the data is null, the result is null.
    """

    NULL_PASSES = False

    DEFINITION = with_field_syntax(
        with_null_replacement(
            ConfigDef().define(
                _FIELD,
                ConfigType.STRING,
                importance=Importance.MEDIUM,
                documentation="The field to extract; a path to it under V2 of the field syntax.",
            )
        )
    )

    def _take(self, settings: Mapping[str, Any]) -> None:
        self._path = FieldPath(not_null(settings, _FIELD), settings[FIELD_SYNTAX_VERSION])
        if not self._path.steps:
            raise invalid_value(_FIELD, settings[_FIELD], "an empty path leads to no field")
        self._defaults: bool = not_null(settings, REPLACE_NULL_WITH_DEFAULT)

    def _schemaless(self, value: Any, record: R) -> Any:  # noqa: ARG002  # for others
        return self._path.value_in_map(require_map_or_none(value, _PURPOSE))

    def _plan(self, schema: Schema) -> SchemaPlan:
        if schema.type is not SchemaType.STRUCT:
            return SchemaPlan(None, lambda value, _record: self._refuse(schema, value))
        field = self._path.field_in(schema)
        if field is None:
            raise refused(f"Unknown field: {self._path.path}", self._path.path)
        get = self._path.getter(defaults=self._defaults)

        def convert(value: Any, _record: object) -> Any:
            return None if value is None else get(require_struct(value, _PURPOSE))

        return SchemaPlan(field.schema, convert)

    def _refuse(self, schema: Schema, value: Any) -> None:
        """Refuse the value of a schema that has no fields, else the schema."""
        if value is not None:
            require_struct(value, _PURPOSE)
        self._path.field_in(schema)
