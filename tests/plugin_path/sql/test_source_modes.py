"""The source in its modes, over SQLite, filled by Python's own module."""

from __future__ import annotations

import datetime as dt
import json

import pytest
from tests.plugin_path.sql.driving import copied, rows_of, source

from plugwright import ConnectError, ExactlyOnceSupport
from plugwright_sql import SqlSourceConnector

pytestmark = pytest.mark.slow

ORDERS = "CREATE TABLE orders (id INTEGER PRIMARY KEY AUTOINCREMENT, item TEXT NOT NULL)"
CHANGES = "CREATE TABLE changes (id INTEGER PRIMARY KEY, item TEXT, changed TIMESTAMP NOT NULL)"
BOTH = {"mode": "timestamp+incrementing", "incrementing_column_name": "id"}


def _items(records):
    return [row["item"] for row in rows_of(records)]


def _insert(run, *rows):
    for number, item, changed in rows:
        run(f"INSERT INTO changes VALUES ({number}, '{item}', '{changed}')")


def test_rows_come_in_the_order_of_their_numbers_and_later_ones_after_them(url, run):
    """Offset, partition and topic are those of the row's table."""
    run(ORDERS, "INSERT INTO orders VALUES (7, 'b'), (3, 'a')")
    with source(url, mode="incrementing") as task:
        first = copied(task)
        run("INSERT INTO orders (item) VALUES ('c')")
        second = copied(task)

    assert _items(first) == ["a", "b"]
    assert [(r.source_partition, r.source_offset, r.topic) for r in first + second] == [
        ({"table": "orders"}, {"incrementing": 3}, "p-orders"),
        ({"table": "orders"}, {"incrementing": 7}, "p-orders"),
        ({"table": "orders"}, {"incrementing": 8}, "p-orders"),
    ]


@pytest.mark.parametrize("size", ["1", "2", "3", "100"])
def test_no_size_of_batches_loses_or_repeats_a_row(url, run, size):
    """Each poll goes on where the one before it stopped."""
    run(ORDERS, *(f"INSERT INTO orders (item) VALUES ('{n}')" for n in range(7)))
    with source(url, mode="incrementing", batch_max_rows=size) as task:
        assert _items(copied(task, 10)) == ["0", "1", "2", "3", "4", "5", "6"]


def test_every_stored_offset_is_gone_on_from(url, run):
    """The rest after each record, exactly."""
    run(ORDERS, *(f"INSERT INTO orders (item) VALUES ('{n}')" for n in range(5)))
    with source(url, mode="incrementing") as task:
        records = copied(task)
    for number, each in enumerate(records, 1):
        stored = [(each.source_partition, json.loads(json.dumps(each.source_offset)))]
        with source(url, mode="incrementing", stored=stored) as task:
            assert _items(copied(task)) == [str(n) for n in range(number, 5)]


def test_a_row_that_changes_comes_again_by_its_timestamp(url, run):
    """In both modes that read timestamps."""
    for settings in ({"mode": "timestamp"}, BOTH):
        run("DROP TABLE IF EXISTS changes", CHANGES)
        _insert(run, (1, "a", "2024-01-01 00:00:00"), (2, "b", "2024-01-01 00:00:01"))
        with source(url, timestamp_column_name="changed", **settings) as task:
            assert _items(copied(task)) == ["a", "b"]
            run("UPDATE changes SET item = 'A', changed = '2024-01-02 00:00:00' WHERE id = 1")
            assert _items(copied(task)) == ["A"]


def test_rows_of_one_moment_are_distinguished_by_their_numbers(url, run):
    """A stop between them loses none and repeats none."""
    run(CHANGES)
    _insert(run, *((n, str(n), "2024-01-01 00:00:00.123") for n in range(1, 6)))
    settings = {**BOTH, "timestamp_column_name": "changed", "batch_max_rows": "2"}
    with source(url, **settings) as task:
        records = copied(task)
    assert _items(records) == ["1", "2", "3", "4", "5"]
    assert records[2].source_offset == {
        "timestamp": 1704067200123,
        "timestamp_nanos": 123000000,
        "incrementing": 3,
    }
    stored = [(records[2].source_partition, records[2].source_offset)]
    with source(url, stored=stored, **settings) as task:
        assert _items(copied(task)) == ["4", "5"]


def test_without_numbers_rows_of_one_moment_are_not_divided(url, run):
    """An offset never points between them: after a stop they come again, none is lost."""
    run(CHANGES)
    _insert(run, (1, "a", "2024-01-01 00:00:00"))
    _insert(run, *((n, str(n), "2024-01-01 00:00:05") for n in range(2, 6)))
    _insert(run, (9, "z", "2024-01-01 00:00:09"))
    settings = {"mode": "timestamp", "timestamp_column_name": "changed", "batch_max_rows": "2"}
    with source(url, **settings) as task:
        records = copied(task)
    assert _items(records) == ["a", "2", "3", "4", "5", "z"]
    assert [r.source_offset["timestamp"] - 1704067200000 for r in records] == [
        0, 0, 0, 0, 5000, 9000,
    ]  # fmt: skip
    stored = [(records[2].source_partition, records[2].source_offset)]
    with source(url, stored=stored, **settings) as task:
        assert _items(copied(task)) == ["2", "3", "4", "5", "z"]


def test_a_row_waits_for_the_delay_window(url, run):
    """So that a transaction that began earlier can end."""
    run(CHANGES)
    now = dt.datetime.now(dt.UTC)
    for number, age_s in ((1, 7200), (2, 10), (3, -7200)):
        moment = (now - dt.timedelta(seconds=age_s)).strftime("%Y-%m-%d %H:%M:%S")
        _insert(run, (number, str(number), moment))
    settings = {**BOTH, "timestamp_column_name": "changed"}
    with source(url, timestamp_delay_interval_ms="3600000", **settings) as task:
        assert _items(copied(task)) == ["1"]
    with source(url, **settings) as task:
        assert _items(copied(task)) == ["1", "2"]


def test_the_first_timestamp_that_is_not_null_counts(url, run):
    """Created, then changed."""
    run(
        "CREATE TABLE changes (id INTEGER PRIMARY KEY, item TEXT, changed TIMESTAMP,"
        " created TIMESTAMP NOT NULL)",
        "INSERT INTO changes VALUES (1, 'a', NULL, '2024-01-02'), (2, 'b', '2024-01-01',"
        " '2023-01-01')",
    )
    with source(url, timestamp_column_name="changed,created", **BOTH) as task:
        assert _items(copied(task)) == ["b", "a"]


def test_an_initial_timestamp_leaves_older_rows_out(url, run):
    """Unless an offset is stored."""
    run(CHANGES)
    _insert(run, (1, "old", "2020-01-01"), (2, "new", "2024-01-01"))
    settings = {**BOTH, "timestamp_column_name": "changed"}
    with source(url, timestamp_initial="1600000000000", **settings) as task:
        assert _items(copied(task)) == ["new"]
    stored = [({"table": "changes"}, {"timestamp": 0, "timestamp_nanos": 0, "incrementing": 0})]
    with source(url, timestamp_initial="1600000000000", stored=stored, **settings) as task:
        assert _items(copied(task)) == ["old", "new"]


def test_rows_without_a_number_are_left_out_where_they_may_be(url, run):
    """At the first look, and after it; in both modes that read numbers, of tables and queries."""
    both = {**BOTH, "timestamp_column_name": "changed"}
    table = {"validate_non_null": "false"}
    query = {"query": "SELECT * FROM changes"}
    for settings in ({"mode": "incrementing", "incrementing_column_name": "id"}, both):
        for more in (table, query):
            run("DROP TABLE IF EXISTS changes")
            run("CREATE TABLE changes (id INT, item TEXT, changed TIMESTAMP NOT NULL)")
            _insert(run, ("NULL", "x", "2024-01-01"), (1, "a", "2024-01-02"))
            with source(url, **settings, **more) as task:
                assert _items(copied(task)) == ["a"]
                _insert(run, ("NULL", "y", "2024-01-03"), (2, "b", "2024-01-04"))
                assert _items(copied(task)) == ["b"]


def test_a_number_that_is_none_fails_with_its_place(url, run):
    """SQLite stores any value in any column."""
    run("CREATE TABLE orders (id INT NOT NULL, item TEXT)", "INSERT INTO orders VALUES ('x', 'a')")
    settings = {"mode": "incrementing", "incrementing_column_name": "id"}
    with source(url, **settings) as task, pytest.raises(ConnectError) as caught:
        task.poll()
    assert caught.value.code == "sql.bad-incrementing-column"
    assert "table orders, column id" in str(caught.value)


def test_a_row_that_is_none_does_not_bring_the_others_of_its_moment_again(url, run):
    """What is complete comes once; then the task fails, whatever stands beside the bad row."""
    run("CREATE TABLE changes (id INT NOT NULL, item TEXT, changed TIMESTAMP NOT NULL)")
    _insert(run, (1, "a", "2024-01-01"), (2, "b", "2024-01-02"), ("'bad'", "c", "2024-01-02"))
    with source(url, mode="timestamp", timestamp_column_name="changed") as task:
        assert _items(task.poll()) == ["a"]
        for _ in range(2):
            with pytest.raises(ConnectError, match="column id"):
                copied(task)


def test_whole_tables_come_again_and_again(url, run):
    """Without offsets."""
    run(ORDERS, "INSERT INTO orders (item) VALUES ('a'), ('b'), ('c')")
    with source(url, mode="bulk", batch_max_rows="2", poll_interval_ms="600000") as task:
        records = copied(task, 3)
    with source(url, mode="bulk") as task:
        again = copied(task, 50)
    assert _items(records) == ["a", "b", "c"]
    assert {str(r.source_offset) for r in records} == {"None"}
    assert len(again) > 3


def test_a_query_is_read_on_as_a_table_is(url, run):
    """Under the prefix as its topic."""
    run(
        ORDERS,
        "CREATE TABLE notes (id INTEGER PRIMARY KEY, note TEXT)",
        "INSERT INTO orders (item) VALUES ('a'), ('b')",
        "INSERT INTO notes VALUES (1, 'first'), (2, 'second')",
    )
    query = "SELECT o.id, o.item, n.note FROM orders o JOIN notes n ON n.id = o.id"
    settings = {"mode": "incrementing", "incrementing_column_name": "id", "query": query}
    with source(url, **settings) as task:
        records = copied(task)
        run("INSERT INTO notes VALUES (3, '3 % 2')", "INSERT INTO orders (item) VALUES ('c')")
        records += copied(task)

    assert [row["note"] for row in rows_of(records)] == ["first", "second", "3 % 2"]
    assert {r.topic for r in records} == {"p-"}
    assert records[-1].source_partition == {"query": "query"}
    assert records[-1].source_offset == {"incrementing": 3}


def test_a_new_column_is_in_the_records_from_then_on(url, run):
    """The schema is another one, and nothing is lost."""
    run(ORDERS, "INSERT INTO orders (item) VALUES ('a')")
    with source(url, mode="incrementing") as task:
        copied(task)
        run(
            "ALTER TABLE orders ADD COLUMN price REAL",
            "INSERT INTO orders (item, price) VALUES ('b', 1.5)",
        )
        (found,) = rows_of(copied(task))
    assert found == {"id": 2, "item": "b", "price": 1.5}


@pytest.mark.parametrize(
    ("table", "settings", "words"),
    [
        (
            "CREATE TABLE orders (id INT, item TEXT)",
            {"mode": "incrementing"},
            ["orders", "no column by which the database numbers"],
        ),
        (
            "CREATE TABLE orders (id INT, item TEXT)",
            {"mode": "incrementing", "incrementing_column_name": "id"},
            ["orders", "has id, which may be null"],
        ),
        (
            "CREATE TABLE orders (id INT, item TEXT)",
            {"mode": "incrementing", "incrementing_column_name": "nr"},
            ["orders", "no column nr", "incrementing.column.name"],
        ),
        (
            "CREATE TABLE orders (id INT, item TEXT NOT NULL)",
            {"mode": "timestamp", "timestamp_column_name": "item"},
            ["orders", "item", "TEXT", "not a timestamp"],
        ),
        (
            "CREATE TABLE orders (id INTEGER PRIMARY KEY, place GEOMETRY)",
            {"mode": "incrementing"},
            ["table orders", "column place", "GEOMETRY", "no Connect type"],
        ),
    ],
)
def test_a_table_that_cannot_be_read_is_named_with_its_column(url, run, table, settings, words):
    """The task fails with what to fix."""
    run(table)
    with source(url, **settings) as task, pytest.raises(ConnectError) as caught:
        task.poll()
    assert [word for word in words if word not in str(caught.value)] == []


@pytest.mark.parametrize(
    "offset",
    [
        {},
        {"incrementing": "3"},
        {"incrementing": True},
        {"position": 3},
        {"incrementing": 3, "timestamp": 3, "timestamp_nanos": 0},
    ],
)
def test_a_foreign_offset_is_refused(url, run, offset):
    """By the task, and by the connector when it is altered."""
    run(ORDERS)
    stored = [({"table": "orders"}, offset)]
    with (
        pytest.raises(ConnectError, match="incrementing"),
        source(url, mode="incrementing", stored=stored),
    ):
        pass
    with pytest.raises(ConnectError, match="incrementing"):
        SqlSourceConnector().alter_offsets({"mode": "incrementing"}, stored)


def test_offsets_of_tables_can_be_altered_and_forgotten():
    """Those of other partitions cannot."""
    connector, props = SqlSourceConnector(), {"mode": "incrementing"}
    good = [({"table": "a"}, {"incrementing": 3}), ({"table": "b"}, None)]
    assert connector.alter_offsets(props, good) is True
    with pytest.raises(ConnectError, match="source partition"):
        connector.alter_offsets(props, [({"query": "query"}, {"incrementing": 3})])


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("bulk", ExactlyOnceSupport.UNSUPPORTED),
        ("incrementing", ExactlyOnceSupport.SUPPORTED),
        ("timestamp", ExactlyOnceSupport.SUPPORTED),
        ("timestamp+incrementing", ExactlyOnceSupport.SUPPORTED),
    ],
)
def test_what_has_offsets_is_exactly_once(mode, expected):
    """Bulk has none."""
    assert SqlSourceConnector().exactly_once_support({"mode": mode}) is expected
