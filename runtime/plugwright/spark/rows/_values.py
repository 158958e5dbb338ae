"""Converts Arrow arrays to Connect values. Hot path: one loop over rows per column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.schema import Struct, Type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugwright.schema import Schema


def to_values(array: Any, schema: Schema) -> list[Any]:
    """The values of an array with the schema of its type (`connect_schema`)."""
    if schema.type is Type.STRUCT:
        return _structs(array, schema)
    if schema.type is Type.ARRAY:
        assert schema.value_schema is not None  # noqa: S101  # connect_schema gives one
        items = to_values(_inner(array, array.values), schema.value_schema)
        return [None if at is None else items[slice(*at)] for at in _places(array)]
    if schema.type is Type.MAP:
        return _maps(array, schema)
    found: list[Any] = array.to_pylist()
    return found


def _structs(array: Any, schema: Schema) -> list[Any]:
    columns = [
        to_values(child, field.schema)
        for child, field in zip(array.flatten(), schema.fields, strict=True)
    ]
    rows = zip(*columns, strict=True) if columns else ([] for _ in range(len(array)))
    adopt = Struct.adopt
    if not array.null_count:
        return [adopt(schema, list(row)) for row in rows]
    valid = array.is_valid().to_pylist()
    return [
        adopt(schema, list(row)) if there else None for row, there in zip(rows, valid, strict=True)
    ]


def _maps(array: Any, schema: Schema) -> list[Any]:
    assert schema.key_schema is not None  # noqa: S101  # connect_schema gives both
    assert schema.value_schema is not None  # noqa: S101
    keys = to_values(_inner(array, array.keys), schema.key_schema)
    items = to_values(_inner(array, array.items), schema.value_schema)
    return [
        None if at is None else dict(zip(keys[slice(*at)], items[slice(*at)], strict=True))
        for at in _places(array)
    ]


def _inner(array: Any, values: Any) -> Any:
    """The inner values that belong to a possibly sliced array."""
    offsets = array.offsets
    first, last = offsets[0].as_py(), offsets[-1].as_py()
    return values.slice(first, last - first)


def _places(array: Any) -> Iterator[tuple[int, int] | None]:
    """The range of each row's values in `_inner`; ``None`` for an absent row."""
    offsets = array.offsets.to_pylist()
    first = offsets[0]
    for index, there in enumerate(array.is_valid().to_pylist()):
        yield (offsets[index] - first, offsets[index + 1] - first) if there else None
