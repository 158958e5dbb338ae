"""Converts between Spark's row types and Arrow schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import ArrayType, MapType, StructType

from plugwright.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from pyspark.sql.types import DataType

_KNOWN = frozenset(
    (
        *("boolean", "byte", "short", "integer", "long", "float", "double", "decimal"),
        *("string", "char", "varchar", "binary", "date", "time", "timestamp"),
    )
)
_FIXES = {
    "void": "give the column a type, such as CAST(column AS STRING)",
    "timestamp_ntz": "cast it to TIMESTAMP, which has a time zone",
    "variant": "use to_json(column)",
    "daytimeinterval": "cast it to BIGINT",
    "yearmonthinterval": "cast it to INT",
}


def spark_schema_of(schema: pa.Schema) -> StructType:
    """The row type that Spark uses for Arrow batches of a schema."""
    found: StructType = from_arrow_schema(schema)
    return found


def arrow_schema_of(rows: StructType) -> pa.Schema:
    """The Arrow schema in which Spark exchanges rows of a type.

    Raises:
        DataError: ``rows.unsupported-type`` naming the first column without a Connect type.
    """
    for path, found in _leaves(rows, ""):
        name = type(found).typeName()
        if name not in _KNOWN:
            raise DataError(
                f"column {path}: the type {found.simpleString()} cannot be mapped between Connect "
                "and Spark",
                code="rows.unsupported-type",
                hint=_FIXES.get(name, "cast it to STRING"),
                facts={"column": path, "found": found.simpleString()},
            )
    convert: Any = to_arrow_schema  # pyspark's hint for the time zone is None
    found_schema: pa.Schema = convert(rows, timezone="UTC")
    return found_schema


def _leaves(found: DataType, path: str) -> Iterator[tuple[str, DataType]]:
    """Every type within a type, each with the path of its column."""
    if isinstance(found, StructType):
        for field in found.fields:
            yield from _leaves(field.dataType, f"{path}.{field.name}" if path else field.name)
    elif isinstance(found, ArrayType):
        yield from _leaves(found.elementType, f"{path}.element")
    elif isinstance(found, MapType):
        yield from _leaves(found.keyType, f"{path}.key")
        yield from _leaves(found.valueType, f"{path}.value")
    else:
        yield path, found
