"""Checks whether a value conforms to a schema."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

from plugwright.errors import DataError
from plugwright.java_text import float_text
from plugwright.schema._accepted import INTEGER_RANGES, StructValue
from plugwright.schema._type import Type
from plugwright.unrolled import unrolled

if TYPE_CHECKING:
    from collections.abc import Iterable

    from plugwright.schema._schema import Schema
    from plugwright.unrolled import Steps

_LONGEST_SHOWN_BITS = 128


def validate_value(schema: Schema, value: Any, location: str = "value") -> None:
    """Check a value, and everything inside it, against a schema.

    Runs for every field of every record, so a value that fits costs one predicate. The message is
    built only for a value that does not fit.

    Args:
        schema: what the value should be.
        value: the value in Connect's data model.
        location: how messages name the position of the value, such as ``field: "a"``.

    Raises:
        DataError: if the value, or one inside it, does not fit. The messages are Kafka Connect's
            (``ConnectSchema.validateValue``) with "Python object" for "Java object".
    """
    rest = _unchecked(schema, value, location)
    if rest is not None:
        unrolled(rest)


def validate_struct(struct: StructValue) -> None:
    """Check every field of a struct; an unset field must be optional or have a default.

    Raises:
        DataError: naming the first field that does not fit.
    """
    rest = _unchecked_fields(struct)
    if rest is not None:
        unrolled(rest)


def _unchecked(schema: Schema, value: Any, location: str) -> Steps[None] | None:
    """Check a value, but not its contents; returns the steps that check them, if any.

    Raises:
        DataError: if the value does not fit.
    """
    if value is None:
        if not schema.optional:
            raise _null(schema, location)
        return None
    if not schema.accepts(value):
        raise _misfit(schema, value, location)
    return None if schema.is_leaf else _unchecked_inside(schema, value, location)


def _unchecked_inside(schema: Schema, value: Any, location: str) -> Steps[None] | None:
    # The class is checked again because a container type may have a logical name.
    if isinstance(value, StructValue) and schema.type is Type.STRUCT:
        if value.schema != schema and value is not schema.default:
            raise _other_struct(schema, value, location)
        return _unchecked_fields(value)
    if isinstance(value, list) and schema.type is Type.ARRAY:
        return _unchecked_elements(schema.value_schema, value, f"element of array {location}")
    if isinstance(value, dict) and schema.type is Type.MAP:
        return _validate_entries(schema, value, location)
    raise _misfit(schema, value, location)


def _unchecked_fields(struct: StructValue) -> Steps[None] | None:
    values = struct._values  # noqa: SLF001  # there is no public way to read all without defaults
    fields = []
    for field in struct.schema.fields:
        schema = field.schema
        value = values[field.index]
        if value is None:
            if schema.optional or schema.default is not None:
                continue
        elif schema.is_leaf and schema.accepts(value):
            continue
        fields.append((schema, value, f'field: "{field.name}"'))
    return _validate_all(fields) if fields else None


def _unchecked_elements(
    schema: Schema | None, values: Iterable[Any], location: str
) -> Steps[None] | None:
    known = _known(schema, location)
    if known.is_leaf and all(map(known.accepts, values)):
        return None
    return _validate_all((known, value, location) for value in values)


def _validate_entries(schema: Schema, value: dict[Any, Any], location: str) -> Steps[None]:
    keys = _unchecked_elements(schema.key_schema, value, f"key of map {location}")
    if keys is not None:
        yield keys
    items = value.values()
    inside = _unchecked_elements(schema.value_schema, items, f"value of map {location}")
    if inside is not None:
        yield inside


def _validate_all(parts: Iterable[tuple[Schema, Any, str]]) -> Steps[None]:
    for schema, value, location in parts:
        rest = _unchecked(schema, value, location)
        if rest is not None:
            yield rest


def _known(schema: Schema | None, location: str) -> Schema:
    if schema is None:
        raise DataError(
            f"No schema defined for {location}",
            code="schema.no-inner-schema",
            facts={"location": location},
        )
    return schema


def _null(schema: Schema, location: str) -> DataError:
    return DataError(
        f"Invalid value: null used for required {location}, schema type: {schema.type}",
        code="schema.null-value",
        hint="give a value, or make the schema optional",
        facts={"location": location, "type": str(schema.type)},
    )


def _other_struct(schema: Schema, value: StructValue, location: str) -> DataError:
    return DataError(
        "Struct schemas do not match.",
        code="schema.struct-mismatch",
        hint="create the struct with the schema of its field",
        facts={"location": location, "expected": str(schema), "found": str(value.schema)},
    )


def _misfit(schema: Schema, value: Any, location: str) -> DataError:
    named = f' "{schema.name}"' if schema.name is not None else ""
    found = f"class {type(value).__name__}"
    return DataError(
        f"Invalid Python object for schema{named} with type {schema.type}: {found} "
        f"for {location}{_out_of_range(schema, value)}",
        code="schema.wrong-value",
        hint=_advice(value),
        facts={"location": location, "type": str(schema.type), "class": type(value).__name__},
    )


def _out_of_range(schema: Schema, value: Any) -> str:
    """The text about a value of the right class that is out of range, else an empty string."""
    if isinstance(value, bool):
        return ""
    if isinstance(value, int) and schema.type in INTEGER_RANGES:
        low, high = INTEGER_RANGES[schema.type]
        shown = str(int(value)) if value.bit_length() <= _LONGEST_SHOWN_BITS else "the number"
        return f", {shown} is not within {low} and {high}"
    if isinstance(value, float) and schema.type is Type.FLOAT32:
        return f", {float_text(value)} is larger than any 32-bit float"
    return ""


def _advice(value: Any) -> str:
    if isinstance(value, dt.datetime) and value.utcoffset() is None:
        return "a datetime must carry its time zone, for instance datetime.UTC"
    return ""
