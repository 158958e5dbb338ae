"""Parquet files."""

from __future__ import annotations

from types import NoneType
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from plugwright import DataError, Decimal, SchemaType
from plugwright_lake.arrow_rows import ArrowRows, array_converter
from plugwright_lake.arrow_types import MOST_DIGITS, arrow_schema
from plugwright_lake.formats import Rows, of_one_schema
from plugwright_lake.plain_rows import converter
from plugwright_lake.values import refused

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plugwright import Schema, SinkColumns
    from plugwright_lake.formats import FileFormat

__all__ = ["parquet"]


def parquet(codec: str) -> FileFormat:
    """The format.

    Args:
        codec: compresses the pages, ``none`` for not at all.
    """
    extension = ".parquet" if codec == "none" else f".{codec}.parquet"
    return of_one_schema(extension, lambda schema: _Columns(schema, codec))


class _Columns(Rows):
    """Rows for columns of Arrow."""

    def __init__(self, schema: Schema, codec: str) -> None:
        shapes = _ArrowShapes()
        self._columns = arrow_schema(schema)
        self._convert = converter(schema, shapes)
        self._is_struct = schema.type is SchemaType.STRUCT
        inside = [field.schema for field in schema.fields] if self._is_struct else [schema]
        self._converters = [
            array_converter(each, shapes, column.type)
            for each, column in zip(inside, self._columns, strict=True)
        ]
        self._codec = codec

    def row(self, schema: Schema | None, value: Any) -> tuple[Any, ...]:  # noqa: ARG002  # known
        if value is None:
            raise refused("a null has no columns", "set behavior.on.null.values to ignore")
        row = self._convert(value)
        return tuple(row.values()) if self._is_struct else (row,)

    def rows(self, part: SinkColumns) -> Any:
        """The rows as a record batch. Hot path: looks at plain values only in bulk."""
        columns = self._given(part)
        if columns is None:
            return None
        try:
            arrays = [
                convert(values) for convert, values in zip(self._converters, columns, strict=True)
            ]
        except DataError:
            return None
        return pa.record_batch(arrays, schema=self._columns)

    def collection(self) -> ArrowRows:
        return ArrowRows(self._columns)

    def _given(self, part: SinkColumns) -> Sequence[Sequence[Any]] | None:
        if not self._is_struct:
            return None if NoneType in {*map(type, part.values)} else [part.values]
        return None if part.structs is None else part.structs.fields

    def file(self, rows: ArrowRows, name: str) -> bytes:  # noqa: ARG002  # no name in it
        sink = pa.BufferOutputStream()
        pq.write_table(rows.table(), sink, compression=self._codec, version="2.6")
        return bytes(sink.getvalue())


class _ArrowShapes:
    """Decimals, moments and maps as Arrow takes them."""

    def decimal(self, schema: Schema) -> Callable[[Any], Any]:
        def convert(value: Any) -> Any:
            Decimal.from_logical(schema, value)
            if len(value.as_tuple().digits) > MOST_DIGITS:
                raise refused(
                    f"a decimal has more than {MOST_DIGITS} digits", "round it, or use jsonl"
                )
            return value

        return convert

    def moment(self, schema: Schema) -> None:  # noqa: ARG002  # Arrow takes the numbers
        return None

    def map(
        self,
        schema: Schema,  # noqa: ARG002  # any map is pairs
        key: Callable[[Any], Any],
        value: Callable[[Any], Any],
    ) -> Callable[[Any], Any]:
        return lambda pairs: [(key(name), value(each)) for name, each in pairs.items()]
