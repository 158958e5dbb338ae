"""InsertField: adds metadata of a record, or a fixed text, as fields of its key or value."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from plugwright.config import ConfigDef, ConfigType, invalid_value, not_null
from plugwright.errors import ConfigError
from plugwright.schema import (
    INT32_SCHEMA,
    INT64_SCHEMA,
    OPTIONAL_INT32_SCHEMA,
    OPTIONAL_INT64_SCHEMA,
    OPTIONAL_STRING_SCHEMA,
    STRING_SCHEMA,
    Schema,
    SchemaBuilder,
    Timestamp,
)
from plugwright.schema import Type as SchemaType
from plugwright.transforms._base import R
from plugwright.transforms._requirements import require_map, require_sink_record, require_struct
from plugwright.transforms._settings import (
    REPLACE_NULL_WITH_DEFAULT,
    with_null_replacement,
)
from plugwright.transforms._sides import KeyOrValueTransformation, SchemaPlan
from plugwright.transforms._structs import completeness, struct_plan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from plugwright.record import ConnectRecord
    from plugwright.source_columns import SourceColumns

_PURPOSE = "field insertion"
_STATIC_FIELD = "static.field"
_STATIC_VALUE = "static.value"

_MARKS = "A trailing ! makes the field required, a trailing ? (or neither) optional."


class _Source(NamedTuple):
    """Metadata of a record that can become a field.

    Attributes:
        key: the setting that names the field.
        documentation: of that setting.
        required: schema of a required field.
        optional: schema of an optional field.
        read: returns the value for a record; ``None`` omits the field.
        encoded: the same for schemaless data.
    """

    key: str
    documentation: str
    required: Schema
    optional: Schema
    read: Callable[[Any], Any]
    encoded: Callable[[Any], Any]


class _Insertion(NamedTuple):
    """One field to insert, with the functions that read it from a record."""

    name: str
    schema: Schema
    read: Callable[[Any], Any]
    encoded: Callable[[Any], Any]


_topic = attrgetter("topic")
_partition = attrgetter("kafka_partition")
_milliseconds = attrgetter("timestamp")


def _offset(record: ConnectRecord) -> Any:
    return require_sink_record(record, _PURPOSE).kafka_offset


def _instant(record: ConnectRecord) -> Any:
    if record.timestamp is None:
        return None
    return Timestamp.to_logical(Timestamp.SCHEMA, record.timestamp)


_SOURCES = (
    _Source(
        "topic.field",
        "The field for the topic.",
        STRING_SCHEMA,
        OPTIONAL_STRING_SCHEMA,
        _topic,
        _topic,
    ),
    _Source(
        "partition.field",
        "The field for the partition.",
        INT32_SCHEMA,
        OPTIONAL_INT32_SCHEMA,
        _partition,
        _partition,
    ),
    _Source(
        "offset.field",
        "The field for the offset; for sink connectors only.",
        INT64_SCHEMA,
        OPTIONAL_INT64_SCHEMA,
        _offset,
        _offset,
    ),
    _Source(
        "timestamp.field",
        "The field for the timestamp of the record.",
        Timestamp.SCHEMA,
        Timestamp.builder().optional().build(),
        _instant,
        _milliseconds,
    ),
)


def _definition() -> ConfigDef:
    definition = ConfigDef()
    for source in _SOURCES:
        definition.define(
            source.key,
            ConfigType.STRING,
            default=None,
            documentation=f"{source.documentation} {_MARKS}",
        )
    definition.define(
        _STATIC_FIELD,
        ConfigType.STRING,
        default=None,
        documentation=f"The field for the fixed text. {_MARKS}",
    ).define(
        _STATIC_VALUE,
        ConfigType.STRING,
        default=None,
        documentation="The fixed text.",
    )
    return with_null_replacement(definition)


class InsertField(KeyOrValueTransformation[R]):
    """Adds fields with the topic, partition, offset or timestamp of a record, or a fixed text.

    Metadata that a record does not have is omitted, even if the field is required, as in Kafka.
    """

    DEFINITION = _definition()

    def _take(self, settings: Mapping[str, Any]) -> None:
        self._defaults: bool = not_null(settings, REPLACE_NULL_WITH_DEFAULT)
        self._insertions = tuple(_insertions(settings))
        if not self._insertions:
            raise ConfigError("No field insertion configured")

    def _schemaless(self, value: Any, record: R) -> Any:
        updated = dict(require_map(value, _PURPOSE))
        for insertion in self._insertions:
            found = insertion.encoded(record)
            if found is not None:
                updated[insertion.name] = found
        return updated

    def _plan(self, schema: Schema) -> SchemaPlan:
        if schema.type is not SchemaType.STRUCT:
            return SchemaPlan(schema, lambda value, _record: require_struct(value, _PURPOSE))
        builder = SchemaBuilder.like(schema)
        for field in schema.fields:
            builder.field(field.name, field.schema)
        for insertion in self._insertions:
            builder.field(insertion.name, insertion.schema)
        updated = builder.build()
        size = len(schema.fields)
        complete = completeness(updated, unchecked=range(size, len(updated.fields)))
        sources = tuple(insertion.read for insertion in self._insertions)

        def change(values: Sequence[Any], record: Any) -> Sequence[Any]:
            return complete([*values, *[source(record) for source in sources]])

        def change_columns(
            fields: Sequence[Sequence[Any]], columns: SourceColumns
        ) -> Sequence[Sequence[Any]]:
            inserted = [[source(columns)] * len(columns) for source in sources]
            return [*fields, *inserted]

        return struct_plan(
            schema,
            updated,
            _PURPOSE,
            change,
            defaults=self._defaults,
            change_columns=change_columns,
        )


def _insertions(settings: Mapping[str, Any]) -> Iterator[_Insertion]:
    for source in _SOURCES:
        spec = settings[source.key]
        if spec is not None:
            name, optional = _name(spec)
            schema = source.optional if optional else source.required
            yield _Insertion(name, schema, source.read, source.encoded)
    spec, text = settings[_STATIC_FIELD], settings[_STATIC_VALUE]
    if spec is None:
        return
    name, optional = _name(spec)
    if text is None:
        raise invalid_value(_STATIC_VALUE, None, f"No value specified for static field: {name}")
    schema = OPTIONAL_STRING_SCHEMA if optional else STRING_SCHEMA
    yield _Insertion(name, schema, lambda _record: text, lambda _record: text)


def _name(spec: str) -> tuple[str, bool]:
    """The name in a specification, and whether the field is optional."""
    if spec.endswith(("!", "?")):
        return spec[:-1], spec.endswith("?")
    return spec, True
