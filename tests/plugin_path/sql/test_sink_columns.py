"""Records that are taken by column become the rows of those that are looked at one by one."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.plugin_path.sql.driving import Reporter, record, sink

from plugwright import ConnectError, SchemaBuilder, SinkColumns, Struct, TopicPartition
from plugwright_sql.batch_writer import BatchWriter
from plugwright_sql.row_writer import RowWriter

HOMES = [TopicPartition("t", 0), TopicPartition("t", 1)]
KEY = SchemaBuilder.struct().field("k", SchemaBuilder.int32()).build()
SCHEMAS = [
    SchemaBuilder.struct()
    .field("k", SchemaBuilder.int32())
    .field("better", builder)
    .field("number", SchemaBuilder.float64().optional())
    .build()
    for builder in (
        SchemaBuilder.string().default("unset"),
        SchemaBuilder.string().optional(),
        SchemaBuilder.string().optional().default("unset"),
    )
]
MODES = {
    "plain": {"insert_mode": "insert", "pk_mode": "none"},
    "coordinates": {"insert_mode": "insert", "pk_mode": "kafka"},
    "key": {"insert_mode": "upsert", "pk_mode": "record_key", "delete_enabled": "true"},
    "field": {"insert_mode": "upsert", "pk_mode": "record_value", "pk_fields": "k"},
}
CREATES = {"auto_create": "true", "auto_evolve": "true"}
ROWS = st.tuples(
    st.integers(1, 3),
    st.sampled_from([None, "a", "\x00", "\ud800", 7]),
    st.sampled_from([None, 0.5, float("inf"), float("nan")]),
)


@st.composite
def batches(draw):
    """Batches of records of one partition each, tombstones and bad values among them."""
    ends, found = {0: 0, 1: 0}, []
    for _ in range(draw(st.integers(1, 4))):
        partition, schema = draw(st.sampled_from([0, 1])), draw(st.sampled_from(SCHEMAS))
        batch = []
        for row in draw(st.lists(ROWS, min_size=1, max_size=4)):
            value = draw(st.sampled_from([Struct.from_trusted(schema, row)] * 4 + [None, "text"]))
            key = draw(st.sampled_from([Struct(KEY).put("k", row[0])] * 4 + [None]))
            batch.append(record(value, ends[partition], partition=partition, key=key))
            ends[partition] += draw(st.sampled_from([1, 1, 1, 0]))
        found.append(batch)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_columns_and_records_become_the_same_rows(tmp_path, mode):
    """The same records are refused, and the same offsets stored."""

    @settings(
        max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
    )
    @given(batches())
    def check(put):
        found = []
        for one_by_one in (False, True):
            path, reporter = tmp_path / f"{one_by_one}.sqlite", Reporter()
            path.unlink(missing_ok=True)
            with pytest.MonkeyPatch.context() as patch:
                if one_by_one:
                    patch.setattr(BatchWriter, "_run_of", lambda *_: None)
                url, chosen = f"jdbc:sqlite:{path}", {**MODES[mode], **CREATES}
                with sink(url, reporter=reporter, partitions=HOMES, **chosen) as task:
                    error = _failure(task, put)
            refused = [(each.kafka_offset, str(error)) for each, error in reporter.reported]
            found.append((_content(path), refused, error))
        assert found[0] == found[1]

    check()


def _failure(task, batches):
    """Put batches until one fails; why it does."""
    try:
        for batch in batches:
            task.put_batch(SinkColumns.of(batch))
    except ConnectError as error:
        return str(error)
    return None


def _content(path):
    with closing(sqlite3.connect(path)) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_schema")]
        return {
            name: sorted(map(str, database.execute(f'SELECT * FROM "{name}"')))
            for name in tables
            if not name.startswith("sqlite_")
        }


def test_plain_records_are_not_looked_at_one_by_one(url, run, monkeypatch):
    """Those of two partitions are two parts."""
    monkeypatch.delattr(RowWriter, "row")
    rows = [Struct.from_trusted(SCHEMAS[0], (n, None, 0.5)) for n in range(4)]
    batch = [record(row, n % 2, partition=n // 2) for n, row in enumerate(rows)]
    with sink(url, auto_create="true", partitions=HOMES) as task:
        task.put_batch(SinkColumns.of(batch))
    assert run("SELECT * FROM t") == [(n, "unset", 0.5) for n in range(4)]


def test_a_null_that_is_meant_is_no_default(url, run):
    """A field that may be null has its default only in the table that is made for it."""
    batch = [record(Struct.from_trusted(SCHEMAS[2], (n, None, None)), n) for n in range(2)]
    with sink(url, auto_create="true", partitions=HOMES) as task:
        task.put_batch(SinkColumns.of(batch))
    assert run("SELECT better FROM t") == [(None,), (None,)]
