"""Converts Connect values to Arrow arrays. Hot path: one loop over rows per column.

Values may have another schema than the one that the column was created for, because a source
may change its schema: values that the column's type can hold without loss are accepted.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from plugwright.errors import DataError
from plugwright.schema import Decimal, Time, Type
from plugwright.spark.rows._json_text import json_texts
from plugwright.spark.rows._mapping import arrow_type

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright.schema import Schema


def to_array(
    schema: Schema | None, values: Sequence[Any], target: Any, path: str, *, strict: bool = True
) -> Any:
    """Build an Arrow array from values of a schema.

    Args:
        schema: of the values; ``None`` for schemaless ones, which become JSON text.
        values: one per row; ``None`` for an absent one, which becomes the schema's default.
        target: the type of the column.
        path: of the column, for errors.
        strict: whether fields without a column are an error.

    Raises:
        DataError: ``rows.schema-changed``, ``rows.unexpected-field``, ``rows.null-value`` or
            ``rows.value-misfit``, naming the column.
    """
    if schema is None:
        return _matched(pa.array(json_texts(values), pa.string()), target, path)
    if schema.default is not None and None in values:
        values = [schema.default if value is None else value for value in values]
    if schema.type is Type.STRUCT:
        return _structs(schema, values, target, path, strict)
    if schema.type is Type.ARRAY:
        return _lists(schema, values, target, path, strict)
    if schema.type is Type.MAP:
        return _maps(schema, values, target, path, strict)
    return _matched(_leaves(schema, values, path), target, path)


def without_nulls(array: Any, field: pa.Field, path: str) -> Any:
    """Check that an array has no nulls unless its field is nullable, and return it.

    Raises:
        DataError: ``rows.null-value``, naming the column.
    """
    if array.null_count and not field.nullable:
        raise DataError(
            f"column {path}: a record has no value, but the column is not nullable",
            code="rows.null-value",
            hint="make the field optional in the record's schema, or read with your own .schema(…)",
            facts={"column": path},
        )
    return array


def _leaves(schema: Schema, values: Sequence[Any], path: str) -> Any:
    found = arrow_type(schema, path)
    if schema.type is Type.BYTES and schema.name != Decimal.LOGICAL_NAME:
        values = [None if value is None else bytes(value) for value in values]
    elif schema.name == Time.LOGICAL_NAME:
        values = [None if value is None else value.replace(tzinfo=None) for value in values]
    try:
        return pa.array(values, found)
    except (pa.ArrowException, OverflowError, TypeError, ValueError, AttributeError) as error:
        raise DataError(
            f"column {path}: a value does not fit {schema.name or schema.type}: {error}",
            code="rows.value-misfit",
            hint="fix the source, or change the value with a transformation",
            facts={"column": path, "expected": str(found)},
        ) from error


def _matched(array: Any, target: Any, path: str) -> Any:
    """Convert the array to the type of its column, if that is lossless."""
    if array.type == target:
        return array
    try:
        if not _widens(array.type, target):
            raise pa.ArrowInvalid("the types do not convert without loss")
        return array.cast(target)
    except pa.ArrowException as error:
        raise _changed(path, str(array.type), target) from error


def _widens(found: Any, target: Any) -> bool:
    integers = pa.types.is_integer(found) and pa.types.is_integer(target)
    floats = pa.types.is_floating(found) and pa.types.is_floating(target)
    decimals = pa.types.is_decimal(found) and pa.types.is_decimal(target)
    return bool(integers or floats or decimals or pa.types.is_null(found))


def _structs(schema: Schema, values: Sequence[Any], target: Any, path: str, strict: bool) -> Any:
    if not pa.types.is_struct(target):
        raise _changed(path, "a struct", target)
    absent = [value is None for value in values]
    present = [value for value in values if value is not None]
    fields = list(target)
    if strict:
        _refuse_more(schema, {field.name for field in fields}, path)
    children = [_child(schema, present, field, f"{path}.{field.name}", strict) for field in fields]
    if len(present) < len(values):
        children = [_spread(child, absent) for child in children]
    mask = pa.array(absent, pa.bool_())
    return pa.StructArray.from_arrays(children, fields=fields, mask=mask)


def _child(schema: Schema, present: Sequence[Any], field: pa.Field, path: str, strict: bool) -> Any:
    found = schema.fields_by_name.get(field.name)
    if found is None:
        return without_nulls(pa.nulls(len(present), field.type), field, path)
    inner = [value.get_without_default(found) for value in present]
    array = to_array(found.schema, inner, field.type, path, strict=strict)
    return without_nulls(array, field, path)


def _spread(array: Any, absent: Sequence[bool]) -> Any:
    """Insert a null at each absent row."""
    places = accumulate((not gap for gap in absent), initial=0)
    return array.take(
        pa.array([None if gap else at for gap, at in zip(absent, places, strict=False)], pa.int64())
    )


def _refuse_more(schema: Schema, known: set[str], path: str) -> None:
    more = [field.name for field in schema.fields if field.name not in known]
    if more:
        raise DataError(
            f"column {path}: a record has the field {more[0]}, for which the rows have no column",
            code="rows.unexpected-field",
            hint="the source's schema has changed: read again, or select columns with .schema(…)",
            facts={"column": f"{path}.{more[0]}"},
        )


def _lists(schema: Schema, values: Sequence[Any], target: Any, path: str, strict: bool) -> Any:
    if not pa.types.is_list(target):
        raise _changed(path, "an array", target)
    field, inner = target.value_field, f"{path}.element"
    flat = [item for value in values if value is not None for item in value]
    items = without_nulls(
        to_array(schema.value_schema, flat, field.type, inner, strict=strict), field, inner
    )
    offsets, mask = _offsets(values)
    return pa.ListArray.from_arrays(offsets, items, type=target, mask=mask)


def _maps(schema: Schema, values: Sequence[Any], target: Any, path: str, strict: bool) -> Any:
    if not pa.types.is_map(target):
        raise _changed(path, "a map", target)
    present = [value for value in values if value is not None]
    keys = [key for value in present for key in value]
    flat = [item for value in present for item in value.values()]
    sides = (
        (schema.key_schema, keys, target.key_field, f"{path}.key"),
        (schema.value_schema, flat, target.item_field, f"{path}.value"),
    )
    arrays = [
        without_nulls(to_array(inner, each, field.type, at, strict=strict), field, at)
        for inner, each, field, at in sides
    ]
    offsets, mask = _offsets(values)
    return pa.MapArray.from_arrays(offsets, *arrays, type=target, mask=mask)


def _offsets(values: Sequence[Any]) -> tuple[Any, Any]:
    sizes = (0 if value is None else len(value) for value in values)
    absent = [value is None for value in values]
    mask = pa.array(absent, pa.bool_()) if any(absent) else None
    return pa.array(accumulate(sizes, initial=0), pa.int32()), mask


def _changed(path: str, found: str, target: Any) -> DataError:
    return DataError(
        f"column {path}: a record has {found}, but the column is {target}",
        code="rows.schema-changed",
        hint="all records of one read need one schema: read with your own schema, or unify them "
        "with a transformation",
        facts={"column": path, "found": found, "expected": str(target)},
    )
