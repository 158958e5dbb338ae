"""Source and sink over MariaDB, filled and read back by PyMySQL."""

from __future__ import annotations

import datetime as dt

import pytest
from tests.plugin_path.sql.driving import Reporter, copied, record, rows_of, sink, source

from plugwright import (
    ConnectError,
    DataError,
    RetriableError,
    SchemaBuilder,
    Struct,
    TopicPartition,
)

pytestmark = pytest.mark.slow

HOME = TopicPartition("t", 0)
CREATES = {"auto_create": "true", "auto_evolve": "true"}
ID = SchemaBuilder.struct().field("id", SchemaBuilder.int32()).build()


@pytest.fixture
def url(maria):
    """The database, as SQLAlchemy names it."""
    return maria.plugwright_url


@pytest.fixture
def run(maria):
    """Runs statements, and returns the rows of the last one."""

    def ran(*statements):
        with maria.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            return list(cursor.fetchall())

    return ran


def two(**fields):
    """A struct with an id and a number of another type."""
    builder = SchemaBuilder.struct().field("id", SchemaBuilder.int32())
    (name, (made, value)) = next((n, v) for n, v in fields.items() if n != "id")
    schema = builder.field(name, made.optional()).build()
    return Struct(schema).put("id", fields["id"]).put(name, value)


def test_upserts_deletes_offsets_and_widening(url, run):
    """The statements of this database."""
    settings = {
        **CREATES,
        "insert_mode": "upsert",
        "pk_mode": "record_key",
        "delete_enabled": "true",
    }
    keys = [Struct(ID).put("id", number) for number in (1, 2)]
    values = [
        two(id=1, n=(SchemaBuilder.int32(), 5)),
        two(id=1, n=(SchemaBuilder.int64(), 2**40)),
        two(id=2, n=(SchemaBuilder.int64(), 7)),
        None,
    ]
    batch = [
        record(value, at, key=keys[which])
        for at, (value, which) in enumerate(zip(values, (0, 0, 1, 1), strict=True))
    ]
    with sink(url, partitions=[HOME], **settings) as task:
        task.put(batch)
        task.put(batch)  # they are there
    assert run("SELECT * FROM t") == [(1, 2**40)]
    assert run("SELECT * FROM plugwright_offsets") == [("c", "t", 0, 4)]
    with sink(url, partitions=[HOME], **settings) as task:
        assert task.context.rewinds == {HOME: 4}


def test_updates_change_rows_and_make_none(url, run):
    """The other columns of a row stay."""
    run("CREATE TABLE t (id INT PRIMARY KEY, n INT, m INT)", "INSERT INTO t VALUES (1, 1, 9)")
    with sink(url, insert_mode="update", pk_mode="record_value", pk_fields="id") as task:
        task.put([record(two(id=n, n=(SchemaBuilder.int32(), 5)), n) for n in (1, 2)])
    assert run("SELECT * FROM t") == [(1, 5, 9)]


def test_refused_rows_are_reported_and_the_others_written(url, run):
    """A duplicate, a text that is too long, a null, and a number that is too large."""
    run(
        "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(3) NOT NULL)",
        "INSERT INTO t VALUES (0, 'old')",
    )
    texts = ["dup", "long", None, "a", "b", "\ud800"]
    batch = [
        record(two(id=n, name=(SchemaBuilder.string(), text)), n) for n, text in enumerate(texts)
    ]
    reporter = Reporter()
    with sink(url, reporter=reporter, partitions=[HOME]) as task:
        task.put(batch)
    assert run("SELECT * FROM t ORDER BY id") == [(0, "old"), (3, "a"), (4, "b")]
    assert [each.original_kafka_offset for each, _ in reporter.reported] == [0, 1, 2, 5]
    assert {type(error) for _, error in reporter.reported} == {DataError}
    assert all("table t" in str(error) for _, error in reporter.reported)
    assert "'name'" in str(reporter.reported[1][1])


def test_a_lost_connection_is_made_again(url, run):
    """The batch comes again."""
    one = Struct(ID).put("id", 1)
    with sink(url, partitions=[HOME], **CREATES) as task:
        task.put([record(one, 0)])
        for (number,) in run(
            "SELECT id FROM information_schema.processlist"
            " WHERE id <> CONNECTION_ID() AND db = DATABASE()"
        ):
            run(f"KILL {number}")
        with pytest.raises(RetriableError):
            task.put([record(one, 1)])
        task.put([record(one, 1)])
    assert run("SELECT id FROM t") == [(1,), (1,)]


def test_a_locked_row_is_waited_for_and_then_retried(url, run, maria):
    """The database gives up waiting; the task does not."""
    settings = {"insert_mode": "upsert", "pk_mode": "record_value", "pk_fields": "id"}
    run("CREATE TABLE t (id INT PRIMARY KEY)", "INSERT INTO t VALUES (1)")
    run("SET GLOBAL innodb_lock_wait_timeout = 1", "SET autocommit = 0")
    run("SELECT * FROM t WHERE id = 1 FOR UPDATE")
    with sink(url, **settings) as task:
        with pytest.raises(RetriableError, match="Lock wait timeout"):
            task.put([record(Struct(ID).put("id", 1), 0)])
        maria.rollback()
        task.put([record(Struct(ID).put("id", 1), 0)])


def test_a_missing_privilege_fails_the_task(url, run, maria_socket):
    """With the table, and without trying again."""
    run(
        "CREATE TABLE t (id INT)",
        "CREATE OR REPLACE USER reader IDENTIFIED BY 'secret-word'",
        "GRANT SELECT ON *.* TO reader",
    )
    name = run("SELECT DATABASE()")[0][0]
    other = f"mysql+pymysql://localhost/{name}?unix_socket={maria_socket}"
    login = {"connection_user": "reader", "connection_password": "secret-word"}
    with (
        sink(other, offsets_table_name="", **login) as task,
        pytest.raises(ConnectError, match="denied") as caught,
    ):
        task.put([record(Struct(ID).put("id", 1), 0)])
    assert not caught.value.retriable
    assert "table t" in str(caught.value)
    assert caught.value.hint == "grant the missing privilege to the user of connection.user"
    assert "secret-word" not in str(caught.value)


@pytest.mark.parametrize("column", ["DATETIME(3)", "TIMESTAMP(3)"])
def test_rows_are_read_on_by_timestamp_and_number(url, run, column):
    """From each record's offset, across rows of one moment."""
    run(f"CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, at {column} NOT NULL)")
    run(
        "INSERT INTO t (at) SELECT '2024-01-01 00:00:00.5' + INTERVAL (seq DIV 3) SECOND"
        " FROM seq_1_to_9"
    )
    settings = {
        "mode": "timestamp+incrementing",
        "incrementing_column_name": "id",
        "timestamp_column_name": "at",
        "table_whitelist": "t",
        "batch_max_rows": "4",
    }
    with source(url, **settings) as task:
        records = copied(task, 9)
    assert [row["id"] for row in rows_of(records)] == list(range(1, 10))
    assert rows_of(records)[0]["at"] == dt.datetime(2024, 1, 1, 0, 0, 0, 500_000, dt.UTC)
    for number, each in enumerate(records, 2):
        with source(url, stored=[(each.source_partition, each.source_offset)], **settings) as task:
            assert [row["id"] for row in rows_of(copied(task, 6))] == list(range(number, 10))


def test_the_automatic_number_is_the_incrementing_column(url, run):
    """It need not be named; unsigned columns are one size larger."""
    run(
        "CREATE TABLE t (n INT UNSIGNED AUTO_INCREMENT PRIMARY KEY, big BIGINT UNSIGNED, y YEAR)",
        "INSERT INTO t (n, big, y) VALUES (4294967295, 5, 2024)",
    )
    with source(url, mode="incrementing", table_whitelist="t") as task:
        (found,) = copied(task)
    assert rows_of([found]) == [{"n": 4294967295, "big": 5, "y": 2024}]


@pytest.mark.parametrize("mode", ["bulk", "query"])
def test_views_and_queries_are_read(url, run, mode):
    """A percent sign in a query is no parameter."""
    run("CREATE TABLE t (id INT, name TEXT)", "INSERT INTO t VALUES (1, '5%'), (2, 'x')")
    chosen = (
        {"table_whitelist": "t"}
        if mode == "bulk"
        else {"query": "SELECT * FROM t WHERE name LIKE '5%'"}
    )
    topic = {} if mode == "bulk" else {"topic_prefix": "q"}
    with source(url, mode="bulk", **chosen, **topic) as task:
        found = rows_of(task.poll())
    assert found[0] == {"id": 1, "name": "5%"}
    assert len(found) == (2 if mode == "bulk" else 1)


def test_a_wrong_password_is_said_without_it(url, maria_socket):
    """And what to correct."""
    other = f"mysql+pymysql://localhost/mysql?unix_socket={maria_socket}"
    login = {"connection_user": "nobody", "connection_password": "secret-word"}
    with (
        pytest.raises(ConnectError, match="Access denied") as caught,
        sink(other, **login),
    ):
        pass
    assert caught.value.hint == "correct connection.user and connection.password"
    assert "secret-word" not in str(caught.value)
