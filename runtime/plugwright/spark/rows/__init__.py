"""Converts records to rows and back: Connect's schemas and values in Arrow and Spark, by column.

Requires neither a JVM nor a session.
"""

from __future__ import annotations

from plugwright.spark.rows._json_text import map_text
from plugwright.spark.rows._mapping import (
    MAPPING,
    Mapped,
    arrow_type,
    connect_schema,
    mapping_table,
)
from plugwright.spark.rows._reading import RecordRows, RowsMode, columns_of, row_schema
from plugwright.spark.rows._spark_types import arrow_schema_of, spark_schema_of
from plugwright.spark.rows._to_arrow import to_array
from plugwright.spark.rows._values import to_values
from plugwright.spark.rows._writing import RowRecords

__all__ = [
    "MAPPING",
    "Mapped",
    "RecordRows",
    "RowRecords",
    "RowsMode",
    "arrow_schema_of",
    "arrow_type",
    "columns_of",
    "connect_schema",
    "map_text",
    "mapping_table",
    "row_schema",
    "spark_schema_of",
    "to_array",
    "to_values",
]
