"""The sink's offsets stand in the transaction of the rows: each record is one row."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.plugin_path.sql.driving import Reporter, record, sink

from plugwright import SchemaBuilder, Struct, TopicPartition
from plugwright_sql import SqlSinkConnector, batch_writer

HOME = TopicPartition("t", 0)
ROW = SchemaBuilder.struct().field("id", SchemaBuilder.int64()).build()
CREATES = {"auto_create": "true"}


class _DiedError(BaseException):
    """The process is gone: nothing is tidied up."""


def _record(number, partition=0):
    return record(Struct(ROW).put("id", number), number, partition=partition)


def _ends(run):
    return run("SELECT connector, topic, kafka_partition, next_offset FROM plugwright_offsets")


def test_the_offset_moves_with_the_rows(url, run):
    """One row for each partition."""
    with sink(url, partitions=[HOME], **CREATES) as task:
        task.put([_record(0), _record(1)])
    assert _ends(run) == [("c", "t", 0, 2)]
    with sink(url, partitions=[HOME]) as task:
        assert task.context.rewinds == {HOME: 2}


def test_nothing_is_said_of_a_partition_that_is_new(url, run):
    """Kafka's own offset counts there."""
    with sink(url, partitions=[HOME], **CREATES) as task:
        assert task.context.rewinds == {}


def test_records_that_come_again_are_left_out(url, run):
    """Also by a task that does not know that another one has written them."""
    with sink(url, partitions=[HOME], **CREATES) as old, sink(url, partitions=[HOME]) as new:
        old.put([_record(0), _record(1)])
        new.put([_record(0), _record(1), _record(2)])
        old.put([_record(2)])
        old.put([_record(3)])
    assert run("SELECT id FROM t") == [(0,), (1,), (2,), (3,)]
    assert _ends(run) == [("c", "t", 0, 4)]


def test_errant_records_are_reported_once(url, run):
    """Those that come again are left out, too."""
    bad, reporter = record(None, 0), Reporter()
    with sink(url, partitions=[HOME], reporter=reporter, **CREATES) as task:
        task.put([bad])
        task.put([bad, _record(1)])
    assert len(reporter.reported) == 1
    assert run("SELECT id FROM t") == [(1,)]


def test_without_the_table_of_offsets_rows_come_again(url, run):
    """At least once, as is said."""
    with sink(url, offsets_table_name="", partitions=[HOME], **CREATES) as task:
        task.put([_record(0)])
        task.put([_record(0)])
    assert run("SELECT id FROM t") == [(0,), (0,)]
    assert run("SELECT count(*) FROM sqlite_master WHERE name = 'plugwright_offsets'") == [(0,)]


@pytest.mark.parametrize("point", ["before rows", "before offsets", "before commit", "after"])
def test_a_death_at_any_point_leaves_both_or_neither(url, run, monkeypatch, point):
    """Rows equal the topic after the next life."""
    with sink(url, partitions=[HOME], **CREATES) as task:
        task.put([_record(0)])
        _die_at(monkeypatch, task, point)
        with suppress(_DiedError):
            task.put([_record(1), _record(2)])
        monkeypatch.undo()
    written = [number for (number,) in run("SELECT id FROM t")]
    assert written == ([0, 1, 2] if point == "after" else [0])
    assert _ends(run) == [("c", "t", 0, len(written))]

    with sink(url, partitions=[HOME]) as task:
        begin = task.context.rewinds[HOME]
        task.put([_record(number) for number in range(begin, 5)])
    assert run("SELECT id FROM t") == [(0,), (1,), (2,), (3,), (4,)]


def _die_at(monkeypatch, task, point):
    def die(*_args, **_kwargs):
        raise _DiedError

    def put_and_die(*args):
        write(*args)
        raise _DiedError

    write = task._writer.write
    match point:
        case "before rows":
            monkeypatch.setattr(batch_writer.BatchWriter, "_insert", die)
        case "before offsets":
            monkeypatch.setattr(task._offsets, "move", die)
        case "before commit":
            monkeypatch.setattr(batch_writer, "_report", die)
            monkeypatch.setattr(task.context, "errant_record_reporter", Reporter)
        case "after":
            monkeypatch.setattr(task._writer, "write", put_and_die)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 4), st.booleans()), max_size=12))
def test_any_order_of_deliveries_gives_each_record_once(tmp_path_factory, deliveries):
    """Batches that begin anywhere at or before the end, some of which die before their commit."""
    path = tmp_path_factory.mktemp("db") / "shop.sqlite"
    end = 0
    with sink(f"jdbc:sqlite:{path}", partitions=[HOME], **CREATES) as task:
        for back, count, dies in deliveries:
            begin = max(0, end - back)
            with pytest.MonkeyPatch.context() as patched:
                if dies:
                    _die_at(patched, task, "before offsets")
                with suppress(_DiedError):
                    task.put([_record(number) for number in range(begin, begin + count)])
            end = max(end, end if dies else begin + count)
    with closing(sqlite3.connect(path)) as database:
        there = database.execute("SELECT name FROM sqlite_master WHERE name = 't'").fetchall()
        rows = database.execute("SELECT id FROM t ORDER BY rowid").fetchall() if there else []
    assert rows == [(number,) for number in range(end)]


def test_altered_offsets_count_in_the_database(url, run):
    """Set or forgotten, in Kafka's coordinates."""
    other = TopicPartition("t", 1)
    with sink(url, partitions=[HOME, other], **CREATES) as task:
        task.put([_record(0), _record(1), _record(0, partition=1)])
    props = {"name": "c", "connection.url": url}
    assert SqlSinkConnector().alter_offsets(props, {HOME: 1, other: None}) is True
    with sink(url, partitions=[HOME, other]) as task:
        assert task.context.rewinds == {HOME: 1}
        task.put([_record(1)])
    assert run("SELECT id FROM t ORDER BY rowid") == [(0,), (1,), (0,), (1,)]
