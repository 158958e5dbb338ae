"""Flatten: moves nested data to one level."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from plugwright.config import ConfigDef, ConfigType, Importance
from plugwright.schema import Schema, SchemaBuilder, Struct, Type
from plugwright.transforms._base import R
from plugwright.transforms._requirements import class_of, refused, require_map, require_struct
from plugwright.transforms._sides import KeyOrValueTransformation, SchemaPlan
from plugwright.transforms._structs import checked_field, struct_reader
from plugwright.unrolled import unrolled

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.unrolled import Steps

_DELIMITER = "delimiter"
_PURPOSE = "flattening"
_Collect: TypeAlias = "Callable[[Any, list[Any]], Steps[None]]"
_KEPT = (bool, int, float, str, bytes, bytearray, memoryview, list)


class _Leaf(NamedTuple):
    """A field of this struct that becomes a field of the result."""

    position: int
    name: str
    schema: Schema
    default: Any


class _Branch(NamedTuple):
    """A nested struct whose fields become fields of the result."""

    position: int
    collect: _Collect
    size: int


class Flatten(KeyOrValueTransformation[R]):
    """Moves the fields of nested structs and maps to one level, under joined names.

    Arrays are unchanged. Fields of an optional struct become optional and take their defaults from
    the default of the struct. Two fields with the same resulting name are an error; for schemaless
    data Kafka loses one of them.
    """

    DEFINITION = ConfigDef().define(
        _DELIMITER,
        ConfigType.STRING,
        default=".",
        importance=Importance.MEDIUM,
        documentation="The text between the names of nested fields.",
    )

    def _take(self, settings: Mapping[str, Any]) -> None:
        self._delimiter: str = settings[_DELIMITER]

    def _schemaless(self, value: Any, record: R) -> Any:  # noqa: ARG002  # for others
        flat: dict[str, Any] = {}
        unrolled(self._collect_map(require_map(value, _PURPOSE), "", flat))
        return flat

    def _collect_map(self, data: dict[str, Any], prefix: str, flat: dict[str, Any]) -> Steps[None]:
        for key, value in data.items():
            if not isinstance(key, str):
                raise refused(f"Only text can name a field, found: {class_of(key)}", prefix or None)
            name = self._joined(prefix, key)
            if isinstance(value, dict):
                yield self._collect_map(value, name, flat)
                continue
            if value is not None and not isinstance(value, _KEPT):
                raise _unsupported_value(name, value)
            if name in flat:
                raise _collision(name)
            flat[name] = value

    def _joined(self, prefix: str, name: str) -> str:
        return f"{prefix}{self._delimiter}{name}" if prefix else name

    def _plan(self, schema: Schema) -> SchemaPlan:
        if schema.type is not Type.STRUCT:
            return SchemaPlan(schema, lambda value, _record: require_struct(value, _PURPOSE))
        builder = SchemaBuilder.like(schema)
        branch, _ = unrolled(
            self._branch(schema, "", builder, optional=schema.optional, default=schema.default)
        )
        updated = builder.build()

        def convert(value: Any, _record: object) -> Struct:
            values: list[Any] = []
            unrolled(branch(value, values))
            return Struct.from_trusted(updated, values)

        return SchemaPlan(updated, convert)

    def _branch(
        self, schema: Schema, prefix: str, builder: SchemaBuilder, *, optional: bool, default: Any
    ) -> Steps[tuple[_Collect, int]]:
        """A function that appends the flat values of a struct to a list, and their number."""
        steps: list[_Leaf | _Branch] = []
        size = 0
        for field in schema.fields:
            name = self._joined(prefix, field.name)
            may_lack = optional or field.schema.optional
            standard = field.schema.default
            if standard is None and default is not None:
                standard = default.get(field.name)
            if field.schema.type is Type.STRUCT:
                collect, width = yield self._branch(
                    field.schema, name, builder, optional=may_lack, default=standard
                )
                steps.append(_Branch(field.index, collect, width))
                size += width
                continue
            if field.schema.type is Type.MAP:
                raise _unsupported_map(name)
            inner = _leaf_schema(field.schema, optional=may_lack, default=standard)
            builder.field(name, inner)
            steps.append(_Leaf(field.index, name, inner, field.schema.default))
            size += 1
        return _collector(struct_reader(schema, _PURPOSE, defaults=False), steps), size


def _collector(read: Callable[[Any], Sequence[Any]], steps: list[_Leaf | _Branch]) -> _Collect:
    def collect(struct: Any, into: list[Any]) -> Steps[None]:
        values = read(struct)
        for step in steps:
            value = values[step.position]
            if isinstance(step, _Leaf):
                if value is None:
                    value = step.default
                    if value is None and not step.schema.optional:
                        checked_field(step.schema, None, step.name)
                into.append(value)
            elif value is None:
                into.extend([None] * step.size)
            else:
                yield step.collect(value, into)

    return collect


def _leaf_schema(schema: Schema, *, optional: bool, default: Any) -> Schema:
    builder = SchemaBuilder.like(schema)
    if optional:
        builder.optional()
    if default is not None:
        builder.default(default)
    return builder.build()


def _unsupported_value(name: str, value: Any) -> Exception:
    if isinstance(value, Struct):
        return refused(
            f"Flatten transformation does not support class {class_of(value)} "
            f"for record without schemas (for field {name}).",
            name,
        )
    return refused(
        f"Flatten transformation was passed a value of type class {class_of(value)} "
        "which is not supported by Connect's data API",
        name,
    )


def _unsupported_map(name: str) -> Exception:
    return refused(
        f"Flatten transformation does not support MAP for record with schemas (for field {name}).",
        name,
    )


def _collision(name: str) -> Exception:
    return refused(f"Cannot create field because of field name duplication {name}", name)
