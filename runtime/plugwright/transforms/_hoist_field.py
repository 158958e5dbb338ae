"""HoistField: wraps the whole key or value in a struct or map with one field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.config import ConfigDef, ConfigType, Importance
from plugwright.schema import Schema, SchemaBuilder, Struct, StructColumn, Type
from plugwright.transforms._base import R
from plugwright.transforms._sides import FieldPlan, KeyOrValueTransformation, SchemaPlan
from plugwright.transforms._structs import checked_field

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_FIELD = "field"


class HoistField(KeyOrValueTransformation[R]):
    """Wraps data in a field: of a struct where there is a schema, else of a map.

    Tombstones are wrapped as well, as in Kafka: no data becomes a field with null.
    """

    NULL_PASSES = False

    DEFINITION = ConfigDef().define(
        _FIELD,
        ConfigType.STRING,
        importance=Importance.MEDIUM,
        documentation="The name of the field for the data.",
    )

    def _take(self, settings: Mapping[str, Any]) -> None:
        self._field: str = settings[_FIELD]

    def _schemaless(self, value: Any, record: R) -> Any:  # noqa: ARG002  # for others
        return {self._field: value}

    def _plan(self, schema: Schema) -> SchemaPlan:
        updated = SchemaBuilder.struct().field(self._field, schema).build()
        accepts = schema.accepts
        name = self._field
        leaf, struct = schema.is_leaf, schema.type is Type.STRUCT

        def read(value: Any) -> tuple[Any]:
            fits = value is not None and accepts(value)
            if not fits or not (leaf or (struct and value.schema is schema)):
                checked_field(schema, value, name)
            return (value,)

        def convert(value: Any, _record: object) -> Struct:
            return Struct.from_trusted(updated, read(value))

        def convert_column(values: Sequence[Any], _columns: object) -> StructColumn:
            if not (leaf and all(map(accepts, values))):
                for value in values:
                    read(value)
            return StructColumn(updated, (values,), len(values))

        return SchemaPlan(updated, convert, FieldPlan(read, None), convert_column)
