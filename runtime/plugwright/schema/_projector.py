"""SchemaProjector: converts values to a compatible schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.errors import SchemaProjectorError
from plugwright.java_numbers import to_float32
from plugwright.schema._struct import Struct
from plugwright.schema._type import Type
from plugwright.unrolled import unrolled

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from plugwright.schema._schema import Field, Schema
    from plugwright.unrolled import Steps

_PROMOTION = (Type.INT8, Type.INT16, Type.INT32, Type.INT64, Type.FLOAT32, Type.FLOAT64)

_NESTED = object()


class SchemaProjector:
    """Projects values between compatible schemas, so that a sink sees one schema at a time."""

    @staticmethod
    def project(source: Schema, record: Any, target: Schema) -> Any:
        """The value converted to the target schema.

        Numbers widen (INT8, INT16, INT32, INT64, FLOAT32, FLOAT64), names and parameters must be
        equal, fields unknown to the target are dropped and fields unknown to the source take the
        target's default. A required target needs a default if the source is optional, even if this
        value is present: the next one may be absent.

        Args:
            source: the schema that the value was written with.
            record: the value.
            target: the schema to read it with.

        Raises:
            SchemaProjectorError: if the schemas are not compatible, or one is missing.
            DataError: if a projected value does not fit its field.
        """
        return unrolled(_project(source, record, target))


def _project(source: Schema, record: Any, target: Schema) -> Steps[Any]:
    plain = _project_plain(source, record, target)
    return (yield from _project_inside(source, record, target)) if plain is _NESTED else plain


def _project_plain(source: Schema, record: Any, target: Schema) -> Any:
    """The projection of a value with nothing inside; ``_NESTED`` for others."""
    _check_compatible(source, target)
    if source.optional and not target.optional:
        if not target.has_default:
            raise SchemaProjectorError(
                "Writer schema is optional, however, target schema does not provide a default "
                "value."
            )
        if record is None:
            return target.default
    if record is None:
        return None
    return _promote(record, target.type) if target.is_leaf else _NESTED


def _project_inside(source: Schema, record: Any, target: Schema) -> Steps[Any]:
    if target.type is Type.STRUCT and isinstance(record, Struct):
        return (yield from _project_struct(source, record, target))
    if target.type is Type.ARRAY and isinstance(record, list):
        return (yield from _project_all(source.value_schema, record, target.value_schema))
    if target.type is Type.MAP and isinstance(record, dict):
        keys = yield from _project_all(source.key_schema, record, target.key_schema)
        values = record.values()
        items = yield from _project_all(source.value_schema, values, target.value_schema)
        return dict(zip(keys, items, strict=True))
    raise SchemaProjectorError(
        f"Invalid Python object for schema with type {source.type}: class {type(record).__name__}"
    )


def _project_struct(source: Schema, record: Struct, target: Schema) -> Steps[Struct]:
    result = Struct(target)
    for field in target.fields:
        written = source.field(field.name)
        if written is not None:
            result.put(field, (yield from _project_field(written, record, field)))
        elif field.schema.optional:
            continue  # unset: reading it returns the default, if there is one
        elif field.schema.has_default:
            result.put(field, field.schema.default)
        else:
            raise SchemaProjectorError(
                f"Required field `{field.name}` is missing from source schema: {source}",
                facts={"field": field.name},
            )
    return result


def _project_field(written: Field, record: Struct, wanted: Field) -> Steps[Any]:
    source, target = written.schema, wanted.schema
    value = record.get(written)
    try:
        plain = _project_plain(source, value, target)
        return (yield _project_inside(source, value, target)) if plain is _NESTED else plain
    except SchemaProjectorError as error:
        raise SchemaProjectorError(
            f"Error projecting {wanted.name}", facts={"field": wanted.name}
        ) from error


def _project_all(
    source: Schema | None, values: Iterable[Any], target: Schema | None
) -> Steps[list[Any]]:
    written, wanted = _inner(source), _inner(target)
    projected: list[Any] = []
    for value in values:
        plain = _project_plain(written, value, wanted)
        inside = plain is _NESTED
        projected.append((yield _project_inside(written, value, wanted)) if inside else plain)
    return projected


def _promote(record: Any, type_: Type) -> Any:
    # Booleans are not numbers; the logical types of integers keep their dates and times.
    if type_ is Type.FLOAT64 and isinstance(record, int) and not isinstance(record, bool):
        return float(record)
    if type_ is Type.FLOAT32 and isinstance(record, int) and not isinstance(record, bool):
        return to_float32(record)
    return record


def _inner(schema: Schema | None) -> Schema:
    if schema is None:
        raise SchemaProjectorError("No schema defined for the elements of an array or map")
    return schema


def _check_compatible(source: Schema | None, target: Schema | None) -> None:
    if source is None or target is None:
        raise SchemaProjectorError(
            f"There is no {'source' if source is None else 'target'} schema to project "
            f"{'from' if source is None else 'to'}",
            hint="project only records that have a schema",
        )
    if source is target:
        return
    if source.type is not target.type and not _promotable(source.type, target.type):
        raise SchemaProjectorError(
            f"Schema type mismatch. source type: {source.type} and target type: {target.type}"
        )
    if source.name != target.name:
        raise SchemaProjectorError(
            f"Schema name mismatch. source name: {_name(source)} and target name: {_name(target)}"
        )
    if source.parameters != target.parameters:
        raise SchemaProjectorError(
            f"Schema parameters not equal. source parameters: {_shown(source.parameters)} "
            f"and target parameters: {_shown(target.parameters)}"
        )


def _promotable(source: Type, target: Type) -> bool:
    return (
        source in _PROMOTION
        and target in _PROMOTION
        and _PROMOTION.index(source) < _PROMOTION.index(target)
    )


def _name(schema: Schema) -> str:
    return "null" if schema.name is None else schema.name


def _shown(parameters: Mapping[str, str]) -> str:
    if not parameters:
        return "null"
    return f"{{{', '.join(f'{name}={value}' for name, value in parameters.items())}}}"
