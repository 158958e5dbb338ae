"""Batches of records as columns."""

from __future__ import annotations

import pytest

from plugwright import Headers, SchemaBuilder, SinkRecord, SourceRecord, Struct, TimestampType
from plugwright.hosts.columns import (
    EncodedColumns,
    changes,
    columns_of,
    records_of,
    rows_of,
    rows_of_columns,
    struct_rows,
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
    assert batch == EncodedColumns(2, {0: a, 2: b}, {1: [1, True]}, {})


def test_only_what_was_changed_comes_back():
    """A stage that replaces values leaves the other columns to the task."""
    before = rows_of([source(headers=None), source("w", headers=None)])
    after = [(*row[:5], "new", *row[6:]) for row in before]
    assert changes(before, after, {}) == EncodedColumns(2, {5: "new"}, {}, {})
    assert with_changes(before, changes(before, after, {})) == after


def test_nothing_changed_is_nothing_sent():
    """And the rows are the same ones."""
    before = rows_of([source(headers=None)])
    assert changes(before, before, {}) == EncodedColumns(1, {}, {}, {})
    assert with_changes(before, changes(before, before, {})) is before


@pytest.mark.parametrize(
    "record", [source({"a": 1}, headers=None), source()], ids=["map", "headers"]
)
def test_what_may_have_been_changed_in_its_place_comes_back(record):
    """Containers and headers look the same by identity."""
    before = rows_of([record])
    assert changes(before, before, {}) != EncodedColumns(1, {}, {}, {})


def test_structs_of_one_schema_go_as_their_values():
    """And come back with unset fields unset; mixed schemas go as they are."""
    schema = SchemaBuilder.struct().field("a", STRING_SCHEMA).field("b", STRING_SCHEMA).build()
    structs = [Struct(schema).put("a", "x"), Struct(schema).put("b", "y")]
    batch = columns_of([structs], 2)
    assert batch.structs == {
        0: (schema, EncodedColumns(2, {}, {0: ("x", None), 1: (None, "y")}, {}))
    }
    assert rows_of_columns(batch) == [(structs[0],), (structs[1],)]
    other = Struct(SchemaBuilder.struct().build())
    assert columns_of([[structs[0], other]], 2).varying == {0: [structs[0], other]}
    assert columns_of([[structs[0], None]], 2).varying == {0: [structs[0], None]}


PAIR = (
    SchemaBuilder.struct()
    .field("a", STRING_SCHEMA)
    .field("b", SchemaBuilder.array(STRING_SCHEMA).build())
    .build()
)


def batch_of(*values):
    """Source records with structs as they come out of a batch, and the batch."""
    structs = [Struct(PAIR) if value is None else Struct(PAIR).put("a", value) for value in values]
    rows = rows_of([source(struct, headers=None) for struct in structs])
    batch = columns_of(zip(*rows, strict=True), len(rows))
    return rows_of_columns(batch), batch


def test_structs_that_consist_of_what_they_did_do_not_come_back():
    """Unset fields among it, and of a batch of which some were dropped."""
    rows, batch = batch_of("x", None, "y")
    assert not changes(rows, rows, struct_rows(batch))
    assert not changes(rows[1:], rows[1:], struct_rows(batch, [False, True, True]))


@pytest.mark.parametrize(
    "change",
    [lambda struct: struct.put("a", "z"), lambda struct: setattr(struct, "_values", ["z", None])],
    ids=["field", "all"],
)
def test_structs_that_were_changed_in_their_place_come_back(change):
    """As one of them is another now, all are sent."""
    rows, batch = batch_of("x", None)
    change(rows[1][5])
    _, fields = changes(rows, rows, struct_rows(batch)).structs[5]
    assert fields == EncodedColumns(2, {1: None}, {0: ("x", "z")}, {})


def test_structs_with_a_field_that_can_change_come_back():
    """A list looks the same by identity."""
    rows, _ = batch_of("x", "y")
    rows[0][5].put("b", ["one"])
    held = {5: (PAIR, [tuple(row[5]._values) for row in rows])}
    assert changes(rows, rows, held).structs.keys() == {5}


def test_structs_that_have_another_schema_now_come_back():
    """Whatever their values are."""
    rows, batch = batch_of("x", "y")
    rows[0][5].schema = SchemaBuilder.struct().field("c", STRING_SCHEMA).build()
    assert changes(rows, rows, struct_rows(batch)).varying.keys() == {5}
