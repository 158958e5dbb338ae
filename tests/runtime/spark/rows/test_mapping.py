"""Which Spark types stand for which Connect schemas, and what has none."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import types as sql

from plugwright.errors import DataError, render
from plugwright.schema import (
    BOOLEAN_SCHEMA,
    BYTES_SCHEMA,
    FLOAT32_SCHEMA,
    FLOAT64_SCHEMA,
    INT8_SCHEMA,
    INT16_SCHEMA,
    INT32_SCHEMA,
    INT64_SCHEMA,
    OPTIONAL_STRING_SCHEMA,
    STRING_SCHEMA,
    Date,
    Decimal,
    SchemaBuilder,
    Time,
    Timestamp,
)
from plugwright.spark.rows import (
    MAPPING,
    arrow_schema_of,
    arrow_type,
    connect_schema,
    mapping_table,
    spark_schema_of,
)

POINT = SchemaBuilder.struct().field("x", INT8_SCHEMA).field("s", OPTIONAL_STRING_SCHEMA).build()
MONEY = Decimal.builder(2).parameter("connect.decimal.precision", "9").build()
CASES = {
    "tinyint": INT8_SCHEMA,
    "smallint": INT16_SCHEMA,
    "int": INT32_SCHEMA,
    "bigint": INT64_SCHEMA,
    "float": FLOAT32_SCHEMA,
    "double": FLOAT64_SCHEMA,
    "boolean": BOOLEAN_SCHEMA,
    "string": STRING_SCHEMA,
    "binary": BYTES_SCHEMA,
    "decimal(9,2)": MONEY,
    "date": Date.SCHEMA,
    "time(6)": Time.SCHEMA,
    "timestamp": Timestamp.SCHEMA,
    "array<smallint>": SchemaBuilder.array(INT16_SCHEMA).build(),
    "map<struct<x:tinyint,s:string>,date>": SchemaBuilder.map(POINT, Date.SCHEMA).build(),
    "struct<x:tinyint,s:string>": POINT,
}


@pytest.mark.parametrize(("text", "schema"), CASES.items(), ids=CASES)
def test_a_connect_schema_has_its_spark_type_and_comes_back(text, schema):
    """The type is Spark's own word for it, and the way back gives an equal schema."""
    found = arrow_type(schema)

    rows = spark_schema_of(pa.schema([pa.field("value", found, nullable=False)]))

    assert rows["value"].dataType.simpleString() == text
    assert arrow_schema_of(rows).field("value").type == found
    assert connect_schema(found, "value", optional=False) == schema


def test_nullability_goes_down_to_fields_elements_and_map_values():
    """What is optional in Connect is nullable in Spark, and nothing else."""
    found = spark_schema_of(
        pa.schema([pa.field("v", arrow_type(SchemaBuilder.array(POINT).build()), nullable=False)])
    )

    assert found.json() == (
        '{"fields":[{"metadata":{},"name":"v","nullable":false,"type":{"containsNull":false,'
        '"elementType":{"fields":[{"metadata":{},"name":"x","nullable":false,"type":"byte"},'
        '{"metadata":{},"name":"s","nullable":true,"type":"string"}],"type":"struct"},'
        '"type":"array"}}],"type":"struct"}'
    )


def test_an_optional_schema_with_a_default_is_not_nullable():
    """An absent value becomes the default, so that there is always one."""
    schema = SchemaBuilder.struct().field("n", SchemaBuilder.int8().optional().default(7)).build()

    assert not arrow_type(schema).field("n").nullable


def test_a_decimal_without_precision_has_all_digits():
    """Spark's largest precision."""
    assert arrow_type(Decimal.schema(4)) == pa.decimal128(38, 4)


UNMAPPABLE = {
    "value.m.key": SchemaBuilder.struct()
    .field("m", SchemaBuilder.map(SchemaBuilder.map(STRING_SCHEMA, STRING_SCHEMA), INT8_SCHEMA))
    .build(),
    "value.element": SchemaBuilder.array(Decimal.schema(-2)).build(),
    "value.a.A": SchemaBuilder.struct()
    .field("a", SchemaBuilder.struct().field("a", INT8_SCHEMA).field("A", INT8_SCHEMA))
    .build(),
}


@pytest.mark.parametrize(("path", "schema"), UNMAPPABLE.items(), ids=UNMAPPABLE)
def test_a_connect_schema_that_spark_has_not_names_the_column(path, schema):
    """Maps as keys, negative scales, and names that differ in case only."""
    with pytest.raises(DataError) as caught:
        arrow_type(schema)

    assert caught.value.code == "rows.unsupported-type"
    assert caught.value.facts["column"] == path
    assert caught.value.hint


REFUSED = {
    "a.b.element": (
        sql.StructType().add("a", sql.StructType().add("b", sql.ArrayType(sql.TimestampNTZType()))),
        (
            "rows.unsupported-type: column a.b.element: the type timestamp_ntz cannot be mapped "
            "between Connect and Spark\n  → cast it to TIMESTAMP, which has a time zone"
        ),
    ),
    "v": (
        sql.StructType().add("v", sql.VariantType()),
        (
            "rows.unsupported-type: column v: the type variant cannot be mapped between "
            "Connect and "
            "Spark\n  → use to_json(column)"
        ),
    ),
    "n": (
        sql.StructType().add("n", sql.NullType()),
        (
            "rows.unsupported-type: column n: the type void cannot be mapped between Connect and "
            "Spark\n  → give the column a type, such as CAST(column AS STRING)"
        ),
    ),
    "i": (
        sql.StructType().add("i", sql.DayTimeIntervalType()),
        (
            "rows.unsupported-type: column i: the type interval day to second cannot be mapped "
            "between Connect and Spark\n  → cast it to BIGINT"
        ),
    ),
}


@pytest.mark.parametrize(("rows", "text"), REFUSED.values(), ids=REFUSED)
def test_a_spark_type_that_connect_has_not_is_refused_with_its_column_and_the_fix(rows, text):
    """The text as a user reads it."""
    with pytest.raises(DataError) as caught:
        arrow_schema_of(rows)

    assert render(caught.value) == text


@pytest.mark.parametrize(
    "found", [pa.uint8(), pa.float16(), pa.duration("us"), pa.timestamp("us"), pa.null()], ids=str
)
def test_an_arrow_type_that_connect_has_not_is_refused(found):
    """Unsigned integers among them."""
    with pytest.raises(DataError, match=r"column n\.x: the type") as caught:
        connect_schema(pa.struct([pa.field("x", found)]), "n", optional=False)

    assert caught.value.hint.startswith(("cast it", "give the column"))


def test_the_documented_table_has_every_row():
    """It is made of the table that the code uses."""
    lines = mapping_table().splitlines()

    assert len(lines) == len(MAPPING) + 2
    assert "| INT8 | TINYINT |  |" in lines


def test_the_page_about_dataframes_has_the_table():
    """As the code makes it: paste what `mapping_table` gives after a change."""
    page = Path(__file__).parents[4] / "docs/how-to/dataframes.md"

    assert mapping_table() in page.read_text("utf-8")
