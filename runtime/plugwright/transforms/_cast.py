"""Cast: changes the types of fields, or of a whole key or value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.config import (
    ConfigDef,
    ConfigType,
    Importance,
    LambdaValidator,
    invalid_value,
    not_null,
)
from plugwright.errors import ConfigError, DataError
from plugwright.schema import Schema, SchemaBuilder, Type
from plugwright.transforms._base import R
from plugwright.transforms._casting import SUPPORTED_OUTPUT, caster, unsupported
from plugwright.transforms._requirements import require_map
from plugwright.transforms._settings import (
    REPLACE_NULL_WITH_DEFAULT,
    java_split,
    with_null_replacement,
)
from plugwright.transforms._sides import KeyOrValueTransformation, SchemaPlan
from plugwright.transforms._structs import struct_maker, struct_reader

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_SPEC = "spec"
_PURPOSE = "cast types"
_PAIR = 2


class Cast(KeyOrValueTransformation[R]):
    """Casts fields, or the whole key or value, to other primitive types.

    Numbers narrow as casts do in Java (300 is 44 as ``int8``), text is parsed strictly, bytes
    become base64 text only. Schemaless data gets a listed field that it lacks, with null.
    """

    DEFINITION = with_null_replacement(
        ConfigDef().define(
            _SPEC,
            ConfigType.LIST,
            importance=Importance.HIGH,
            documentation="The fields to cast, each with its new type (field:type), or one type "
            "for the whole value. Types: int8, int16, int32, int64, float32, float64, boolean, "
            "string. Bytes can only become a string.",
            validator=LambdaValidator.with_(
                lambda _name, value: _check_spec(value),
                lambda: "list of colon-delimited pairs, e.g. <code>foo:bar,abc:xyz</code>",
            ),
        )
    )

    def _take(self, settings: Mapping[str, Any]) -> None:
        self._casts = _parse_spec(settings[_SPEC])
        self._defaults: bool = not_null(settings, REPLACE_NULL_WITH_DEFAULT)
        self._whole = self._casts.get(None)
        self._schemaless_casts: dict[str, Callable[[Any], Any]] = {
            field: caster(None, target)
            for field, target in self._casts.items()
            if field is not None
        }

    def _schemaless(self, value: Any, record: R) -> Any:  # noqa: ARG002  # for others
        if self._whole is not None:
            return caster(None, self._whole)(value)
        updated = dict(require_map(value, _PURPOSE))
        for field, cast in self._schemaless_casts.items():
            updated[field] = _at(field, cast, updated.get(field))
        return updated

    def _plan(self, schema: Schema) -> SchemaPlan:
        if self._whole is not None:
            return _whole_plan(schema, self._whole)
        casts = {
            field.name: caster(field.schema, self._casts[field.name])
            for field in schema.fields
            if field.name in self._casts
        }
        updated = self._updated(schema, casts)
        read = struct_reader(schema, _PURPOSE, defaults=self._defaults)
        make = struct_maker(updated)
        steps = [(schema.fields_by_name[name].index, name, cast) for name, cast in casts.items()]

        def convert(value: Any, _record: object) -> Any:
            values = list(read(value))
            for index, name, cast in steps:
                values[index] = _at(name, cast, values[index])
            return make(values)

        return SchemaPlan(updated, convert)

    def _updated(self, schema: Schema, casts: Mapping[str, Callable[[Any], Any]]) -> Schema:
        builder = SchemaBuilder.like(schema)
        for field in schema.fields:
            target = self._casts.get(field.name)
            if target is None:
                builder.field(field.name, field.schema)
                continue
            inner = SchemaBuilder(target)
            if field.schema.optional:
                inner.optional()
            if field.schema.default is not None:
                inner.default(_at(field.name, casts[field.name], field.schema.default))
            builder.field(field.name, inner)
        if schema.optional:
            builder.optional()
        if schema.default is not None:
            raise unsupported("from", Type.STRUCT)
        return builder.build()


def _whole_plan(schema: Schema, target: Type) -> SchemaPlan:
    cast = caster(schema, target)
    builder = SchemaBuilder(target).name(schema.name).version(schema.version).doc(schema.doc)
    builder.parameters(schema.parameters)
    if schema.optional:
        builder.optional()
    if schema.default is not None:
        builder.default(cast(schema.default))
    return SchemaPlan(builder.build(), lambda value, _record: cast(value))


def _at(field: str, cast: Callable[[Any], Any], value: Any) -> Any:
    try:
        return cast(value)
    except DataError as error:
        facts = {**error.facts, "field": field}
        raise DataError(str(error), code=error.code, facts=facts) from error


def _check_spec(value: object) -> None:
    _parse_spec(value if isinstance(value, list) else [])


def _parse_spec(spec: list[str]) -> dict[str | None, Type]:
    """The target type of each field; that of the whole value under ``None``.

    Raises:
        ConfigError: if the specification is empty, contradicts itself or names no type.
    """
    casts: dict[str | None, Type] = {}
    for mapping in spec:
        parts = java_split(mapping)
        if len(parts) > _PAIR:
            raise invalid_value(_SPEC, spec, f"Invalid rename mapping: {mapping}")
        field = parts[0].strip() if len(parts) == _PAIR else None
        casts[field] = _target((parts or [""])[-1].strip())
    if not spec:
        raise _bad_spec("Must specify at least one field to cast.")
    if None in casts and len(spec) > 1:
        raise _bad_spec(
            "Cast transformations that specify a type to cast the entire value to "
            "may only specify a single cast in their spec"
        )
    return casts


def _target(name: str) -> Type:
    try:
        target = Type[name.upper()]
    except KeyError:
        raise invalid_value(_SPEC, name, f"Invalid type found in casting spec: {name}") from None
    if target not in SUPPORTED_OUTPUT:
        raise _bad_spec(str(unsupported("to", target)))
    return target


def _bad_spec(message: str) -> ConfigError:
    return ConfigError(message, facts={"key": _SPEC, "problems": ((_SPEC, message),)})
