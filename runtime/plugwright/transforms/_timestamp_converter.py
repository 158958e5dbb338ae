"""TimestampConverter: converts timestamps between types."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from plugwright.config import (
    ConfigDef,
    ConfigType,
    Importance,
    ValidString,
    not_null,
)
from plugwright.errors import ConfigError, DataError
from plugwright.schema import Schema, SchemaBuilder
from plugwright.schema import Type as SchemaType
from plugwright.transforms._base import R
from plugwright.transforms._requirements import require_map, require_struct
from plugwright.transforms._settings import (
    REPLACE_NULL_WITH_DEFAULT,
    with_null_replacement,
)
from plugwright.transforms._sides import KeyOrValueTransformation, SchemaPlan
from plugwright.transforms._structs import struct_maker, struct_reader
from plugwright.transforms._timestamp_types import (
    PRECISIONS,
    TARGETS,
    TimestampReader,
    timestamp_schema,
    timestamp_writer,
)
from plugwright.transforms.java_date_format import JavaDateFormat

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_FIELD = "field"
_TARGET = "target.type"
_FORMAT = "format"
_PRECISION = "unix.precision"
_PURPOSE = "converting timestamp formats"


class TimestampConverter(KeyOrValueTransformation[R]):
    """Converts a timestamp between text, a number, Date, Time and Timestamp, always at UTC.

    The timestamp is the whole key or value, or a field of it; null stays null. Precision
    finer than a millisecond is lost.
    """

    NULL_PASSES = False

    DEFINITION = with_null_replacement(
        ConfigDef()
        .define(
            _FIELD,
            ConfigType.STRING,
            default="",
            importance=Importance.HIGH,
            documentation="The field with the timestamp; empty for the whole key or value.",
        )
        .define(
            _TARGET,
            ConfigType.STRING,
            importance=Importance.HIGH,
            documentation="The type to convert to.",
            validator=ValidString.in_(*TARGETS),
        )
        .define(
            _FORMAT,
            ConfigType.STRING,
            default="",
            importance=Importance.MEDIUM,
            documentation="The format of text, as a pattern of Java's SimpleDateFormat; "
            "for timestamps from or to text.",
        )
        .define(
            _PRECISION,
            ConfigType.STRING,
            default="milliseconds",
            importance=Importance.LOW,
            documentation="The unit of numbers since 1970; for timestamps from or to numbers.",
            validator=ValidString.in_(*PRECISIONS),
        )
    )

    def _take(self, settings: Mapping[str, Any]) -> None:
        self._field: str = not_null(settings, _FIELD)
        self._target: str = settings[_TARGET]
        self._defaults: bool = not_null(settings, REPLACE_NULL_WITH_DEFAULT)
        pattern: str = settings[_FORMAT] or ""
        date_format = JavaDateFormat(pattern, _FORMAT) if pattern.strip() else None
        if self._target == "string" and date_format is None:
            raise ConfigError(
                "TimestampConverter requires format option to be specified "
                "when using string timestamps",
                facts={"key": _FORMAT},
            )
        self._reader = TimestampReader(date_format, settings[_PRECISION])
        self._write = timestamp_writer(self._target, date_format, settings[_PRECISION])

    def _schemaless(self, value: Any, record: R) -> Any:  # noqa: ARG002  # for others
        if value is None or not self._field:
            return None if value is None else self._write(self._reader.schemaless(value))
        updated = dict(require_map(value, _PURPOSE))
        found = updated.get(self._field)
        updated[self._field] = self._at_field(self._reader.schemaless, found)
        return updated

    def _plan(self, schema: Schema) -> SchemaPlan:
        if self._field:
            return self._field_plan(schema)
        read = self._reader.for_schema(schema)
        updated = timestamp_schema(self._target, optional=schema.optional)
        write = self._write
        return SchemaPlan(
            updated, lambda value, _record: None if value is None else write(read(value))
        )

    def _field_plan(self, schema: Schema) -> SchemaPlan:
        if schema.type is not SchemaType.STRUCT:
            return SchemaPlan(None, lambda value, _record: _refuse(schema, value))
        read = struct_reader(schema, _PURPOSE, defaults=self._defaults)
        field = schema.field(self._field)
        builder = SchemaBuilder.like(schema)
        for one in schema.fields:
            changed = timestamp_schema(self._target, optional=one.schema.optional)
            builder.field(one.name, changed if one is field else one.schema)
        if schema.optional:
            builder.optional()
        read_field = None
        with suppress(DataError):  # no timestamp: refused with the first value, as in Kafka
            read_field = None if field is None else self._reader.for_schema(field.schema)

        def convert_into(updated: Schema) -> Callable[[Any, object], Any]:
            make = struct_maker(updated)

            def convert(value: Any, _record: object) -> Any:
                if value is None:
                    return None
                values = list(read(value))
                if field is not None:
                    reads = read_field or self._reader.for_schema(field.schema)
                    values[field.index] = self._at_field(reads, values[field.index])
                return make(values)

            return convert

        if schema.default is not None:
            builder.default(convert_into(builder.build())(schema.default, None))
        updated = builder.build()
        return SchemaPlan(updated, convert_into(updated))

    def _at_field(self, read: Callable[[Any], int], value: Any) -> Any:
        if value is None:
            return None
        try:
            return self._write(read(value))
        except DataError as error:
            facts = {**error.facts, "field": self._field}
            raise DataError(str(error), code=error.code, hint=error.hint, facts=facts) from error


def _refuse(schema: Schema, value: Any) -> None:
    """Refuse the value of a schema that has no fields, else the schema."""
    if value is not None:
        require_struct(value, _PURPOSE)
    schema.field("")
