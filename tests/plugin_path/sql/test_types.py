"""What types of columns become, and that values come back from the database as they were."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.plugin_path.sql.driving import copied, record, rows_of, sink, source
from tests.plugin_path.sql.typed_values import EDGES, VALUES

from plugwright import (
    DataError,
    Date,
    Decimal,
    SchemaBuilder,
    SchemaType,
    Struct,
    Time,
    Timestamp,
)
from plugwright_sql.kinds import Kind, TableColumn
from plugwright_sql.numeric_mapping import mapped_numeric

pytestmark = pytest.mark.slow

INT8, INT16, INT32, INT64 = Kind.INT8, Kind.INT16, Kind.INT32, Kind.INT64
# Of the JDBC connector, for NUMERIC(precision, scale): none, precision_only, best_fit, eager.
NUMERICS = [
    (1, 0, "decimal", INT8, INT8, INT8),
    (2, 0, "decimal", INT8, INT8, INT8),
    (3, 0, "decimal", INT16, INT16, INT16),
    (4, 0, "decimal", INT16, INT16, INT16),
    (5, 0, "decimal", INT32, INT32, INT32),
    (9, 0, "decimal", INT32, INT32, INT32),
    (10, 0, "decimal", INT64, INT64, INT64),
    (18, 0, "decimal", INT64, INT64, INT64),
    (19, 0, "decimal", "decimal", "decimal", "decimal"),
    (5, 2, "decimal", "decimal", Kind.FLOAT64, Kind.FLOAT64),
    (18, 2, "decimal", "decimal", Kind.FLOAT64, Kind.FLOAT64),
    (19, 2, "decimal", "decimal", "decimal", Kind.FLOAT64),
]


@pytest.mark.parametrize(("precision", "scale", "none", "only", "fit", "eager"), NUMERICS)
def test_numerics_are_mapped_as_the_jdbc_connector_maps_them(  # noqa: PLR0913, PLR0917  # a table
    precision, scale, none, only, fit, eager
):
    """By precision and scale."""
    column = TableColumn("n", "NUMERIC", Kind.DECIMAL, False, scale, precision)
    names = ("none", "precision_only", "best_fit", "best_fit_eager_double")
    for name, expected in zip(names, (none, only, fit, eager), strict=True):
        assert mapped_numeric(column, name).kind is Kind(expected), name


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ("BOOLEAN", SchemaBuilder.bool()),
        ("TINYINT", SchemaBuilder.int64()),
        ("INTEGER", SchemaBuilder.int64()),
        ("UNSIGNED BIG INT", SchemaBuilder.int64()),
        ("REAL", SchemaBuilder.float64()),
        ("DOUBLE PRECISION", SchemaBuilder.float64()),
        ("VARCHAR(20)", SchemaBuilder.string()),
        ("CLOB", SchemaBuilder.string()),
        ("BLOB", SchemaBuilder.bytes()),
        ("NUMERIC(12, 3)", Decimal.builder(3)),
        ("DECIMAL(12)", Decimal.builder(0)),
        ("DECIMAL_TEXT(38,2)", Decimal.builder(2)),
        ("DATE", Date.builder()),
        ("TIME", Time.builder()),
        ("DATETIME", Timestamp.builder()),
    ],
)
def test_columns_of_sqlite_become_connect_types(url, run, declared, expected):
    """Those that may be null are optional."""
    run(
        f"CREATE TABLE s (id INTEGER PRIMARY KEY, a {declared}, b {declared} NOT NULL)",
        f"INSERT INTO s (id, b) VALUES (1, {_sample(declared)})",
    )
    with source(url, mode="incrementing") as task:
        (one,) = copied(task)
    required = expected.build()
    assert one.value_schema.field("b").schema == required
    optional = one.value_schema.field("a").schema
    assert (optional.type, optional.name, optional.optional) == (required.type, required.name, True)


def _sample(declared):
    if "CHAR" in declared or declared == "CLOB":
        return "'x'"
    return {
        "BLOB": "x'00'", "DATE": "'2024-02-29'", "TIME": "'02:30:00'",
        "DATETIME": "'2024-02-29 02:30:00'",
    }.get(declared, "1")  # fmt: skip


@pytest.mark.parametrize(
    ("declared", "value", "words"),
    [
        ("BIGINT", "'many'", ["table s", "column a", "BIGINT", "str 'many'"]),
        ("DATE", "'yesterday'", ["table s", "column a", "DATE"]),
        ("DECIMAL(5,2)", "1.005", ["table s", "column a", "DECIMAL(5,2)"]),
        ("TEXT", "x'00'", ["table s", "column a", "TEXT", "bytes"]),
        ("BOOLEAN", "2", ["table s", "column a", "BOOLEAN", "int 2"]),
    ],
)
def test_a_value_of_another_type_is_named_and_those_before_it_come(
    url, run, declared, value, words
):
    """SQLite stores anything anywhere."""
    run(
        f"CREATE TABLE s (id INTEGER PRIMARY KEY, a {declared})",
        f"INSERT INTO s VALUES (1, NULL), (2, {value})",
    )
    with source(url, mode="incrementing") as task:
        assert [row["id"] for row in rows_of(task.poll())] == [1]
        with pytest.raises(DataError) as caught:
            copied(task)
    assert [word for word in words if word not in str(caught.value)] == []


@pytest.mark.parametrize("name", VALUES)
@settings(
    max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_values_come_back_from_the_database_as_they_were(tmp_path_factory, name, data):
    """Through the sink and the source; null, too."""
    builder, strategy = VALUES[name]
    values = [*EDGES.get(name, ()), *data.draw(st.lists(strategy, max_size=6)), None]
    schema = SchemaBuilder.struct().field("v", builder().optional()).build()
    url = f"jdbc:sqlite:{tmp_path_factory.mktemp('db') / 'shop.sqlite'}"
    with sink(url, auto_create="true", pk_mode="kafka") as task:
        task.put([record(Struct(schema).put("v", v), n) for n, v in enumerate(values)])
    with source(
        url, mode="incrementing", incrementing_column_name="__connect_offset", table_whitelist="t"
    ) as task:
        found = [row["v"] for row in rows_of(copied(task))]
    assert found == values
    assert [type(value) for value in found] == [type(value) for value in values]


def test_not_a_number_is_refused_where_it_would_become_null(url):
    """SQLite has no NaN."""
    schema = SchemaBuilder.struct().field("v", SchemaBuilder.float64()).build()
    with (
        sink(url, auto_create="true") as task,
        pytest.raises(DataError, match="table t, column v: nan"),
    ):
        task.put([record(Struct(schema).put("v", float("nan")))])


@pytest.mark.parametrize("kind", [SchemaType.ARRAY, SchemaType.MAP, SchemaType.STRUCT])
def test_what_no_column_takes_is_refused_with_its_name(url, kind):
    """Before anything is made."""
    inner = {
        SchemaType.ARRAY: (SchemaBuilder.array(SchemaBuilder.int32().build()), [1]),
        SchemaType.MAP: (
            SchemaBuilder.map(SchemaBuilder.string().build(), SchemaBuilder.int32().build()),
            {"a": 1},
        ),
        SchemaType.STRUCT: (SchemaBuilder.struct().field("x", SchemaBuilder.int32()), None),
    }
    builder, value = inner[kind]
    built = builder.optional().build()
    schema = SchemaBuilder.struct().field("v", built).build()
    with (
        sink(url, auto_create="true") as task,
        pytest.raises(DataError, match=f"t-0@0 for table t has {kind.name} for column v"),
    ):
        task.put([record(Struct(schema).put("v", value))])
