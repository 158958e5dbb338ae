"""Batches of records as columns."""

from __future__ import annotations

import pytest

from plugwright import Headers, SchemaBuilder, SinkRecord, SourceRecord, Struct, TimestampType
from plugwright.hosts._columns import (
    Columns,
    changes,
    columns_of,
    records_of,
    rows_of,
    rows_of_columns,
    with_changes,
)
from plugwright.schema import STRING_SCHEMA


def source(value="v", **more):
    """A source record with everything set."""
    return SourceRecord(
        {"p": 1}, {"o": 2}, "t", value, STRING_SCHEMA,
        key="k", key_schema=STRING_SCHEMA, kafka_partition=3, timestamp=4,
        headers=more.pop("headers", Headers().add_int("h", 5)), **more,
    )  # fmt: skip


def sink():
    """A sink record that a transformation has moved."""
    record = SinkRecord(
        "t", 3, STRING_SCHEMA, "k", None, "v", 6, 7, TimestampType.CREATE_TIME, Headers()
    )
    return record.new_record(topic="moved", kafka_partition=9)


class MyRecord(SourceRecord):
    """A plugin's own kind of record."""

    __slots__ = ("more",)


@pytest.mark.parametrize("record", [source(), sink()], ids=["source", "sink"])
def test_a_record_comes_out_as_it_went_in(record):
    """With everything it has."""
    rows = rows_of([record, record])
    batch = columns_of(zip(*rows, strict=True), 2)
    assert records_of(rows_of_columns(batch)) == [record, record]


def test_of_a_plugins_own_kind_goes_what_every_record_has():
    """Its class is known nowhere else."""
    (row,) = rows_of([MyRecord({}, {}, "t", 1)])
    assert type(records_of([row])[0]) is SourceRecord


def test_what_is_the_same_for_all_goes_once():
    """By identity, so that 1 and True stay apart."""
    a, b = "x" * 3, b"y"
    batch = columns_of([[a, a], [1, True], [b, b]], 2)
    assert batch == Columns(2, {0: a, 2: b}, {1: [1, True]}, {})


def test_only_what_was_changed_comes_back():
    """A stage that replaces values leaves the other columns to the task."""
    before = rows_of([source(headers=None), source("w", headers=None)])
    after = [(*row[:5], "new", *row[6:]) for row in before]
    assert changes(before, after) == Columns(2, {5: "new"}, {}, {})
    assert with_changes(before, changes(before, after)) == after


def test_nothing_changed_is_nothing_sent():
    """And the rows are the same ones."""
    before = rows_of([source(headers=None)])
    assert changes(before, before) == Columns(1, {}, {}, {})
    assert with_changes(before, changes(before, before)) is before


@pytest.mark.parametrize(
    "record", [source({"a": 1}, headers=None), source()], ids=["map", "headers"]
)
def test_what_may_have_been_changed_in_its_place_comes_back(record):
    """Containers and headers look the same by identity."""
    before = rows_of([record])
    assert changes(before, before) != Columns(1, {}, {}, {})


def test_structs_of_one_schema_go_as_their_values():
    """And come back with unset fields unset; mixed schemas go as they are."""
    schema = SchemaBuilder.struct().field("a", STRING_SCHEMA).field("b", STRING_SCHEMA).build()
    structs = [Struct(schema).put("a", "x"), Struct(schema).put("b", "y")]
    batch = columns_of([structs], 2)
    assert batch.structs == {0: (schema, Columns(2, {}, {0: ("x", None), 1: (None, "y")}, {}))}
    assert rows_of_columns(batch) == [(structs[0],), (structs[1],)]
    other = Struct(SchemaBuilder.struct().build())
    assert columns_of([[structs[0], other]], 2).varying == {0: [structs[0], other]}
    assert columns_of([[structs[0], None]], 2).varying == {0: [structs[0], None]}
