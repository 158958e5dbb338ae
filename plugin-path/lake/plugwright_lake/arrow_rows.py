"""Rows as arrays of Arrow."""

from __future__ import annotations

from types import MappingProxyType, NoneType
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from plugwright import SchemaType
from plugwright_lake.plain_rows import converter
from plugwright_lake.values import LOGICAL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from plugwright import Schema
    from plugwright_lake.plain_rows import Shapes

    ConvertColumn = Callable[[Sequence[Any]], Any]

__all__ = ["ArrowRows", "array_converter"]

_CLASSES: Mapping[SchemaType, type] = MappingProxyType(
    {
        SchemaType.BOOLEAN: bool,
        SchemaType.INT8: int,
        SchemaType.INT16: int,
        SchemaType.INT32: int,
        SchemaType.INT64: int,
        SchemaType.FLOAT64: float,
        SchemaType.STRING: str,
        SchemaType.BYTES: bytes,
    }
)
"""Types whose values of this class, but not of its subclasses, are written as Arrow takes them."""


def array_converter(schema: Schema, shapes: Shapes, arrow_type: Any) -> ConvertColumn:
    """The function for arrays of values; each is what `converter` makes of it.

    Hot path: what it returns looks at plain values only in bulk. It raises a ``DataError`` if one
    has no place.
    """
    convert = converter(schema, shapes)

    def singly(values: Sequence[Any]) -> Any:
        return pa.array([convert(value) for value in values], arrow_type)

    kind = None if schema.name in LOGICAL else _CLASSES.get(schema.type)
    if kind is None:
        return singly
    kinds = {kind, NoneType} if schema.optional else {kind}

    def in_bulk(values: Sequence[Any]) -> Any:
        if not {*map(type, values)} <= kinds:
            return singly(values)
        try:
            return pa.array(values, arrow_type)
        except (pa.ArrowException, OverflowError, UnicodeError):  # a large number, no Unicode
            return singly(values)

    return in_bulk


class ArrowRows:
    """The rows of a file, kept as arrays where they came as such.

    Args:
        columns: Arrow's schema.
        batches: the first rows.
    """

    def __init__(self, columns: Any, batches: Iterable[Any] = ()) -> None:
        self._columns = columns
        self._batches = list(batches)
        self._last: list[Sequence[Any]] = []

    def append(self, row: Sequence[Any]) -> None:
        """Add a row: a converted value for each column."""
        self._last.append(row)

    def extend(self, batch: Any) -> None:
        """Add the rows of a record batch."""
        self._settle()
        self._batches.append(batch)

    def __getitem__(self, part: slice) -> ArrowRows:
        return ArrowRows(self._columns, self.table()[part].to_batches())

    def table(self) -> Any:
        """All rows, each column as one array: how they came makes no difference to a file."""
        self._settle()
        return pa.Table.from_batches(self._batches, self._columns).combine_chunks()

    def _settle(self) -> None:
        if self._last:
            columns = zip(zip(*self._last, strict=True), self._columns, strict=True)
            arrays = [pa.array(values, column.type) for values, column in columns]
            self._batches.append(pa.record_batch(arrays, schema=self._columns))
            self._last = []
