"""COPY writes to PostgreSQL what INSERT writes."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal as Exact

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.plugin_path.sql.driving import Reporter, record, sink

from plugwright import (
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
from plugwright_sql import batch_writer
from plugwright_sql.row_writer import RowWriter

pytestmark = pytest.mark.slow

HOME = TopicPartition("t", 0)
MOMENTS = st.datetimes(timezones=st.just(dt.UTC)).map(lambda at: at.replace(microsecond=5000))
VALUES = {
    "boolean": (SchemaBuilder.bool, st.booleans()),
    "smallint": (SchemaBuilder.int8, st.integers(-128, 127)),
    "int": (SchemaBuilder.int32, st.sampled_from([0, -(2**31), 2**31 - 1])),
    "bigint": (SchemaBuilder.int64, st.sampled_from([0, -(2**63), 2**63 - 1])),
    "numeric(20, 0)": (SchemaBuilder.int64, st.sampled_from([0, -(2**63), 2**63 - 1])),
    "real": (SchemaBuilder.float32, st.floats(width=32)),
    "double precision": (SchemaBuilder.float64, st.floats()),
    "text": (SchemaBuilder.string, st.text(st.characters(codec="utf-8"), max_size=9)),
    "varchar(3)": (SchemaBuilder.string, st.sampled_from(["", "abc", "abc ", "long", "\\N"])),
    "char(3)": (SchemaBuilder.string, st.sampled_from(["", "a", "\t", "\n", "\\.", "nu\0"])),
    "bytea": (SchemaBuilder.bytes, st.binary(max_size=9)),
    "numeric(6, 2)": (
        lambda: Decimal.builder(2),
        st.sampled_from([Exact("0.10"), Exact("99999.99")]),
    ),
    "date": (Date.builder, st.dates()),
    "time": (Time.builder, st.times().map(lambda at: at.replace(microsecond=7000))),
    "timestamp": (Timestamp.builder, MOMENTS),
    "timestamptz": (Timestamp.builder, MOMENTS),
    "uuid": (SchemaBuilder.string, st.uuids().map(str)),
    "jsonb": (SchemaBuilder.string, st.sampled_from(['{"a": 1}', "no json"])),
    "mood": (SchemaBuilder.string, st.sampled_from(["good", "bad", "unknown"])),
}


@pytest.fixture
def url(postgres):
    """The database, as SQLAlchemy names it."""
    return postgres.plugwright_url


@pytest.fixture
def only_copies(monkeypatch):
    """No other statement writes rows."""
    monkeypatch.delattr(RowWriter, "write")


@pytest.fixture
def only_inserts(monkeypatch):
    """COPY must not be tried."""

    def refused(*_):
        raise AssertionError("COPY was tried")

    monkeypatch.setattr(batch_writer, "copied", refused)


def numbers(*numbers, name="id"):
    """Records with a number each, from offset 0."""
    schema = SchemaBuilder.struct().field(name, SchemaBuilder.int32()).build()
    return [record(Struct(schema).put(name, each), at) for at, each in enumerate(numbers)]


@pytest.mark.parametrize("declared", VALUES)
def test_any_value_is_stored_as_by_insert(url, postgres, declared):
    """Or refused as by INSERT, alone."""
    builder, values = VALUES[declared]
    schema = (
        SchemaBuilder.struct()
        .field("n", SchemaBuilder.int32())
        .field("v", builder().optional())
        .build()
    )
    postgres.execute("CREATE TYPE mood AS ENUM ('good', 'bad')")

    @settings(
        max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
    )
    @given(st.lists(st.none() | values, min_size=2, max_size=6))
    def check(drawn):
        rows = [Struct(schema).put("n", n).put("v", value) for n, value in enumerate(drawn)]
        found = []
        for one_by_one in (False, True):
            postgres.execute(f"DROP TABLE IF EXISTS t; CREATE TABLE t (n int, v {declared})")
            reporter = Reporter()
            with sink(url, reporter=reporter, offsets_table_name="") as task:
                batch = [record(row, at) for at, row in enumerate(rows)]
                for part in [[each] for each in batch] if one_by_one else [batch]:
                    task.put(part)
            stored = postgres.execute("SELECT n, v::text FROM t ORDER BY n").fetchall()
            refused = [(each.kafka_offset, str(error)) for each, error in reporter.reported]
            found.append((stored, refused))
        assert found[0] == found[1]
        assert len(found[0][0]) + len(found[0][1]) == len(drawn)

    check()


@pytest.mark.usefixtures("only_copies")
def test_rows_of_a_table_are_copied(url, postgres):
    """Names need quotation marks; columns that are not named have their default."""
    postgres.execute("""CREATE TABLE "t" ("i%d ""x" int, more text DEFAULT 'm')""")
    with sink(url, partitions=[HOME]) as task:
        task.put(numbers(1, 2, 3, name='i%d "x'))
    assert postgres.execute("SELECT * FROM t").fetchall() == [(1, "m"), (2, "m"), (3, "m")]
    assert postgres.execute("SELECT next_offset FROM plugwright_offsets").fetchall() == [(3,)]


@pytest.mark.usefixtures("only_inserts")
@pytest.mark.parametrize(
    "made",
    [
        "CREATE TABLE real (id int); CREATE VIEW t AS SELECT id FROM real",
        "CREATE TABLE t (id int); CREATE RULE r AS ON INSERT TO t WHERE false DO NOTHING",
        "CREATE TABLE t (id int); ALTER TABLE t ENABLE ROW LEVEL SECURITY",
        "CREATE TABLE t (id int GENERATED BY DEFAULT AS IDENTITY)",
        "CREATE TABLE t (id text)",
    ],
    ids=["view", "rule", "policies", "identity", "other type"],
)
def test_where_copy_would_do_something_else_rows_are_inserted(url, postgres, made):
    """Or refused, as INSERT does."""
    postgres.execute(made)
    reporter = Reporter()
    with sink(url, reporter=reporter, partitions=[HOME]) as task:
        task.put(numbers(1, 2))
    stored = postgres.execute("SELECT id FROM t").fetchall()
    assert stored == [(1,), (2,)] or len(reporter.reported) == 2


@pytest.mark.usefixtures("only_inserts")
@pytest.mark.parametrize("mode", ["upsert", "update"])
def test_rows_that_replace_others_are_not_copied(url, postgres, mode):
    """COPY knows nothing of conflicts."""
    postgres.execute("CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1), (2)")
    with sink(url, insert_mode=mode, pk_mode="record_value", pk_fields="id") as task:
        task.put(numbers(1, 2))
    assert postgres.execute("SELECT id FROM t ORDER BY id").fetchall() == [(1,), (2,)]


def test_triggers_see_copied_rows(url, postgres):
    """As those that are inserted."""
    postgres.execute(
        "CREATE TABLE t (id int);"
        "CREATE FUNCTION more() RETURNS trigger LANGUAGE plpgsql AS"
        " $$ BEGIN NEW.id := NEW.id + 10; RETURN NEW; END $$;"
        "CREATE TRIGGER tr BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION more()"
    )
    with sink(url, partitions=[HOME]) as task:
        task.put(numbers(1, 2))
    assert postgres.execute("SELECT id FROM t").fetchall() == [(11,), (12,)]


def test_one_bad_row_leaves_the_others(url, postgres):
    """The whole COPY is taken back, then each row is tried; nothing is there twice."""
    postgres.execute("CREATE TABLE t (id int CHECK (id <> 2))")
    with sink(url, partitions=[HOME]) as task, pytest.raises(DataError, match="check constraint"):
        task.put(numbers(1, 2, 3))
    assert postgres.execute("SELECT id FROM t").fetchall() == []
    reporter = Reporter()
    with sink(url, reporter=reporter, partitions=[HOME]) as task:
        task.put(numbers(1, 2, 3))
    assert postgres.execute("SELECT id FROM t").fetchall() == [(1,), (3,)]
    assert [each.kafka_offset for each, _ in reporter.reported] == [1]


def test_a_connection_that_is_lost_while_rows_are_copied_is_made_again(url, postgres):
    """The server ends it in the middle."""
    postgres.execute(
        "CREATE TABLE t (id int);"
        "CREATE FUNCTION dies() RETURNS trigger LANGUAGE plpgsql AS"
        " $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$;"
        "CREATE TRIGGER tr AFTER INSERT ON t FOR EACH STATEMENT EXECUTE FUNCTION dies()"
    )
    with sink(url, partitions=[HOME]) as task:
        with pytest.raises(RetriableError):
            task.put(numbers(1, 2))
        postgres.execute("DROP TRIGGER tr ON t")
        task.put(numbers(1, 2))
    assert postgres.execute("SELECT id FROM t").fetchall() == [(1,), (2,)]
