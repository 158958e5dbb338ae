"""Parquet files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from plugwright import Decimal, SchemaType
from plugwright_lake.arrow_types import MOST_DIGITS, VALUE, arrow_schema
from plugwright_lake.formats import of_one_schema
from plugwright_lake.plain_rows import converter
from plugwright_lake.values import refused

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plugwright import Schema
    from plugwright_lake.formats import FileFormat

__all__ = ["parquet"]


def parquet(codec: str) -> FileFormat:
    """The format.

    Args:
        codec: compresses the pages, ``none`` for not at all.
    """
    extension = ".parquet" if codec == "none" else f".{codec}.parquet"
    return of_one_schema(extension, lambda schema: _Columns(schema, codec))


class _Columns:
    """Rows as columns of Arrow."""

    def __init__(self, schema: Schema, codec: str) -> None:
        self._columns = arrow_schema(schema)
        self._convert = converter(schema, _ArrowShapes())
        self._is_struct = schema.type is SchemaType.STRUCT
        self._codec = codec

    def row(self, schema: Schema | None, value: Any) -> dict[str, Any]:  # noqa: ARG002  # known
        if value is None:
            raise refused("a null has no columns", "set behavior.on.null.values to ignore")
        row = self._convert(value)
        return row if self._is_struct else {VALUE: row}

    def file(self, rows: Sequence[dict[str, Any]], name: str) -> bytes:  # noqa: ARG002  # no name in it
        columns = [
            pa.array([row[column.name] for row in rows], column.type) for column in self._columns
        ]
        table = pa.Table.from_arrays(columns, schema=self._columns)
        sink = pa.BufferOutputStream()
        pq.write_table(table, sink, compression=self._codec, version="2.6")
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
