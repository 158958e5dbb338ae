"""SetSchemaMetadata: sets the name or version of a schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.config import ConfigDef, ConfigType, Importance, not_null
from plugwright.errors import ConfigError
from plugwright.schema import Schema, Struct
from plugwright.transforms._base import R
from plugwright.transforms._requirements import require_schema
from plugwright.transforms._settings import (
    REPLACE_NULL_WITH_DEFAULT,
    with_null_replacement,
)
from plugwright.transforms._sides import KeyOrValueTransformation, SchemaPlan
from plugwright.transforms._structs import struct_maker, struct_reader

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAME = "schema.name"
_VERSION = "schema.version"
_PURPOSE = "updating schema metadata"


class SetSchemaMetadata(KeyOrValueTransformation[R]):
    """Sets the name, the version or both of a struct schema; everything else stays.

    As in Kafka, schemas of other types are refused.
    """

    NULL_PASSES = False

    DEFINITION = with_null_replacement(
        ConfigDef()
        .define(
            _NAME,
            ConfigType.STRING,
            default=None,
            importance=Importance.HIGH,
            documentation="The new name of the schema.",
        )
        .define(
            _VERSION,
            ConfigType.INT,
            default=None,
            importance=Importance.HIGH,
            documentation="The new version of the schema.",
        )
    )

    def _take(self, settings: Mapping[str, Any]) -> None:
        self._name: str | None = settings[_NAME]
        self._version: int | None = settings[_VERSION]
        self._defaults: bool = not_null(settings, REPLACE_NULL_WITH_DEFAULT)
        if self._name is None and self._version is None:
            raise ConfigError(
                "Neither schema name nor version configured",
                hint=f"set {_NAME}, {_VERSION} or both",
                facts={"key": _NAME},
            )

    def _schemaless(self, value: Any, record: R) -> Any:  # noqa: ARG002  # for others
        return None if value is None else require_schema(None, _PURPOSE)

    def _plan(self, schema: Schema) -> SchemaPlan:
        updated = Schema(
            schema.type,
            optional=schema.optional,
            default=schema.default,
            name=schema.name if self._name is None else self._name,
            version=schema.version if self._version is None else self._version,
            doc=schema.doc,
            parameters=schema.parameters,
            fields=schema.fields,
        )
        read = struct_reader(schema, _PURPOSE, defaults=self._defaults)
        make = struct_maker(updated)

        def convert(value: Any, _record: object) -> Any:
            return make(read(value)) if isinstance(value, Struct) else value

        return SchemaPlan(updated, convert)
