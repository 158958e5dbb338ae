"""The sink over SQLite, read back by Python's own module."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal as Exact

import pytest
from tests.plugin_path.sql.driving import Reporter, record, sink

from plugwright import (
    STRING_SCHEMA,
    ConfigError,
    ConnectError,
    DataError,
    Date,
    Decimal,
    RetriableError,
    SchemaBuilder,
    SinkRecord,
    Struct,
    Time,
    Timestamp,
    TopicPartition,
)
from plugwright_sql import SqlSinkConnector

HOME = TopicPartition("t", 0)
ROW = (
    SchemaBuilder.struct()
    .name("Row")
    .field("id", SchemaBuilder.int64())
    .field("name", SchemaBuilder.string().optional())
    .build()
)
KEY = SchemaBuilder.struct().field("id", SchemaBuilder.int64()).build()
CREATES = {"auto_create": "true"}
KEYED = {**CREATES, "pk_mode": "record_value", "pk_fields": "id"}
DELETES = {**CREATES, "pk_mode": "record_key", "insert_mode": "upsert", "delete_enabled": "true"}


def _row(number, name=None):
    return Struct(ROW).put("id", number).put("name", name)


def _key(number):
    return Struct(KEY).put("id", number)


def _tombstone(number, offset):
    return SinkRecord("t", 0, KEY, _key(number), None, None, offset)


def test_rows_go_into_the_table_of_their_topic(url, run):
    """Which is created with a column for each field."""
    with sink(url, **CREATES) as task:
        task.put([record(_row(1, "a"), 0), record(_row(2), 1), record(_row(1), 2, topic="u")])
    assert run("SELECT * FROM t") == [(1, "a"), (2, None)]
    assert run("SELECT * FROM u") == [(1, None)]
    assert run("SELECT name, type, \"notnull\", pk FROM pragma_table_info('t')") == [
        ("id", "BIGINT", 1, 0),
        ("name", "TEXT", 0, 0),
    ]


def test_the_name_of_the_table_follows_the_format(url, run):
    """And a topic with dots is one name."""
    with sink(url, table_name_format="kafka_${topic}", **CREATES) as task:
        task.put([record(_row(1))])
    with sink(url, **CREATES) as task:
        task.put([record(_row(1), topic='a.b"c')])
    tables = {name for (name,) in run("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert tables == {"kafka_t", 'a.b"c', "plugwright_offsets"}


def test_upsert_updates_the_row_of_the_same_key(url, run):
    """Within a batch, too."""
    with sink(url, insert_mode="upsert", **KEYED) as task:
        task.put([record(_row(1, "a"), 0), record(_row(2, "b"), 1), record(_row(1, "c"), 2)])
        task.put([record(_row(2, "d"), 3)])
    assert run("SELECT * FROM t ORDER BY id") == [(1, "c"), (2, "d")]


def test_update_changes_rows_and_makes_none(url, run):
    """As the statement does."""
    run("CREATE TABLE t (id BIGINT PRIMARY KEY, name TEXT)", "INSERT INTO t VALUES (1, 'a')")
    with sink(url, insert_mode="update", **KEYED) as task:
        task.put([record(_row(1, "A"), 0), record(_row(2, "B"), 1)])
    assert run("SELECT * FROM t") == [(1, "A")]


def test_a_tombstone_deletes_the_row_of_its_key_in_its_turn(url, run):
    """What comes after it is written again."""
    with sink(url, **DELETES) as task:
        task.put(
            [
                record(_row(1, "a"), 0, key=_key(1)),
                record(_row(2, "b"), 1, key=_key(2)),
                _tombstone(1, 2),
                _tombstone(2, 3),
                record(_row(2, "c"), 4, key=_key(2)),
            ]
        )
    assert run("SELECT * FROM t") == [(2, "c")]


def test_a_tombstone_is_refused_where_nothing_is_deleted(url):
    """Naming its place."""
    with sink(url, **CREATES) as task, pytest.raises(DataError, match=r"t-0@7.*no value"):
        task.put([_tombstone(1, 7)])


def test_the_coordinates_can_be_the_key(url, run):
    """Under the names of the JDBC connector."""
    with sink(url, pk_mode="kafka", **CREATES) as task:
        task.put([record(_row(1, "a"), 5, partition=3)])
    assert run("SELECT * FROM t") == [("t", 3, 5, 1, "a")]
    assert run("SELECT name FROM pragma_table_info('t') WHERE pk > 0 ORDER BY pk") == [
        ("__connect_topic",),
        ("__connect_partition",),
        ("__connect_offset",),
    ]


def test_a_key_without_fields_fills_one_column(url, run):
    """That of pk.fields."""
    with sink(url, pk_mode="record_key", pk_fields="k", **CREATES) as task:
        task.put([SinkRecord("t", 0, STRING_SCHEMA, "key", ROW, _row(1, "a"), 0)])
    assert run("SELECT * FROM t") == [("key", 1, "a")]


def test_fields_can_be_left_out(url, run):
    """Those of the key stay."""
    wide = SchemaBuilder.struct()
    for name in ("id", "a", "b"):
        wide.field(name, SchemaBuilder.int32())
    value = Struct(wide.build())
    for name in ("id", "a", "b"):
        value.put(name, 1)
    with sink(url, fields_whitelist="b", **KEYED) as task:
        task.put([record(value)])
    assert run("SELECT name FROM pragma_table_info('t')") == [("id",), ("b",)]


def test_values_without_fields_have_one_column_if_it_is_named(url, run):
    """Otherwise they are refused."""
    text = SinkRecord("t", 0, None, None, STRING_SCHEMA, "line", 0)
    with sink(url, value_column_name="line", **CREATES) as task:
        task.put([text])
    assert run("SELECT * FROM t") == [("line",)]
    with sink(url, **CREATES) as task, pytest.raises(DataError, match="found str"):
        task.put([text])


def test_every_type_is_stored_as_sqlite_has_it(url, run):
    """What it has no type for is text that sorts."""
    schema, put = SchemaBuilder.struct(), {}
    for name, builder, value in (
        ("a", SchemaBuilder.bool(), True),
        ("b", SchemaBuilder.int8(), -128),
        ("c", SchemaBuilder.float32(), 0.5),
        ("d", SchemaBuilder.float64(), 1.7976931348623157e308),
        ("e", SchemaBuilder.bytes(), b"\x00\xff"),
        ("f", Decimal.builder(2), Exact("12345678901234567890.10")),
        ("g", Date.builder(), dt.date(1, 1, 1)),
        ("h", Time.builder(), dt.time(2, 30, 0, 5000)),
        ("i", Timestamp.builder(), dt.datetime(1, 1, 1, 0, 0, 1, tzinfo=dt.UTC)),
        ("j", SchemaBuilder.string(), "nul\x00 \U0001f9ea '; DROP TABLE t; --"),
    ):
        schema.field(name, builder)
        put[name] = value
    value = Struct(schema.build())
    for name, each in put.items():
        value.put(name, each)
    with sink(url, **CREATES) as task:
        task.put([record(value)])
    assert run("SELECT * FROM t") == [
        (
            1,
            -128,
            0.5,
            1.7976931348623157e308,
            b"\x00\xff",
            "12345678901234567890.10",
            "0001-01-01",
            "02:30:00.005",
            "0001-01-01 00:00:01.000",
            "nul\x00 \U0001f9ea '; DROP TABLE t; --",
        )
    ]


def test_timestamps_are_written_in_the_zone_of_the_database(url, run):
    """Where they bear none."""
    schema = SchemaBuilder.struct().field("at", Timestamp.builder()).build()
    value = Struct(schema).put("at", dt.datetime(2024, 7, 1, 12, tzinfo=dt.UTC))
    with sink(url, db_timezone="Europe/Berlin", **CREATES) as task:
        task.put([record(value)])
    assert run("SELECT * FROM t") == [("2024-07-01 14:00:00.000",)]


def test_missing_columns_are_added(url, run):
    """Rows of the old and the new schema stand side by side, in one batch, too."""
    new = (
        SchemaBuilder.struct()
        .field("id", SchemaBuilder.int64())
        .field("size", SchemaBuilder.int32().optional().default(7))
        .field("note", SchemaBuilder.string().optional())
        .build()
    )
    late = Struct(new).put("id", 2).put("size", 3).put("note", "late")
    with sink(url, auto_evolve="true", **CREATES) as task:
        task.put([record(_row(1, "a"), 0), record(late, 1), record(_row(3, "c"), 2)])
    assert run("SELECT id, name, size, note FROM t ORDER BY id") == [
        (1, "a", 7, None),
        (2, None, 3, "late"),
        (3, "c", 7, None),
    ]


@pytest.mark.parametrize(
    ("table", "settings", "words"),
    [
        (None, {}, ["table t does not exist", "auto.create"]),
        ("CREATE TABLE t (id BIGINT)", {}, ["table t", "no column name", "auto.evolve"]),
        (
            "CREATE TABLE t (name TEXT)",
            {"auto_evolve": "true"},
            ["table t", "no column id", "required"],
        ),
        (
            "CREATE TABLE t (id TEXT, name TEXT)",
            {},
            ["table t, column id", "TEXT", "int64"],
        ),
        (
            "CREATE TABLE t (id BIGINT, name TEXT CHECK (name <> 'a'))",
            {},
            ["t-0@0", "table t", "CHECK constraint failed"],
        ),
        (
            "CREATE TABLE t (id BIGINT, name TEXT, other TEXT NOT NULL)",
            {},
            ["table t", "t.other", "NOT NULL"],
        ),
    ],
)
def test_what_the_table_does_not_take_is_named_with_table_and_column(
    url, run, table, settings, words
):
    """And nothing is written."""
    if table is not None:
        run(table)
    with sink(url, **settings) as task, pytest.raises(ConnectError) as caught:
        task.put([record(_row(1, "a"))])
    said = f"{caught.value} {caught.value.hint}"
    assert [word for word in words if word not in said] == []
    if table is not None:
        assert run("SELECT count(*) FROM t") == [(0,)]


def test_records_that_cannot_be_written_are_reported_and_the_others_written(url, run):
    """Wherever they stand, whichever part refuses them."""
    run("CREATE TABLE t (id BIGINT PRIMARY KEY, name TEXT CHECK (name <> 'bad'))")
    other = Struct(SchemaBuilder.struct().field("id", STRING_SCHEMA).build()).put("id", "x")
    batch = [
        record(_row(1, "bad"), 0),
        record(_row(2, "b"), 1),
        record(_row(2, "again"), 2),
        record(other, 3),
        _tombstone(4, 4),
        record(_row(3, "c"), 5),
        record(_row(4, "bad"), 6),
    ]
    reporter = Reporter()
    with sink(url, reporter=reporter, partitions=[HOME]) as task:
        task.put(batch)
        assert task.pre_commit({HOME: 7}) == {HOME: 7}

    assert run("SELECT * FROM t ORDER BY id") == [(2, "b"), (3, "c")]
    assert sorted(each.original_kafka_offset for each, _ in reporter.reported) == [0, 2, 3, 4, 6]
    assert {type(error) for _, error in reporter.reported} == {DataError}


def test_a_text_without_utf_8_is_refused_with_its_column(url, run):
    """Half of a surrogate pair, as JSON may have it; the records beside it are written."""
    run("CREATE TABLE t (id BIGINT, name TEXT NOT NULL)")
    texts = ["a", "\ud800", "b"]
    batch = [record(_row(number, text), number) for number, text in enumerate(texts)]
    reporter = Reporter()
    with sink(url, reporter=reporter, partitions=[HOME]) as task:
        task.put(batch)
    with sink(url, partitions=[HOME]) as task, pytest.raises(DataError) as caught:
        task.put([record(_row(9, "\ud800"), 3)])

    assert run("SELECT * FROM t ORDER BY id") == [(0, "a"), (2, "b")]
    assert [each.original_kafka_offset for each, _ in reporter.reported] == [1]
    assert str(caught.value).startswith("cannot write record t-0@3 to table t, column name: ")


def test_a_locked_table_is_tried_again_and_then_given_up(url, run, path, monkeypatch):
    """With the wait that is set, as often as is set; the records come again."""
    import sqlite3  # noqa: PLC0415  # the one that holds the lock

    from plugwright_sql import database  # noqa: PLC0415  # whose patience is too long here

    monkeypatch.setattr(database, "_BUSY_S", 0.0)
    run("CREATE TABLE t (id BIGINT, name TEXT)")
    other = sqlite3.connect(path, isolation_level=None)
    with sink(url, max_retries="2", retry_backoff_ms="7", partitions=[HOME]) as task:
        other.execute("BEGIN EXCLUSIVE")
        for _ in range(2):
            with pytest.raises(RetriableError, match=r"table t: database is locked"):
                task.put([record(_row(1))])
            assert task.pre_commit({HOME: 1}) == {}
        with pytest.raises(ConnectError, match="after 2 retries") as caught:
            task.put([record(_row(1))])
        assert not caught.value.retriable
        assert task.context.timeouts == [7, 7]
        other.execute("ROLLBACK")
        task.put([record(_row(1))])
        assert task.pre_commit({HOME: 1}) == {HOME: 1}
    other.close()
    assert run("SELECT id FROM t") == [(1,)]


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        ({"insert.mode": "upsert"}, "pk.mode"),
        ({"insert.mode": "update"}, "pk.mode"),
        ({"delete.enabled": "true"}, "delete.enabled"),
        ({"pk.mode": "kafka", "pk.fields": "a,b"}, "pk.fields"),
        ({"db.timezone": "Mars/Olympus"}, "db.timezone"),
        ({"connection.url": "jdbc:oracle:thin:@localhost:1521:orcl"}, "connection.url"),
        ({"connection.url": "jdbc:sqlite::memory:"}, "connection.url"),
    ],
)
def test_settings_that_exclude_each_other_are_refused(url, settings, key):
    """By validation, and by the start."""
    props = {"connection.url": url, **settings}
    values = SqlSinkConnector().validate(props)
    assert [value.name for value in values if value.error_messages] == [key]
    with pytest.raises(ConfigError):
        SqlSinkConnector().start(props)


def test_a_text_with_nul_is_not_blamed_for_another_column(url, run):
    """SQLite stores the character; only PostgreSQL's driver refuses it, and names no column."""
    run("CREATE TABLE t (name TEXT, city TEXT NOT NULL)")
    schema = (
        SchemaBuilder.struct()
        .field("name", SchemaBuilder.string())
        .field("city", SchemaBuilder.string().optional())
        .build()
    )
    row = Struct(schema).put("name", "nu\x00")
    with sink(url) as task, pytest.raises(DataError) as caught:
        task.put([record(row)])
    assert "t.city" in str(caught.value)
    assert "column name" not in str(caught.value)
