"""Source and sink over PostgreSQL, filled and read back by psycopg."""

from __future__ import annotations

import datetime as dt
import math
import traceback
from decimal import Decimal as Exact

import pytest
from psycopg import sql
from tests.plugin_path.sql.driving import Reporter, copied, record, rows_of, sink, source

from plugwright import (
    STRING_SCHEMA,
    DataError,
    Date,
    Decimal,
    RetriableError,
    SchemaBuilder,
    Struct,
    Time,
    Timestamp,
    TopicPartition,
)
from plugwright_conformance.subject.kits import kit_driver

pytestmark = pytest.mark.slow

HOME = TopicPartition("t", 0)
CREATES = {"auto_create": "true", "auto_evolve": "true"}


@pytest.fixture
def url(postgres):
    """The database, as SQLAlchemy names it."""
    return postgres.plugwright_url


def _rows(postgres, query):
    return postgres.execute(query).fetchall()


FIELDS = (
    ("a", SchemaBuilder.bool(), True),
    ("b", SchemaBuilder.int8(), -128),
    ("c", SchemaBuilder.int64(), -(2**63)),
    ("d", SchemaBuilder.float32(), 0.5),
    ("e", SchemaBuilder.float64(), -math.inf),
    ("f", SchemaBuilder.bytes(), b"\x00\xff"),
    ("g", Decimal.builder(2), Exact("12345678901234567890.10")),
    ("h", Date.builder(), dt.date(9999, 12, 31)),
    ("i", Time.builder(), dt.time(23, 59, 59, 999000)),
    ("j", Timestamp.builder(), dt.datetime(9999, 12, 31, 23, 59, 59, 999000, dt.UTC)),
    ("k", SchemaBuilder.string(), "\U0001f9ea '; DROP TABLE t; -- %s %"),
    ('l%"', SchemaBuilder.string().optional(), None),
)


def _everything():
    schema = SchemaBuilder.struct()
    for name, builder, _ in FIELDS:
        schema.field(name, builder)
    value = Struct(schema.build())
    for name, _, each in FIELDS:
        value.put(name, each)
    return value


def test_every_type_is_stored_in_a_column_of_its_own(url, postgres):
    """And comes back as the same value."""
    with sink(url, pk_mode="kafka", **CREATES) as task:
        task.put([record(_everything())])
    (row,) = _rows(postgres, "SELECT * FROM t")
    assert list(row[3:]) == [
        True, -128, -(2**63), 0.5, -math.inf, b"\x00\xff", Exact("12345678901234567890.10"),
        dt.date(9999, 12, 31), dt.time(23, 59, 59, 999000),
        dt.datetime(9999, 12, 31, 23, 59, 59, 999000),  # noqa: DTZ001  # the column has no zone
        "\U0001f9ea '; DROP TABLE t; -- %s %", None,
    ]  # fmt: skip
    types = _rows(
        postgres,
        "SELECT column_name, data_type FROM information_schema.columns"
        " WHERE table_name = 't' ORDER BY ordinal_position",
    )
    assert dict(types[3:]) == {
        "a": "boolean",
        "b": "smallint",
        "c": "bigint",
        "d": "real",
        "e": "double precision",
        "f": "bytea",
        "g": "numeric",
        "h": "date",
        "i": "time without time zone",
        "j": "timestamp without time zone",
        "k": "text",
        'l%"': "text",
    }
    with source(
        url, mode="incrementing", incrementing_column_name="__connect_offset", table_whitelist="t"
    ) as task:
        (found,) = rows_of(copied(task))
    assert {name: found[name] for name, _, _ in FIELDS} == {n: value for n, _, value in FIELDS}


def test_columns_of_postgresql_become_connect_types(url, postgres):
    """With scale, nullability and time zone."""
    postgres.execute(
        "CREATE TABLE s (id bigserial PRIMARY KEY, n numeric(12,3), j jsonb, u uuid,"
        " z timestamptz, v varchar(9) NOT NULL)"
    )
    postgres.execute(
        "INSERT INTO s (n, j, u, z, v) VALUES (1.5, '{\"a\": 1}',"
        " '00000000-0000-0000-0000-00000000000a', '2024-07-01 12:00:00+02', 'x')"
    )
    with source(url, mode="incrementing", table_whitelist="s") as task:
        (one,) = copied(task)
    assert rows_of([one]) == [
        {
            "id": 1,
            "n": Exact("1.500"),
            "j": '{"a": 1}',
            "u": "00000000-0000-0000-0000-00000000000a",
            "z": dt.datetime(2024, 7, 1, 10, tzinfo=dt.UTC),
            "v": "x",
        }
    ]
    assert one.value_schema.field("n").schema == Decimal.builder(3).optional().build()
    assert one.value_schema.field("v").schema == STRING_SCHEMA


@pytest.mark.parametrize("column", ["timestamp", "timestamptz"])
def test_rows_are_read_on_by_timestamp_and_number(url, postgres, column):
    """To the microsecond, with and without a time zone."""
    postgres.execute(f"CREATE TABLE s (id int PRIMARY KEY, at {column} NOT NULL)")
    postgres.execute("SET TIME ZONE 'UTC'")
    postgres.execute(
        "INSERT INTO s SELECT n, '2024-01-01 00:00:00.000001'::timestamp"
        " + (n / 3) * interval '1 microsecond' FROM generate_series(1, 9) n"
    )
    settings = {
        "mode": "timestamp+incrementing",
        "incrementing_column_name": "id",
        "timestamp_column_name": "at",
        "table_whitelist": "s",
        "batch_max_rows": "2",
    }
    with source(url, **settings) as task:
        records = copied(task, 9)
    assert [row["id"] for row in rows_of(records)] == list(range(1, 10))
    for number, each in enumerate(records, 2):
        with source(url, stored=[(each.source_partition, each.source_offset)], **settings) as task:
            assert [row["id"] for row in rows_of(copied(task, 6))] == list(range(number, 10))


def test_upserts_deletes_offsets_and_widening(url, postgres):
    """The statements of this database."""
    narrow = SchemaBuilder.struct().field("id", SchemaBuilder.int32()).build()
    wide = (
        SchemaBuilder.struct()
        .field("id", SchemaBuilder.int32())
        .field("n", SchemaBuilder.int64().optional())
        .build()
    )
    middle = (
        SchemaBuilder.struct()
        .field("id", SchemaBuilder.int32())
        .field("n", SchemaBuilder.int32().optional())
        .build()
    )
    settings = {
        **CREATES,
        "insert_mode": "upsert",
        "pk_mode": "record_key",
        "delete_enabled": "true",
    }
    keys = [Struct(narrow).put("id", number) for number in (1, 2)]
    with sink(url, partitions=[HOME], **settings) as task:
        task.put(
            [
                record(Struct(middle).put("id", 1).put("n", 5), 0, key=keys[0]),
                record(Struct(wide).put("id", 1).put("n", 2**40), 1, key=keys[0]),
                record(Struct(wide).put("id", 2).put("n", 7), 2, key=keys[1]),
                record(None, 3, key=keys[1]),
            ]
        )
    assert _rows(postgres, "SELECT * FROM t") == [(1, 2**40)]
    assert _rows(postgres, "SELECT * FROM plugwright_offsets") == [("c", "t", 0, 4)]
    with sink(url, partitions=[HOME], **settings) as task:
        assert task.context.rewinds == {HOME: 4}


def test_refused_rows_are_reported_with_table_and_column(url, postgres):
    """The others of the transaction are written."""
    postgres.execute("CREATE TABLE t (id int PRIMARY KEY, name varchar(3) NOT NULL)")
    schema = (
        SchemaBuilder.struct()
        .field("id", SchemaBuilder.int32())
        .field("name", SchemaBuilder.string().optional())
        .build()
    )
    texts = ["a", "long", None, "nu\x00", "b", "\ud800"]
    batch = [
        record(Struct(schema).put("id", n).put("name", text), n) for n, text in enumerate(texts)
    ]
    reporter = Reporter()
    with sink(url, reporter=reporter, partitions=[HOME]) as task:
        task.put(batch)
    assert _rows(postgres, "SELECT * FROM t ORDER BY id") == [(0, "a"), (4, "b")]
    assert [each.original_kafka_offset for each, _ in reporter.reported] == [1, 2, 3, 5]
    assert {type(error) for _, error in reporter.reported} == {DataError}
    for _, error in reporter.reported[1:]:
        assert "table t, column name" in str(error)


def test_the_row_that_is_refused_is_in_no_traceback(url, postgres):
    """This database tells it in the detail of its error."""
    postgres.execute("CREATE TABLE t (id int, name varchar(30) CHECK (id > 0))")
    schema = (
        SchemaBuilder.struct()
        .field("id", SchemaBuilder.int32())
        .field("name", SchemaBuilder.string())
        .build()
    )
    row = Struct(schema).put("id", -5).put("name", "of nobody's concern")
    with sink(url, partitions=[HOME]) as task, pytest.raises(DataError) as caught:
        task.put([record(row, 0)])
    shown = "".join(traceback.format_exception(caught.value))
    assert "violates check constraint" in shown
    assert "of nobody" not in shown
    assert "INSERT INTO" not in shown


def test_a_lost_connection_is_made_again(url, postgres):
    """The batch comes again."""
    one = Struct(SchemaBuilder.struct().field("id", SchemaBuilder.int32()).build()).put("id", 1)
    with sink(url, partitions=[HOME], **CREATES) as task:
        task.put([record(one, 0)])
        postgres.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND datname = current_database()"
        )
        with pytest.raises(RetriableError):
            task.put([record(one, 1)])
        task.put([record(one, 1)])
    assert _rows(postgres, "SELECT id FROM t") == [(1,), (1,)]


def test_the_table_kit_of_the_suite_keeps_runs_apart(postgres, url, tmp_path):
    """Each has a table of its own, which psycopg can see and which goes when it stops."""
    options = {"kit": "table", "url": url, "value": "body", "settings": {"t": "{table}"}}
    first, second = (kit_driver(options)(tmp_path / name) for name in ("a", "b"))
    tables = [each.start()["t"] for each in (first, second)]
    first.seed(["eins", "Ünicode \u2028", "x" * 1_000_000])

    query = sql.SQL("SELECT id, left(body, 9) FROM {} ORDER BY id")
    found = postgres.execute(query.format(sql.Identifier(tables[0]))).fetchall()
    assert found == [(1, "eins"), (2, "Ünicode \u2028"), (3, "xxxxxxxxx")]
    assert first.read_back() == ["eins", "Ünicode \u2028", "x" * 1_000_000]
    assert (second.read_back(), second.refuse()) == ([], ())
    first.stop()
    assert _rows(postgres, "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'") == [
        (tables[1],)
    ]
