"""Checks whether a value conforms to a schema."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

from plugwright.errors import DataError
from plugwright.java_text import float_text
from plugwright.schema._accepted import INTEGER_RANGES, StructValue
from plugwright.schema._type import Type

if TYPE_CHECKING:
    from collections.abc import Iterable

    from plugwright.schema._schema import Schema

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
    if value is None:
        if not schema.optional:
            raise _null(schema, location)
    elif not schema.accepts(value):
        raise _misfit(schema, value, location)
    elif not schema.is_leaf:
        _validate_inside(schema, value, location)


def _validate_inside(schema: Schema, value: Any, location: str) -> None:
    # The class is checked again because a container type may have a logical name.
    if isinstance(value, StructValue) and schema.type is Type.STRUCT:
        if value.schema != schema and value is not schema.default:
            raise _other_struct(schema, value, location)
        value.validate()
    elif isinstance(value, list) and schema.type is Type.ARRAY:
        _validate_elements(schema.value_schema, value, f"element of array {location}")
    elif isinstance(value, dict) and schema.type is Type.MAP:
        _validate_elements(schema.key_schema, value, f"key of map {location}")
        _validate_elements(schema.value_schema, value.values(), f"value of map {location}")
    else:
        raise _misfit(schema, value, location)


def _validate_elements(schema: Schema | None, values: Iterable[Any], location: str) -> None:
    known = _known(schema, location)
    accepts = known.accepts
    leaf = known.is_leaf
    for value in values:
        if not (leaf and accepts(value)):
            validate_value(known, value, location)


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
