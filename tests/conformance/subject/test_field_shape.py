"""Fields of rows: how a declaration writes them, and what the suite puts into them."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest

from plugwright.schema import Date, SchemaBuilder, Struct, validate_value
from plugwright.schema import Decimal as ConnectDecimal
from plugwright_conformance.subject.field_shape import FieldShape
from plugwright_conformance.subject.shape import RowShape

VISITS = "array<struct<place: string, day: date?, prices: map<string, decimal(3)>>>?"


def test_types_are_nested_to_any_depth():
    """The schema is the one that a builder of Connect makes."""
    prices = SchemaBuilder.map(SchemaBuilder.string(), ConnectDecimal.builder(3))
    visit = SchemaBuilder.struct().field("place", SchemaBuilder.string())
    visit = visit.field("day", Date.builder().optional()).field("prices", prices)

    found = FieldShape.parse("visits", VISITS).schema()

    assert found == SchemaBuilder.array(visit).optional().build()


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("array", "parts of its type"),
        ("array<>", "element = ''"),
        ("array<string, string>", "parts of its type"),
        ("map<string>", "parts of its type"),
        ("map<date, string>", "keys of maps are"),
        ("map<string?, string>", "keys of maps are"),
        ("struct<>", "parts of its type"),
        ("struct<string>", "parts of its type"),
        ("struct<a: words>", "a = ' words'"),
        ("string<int64>", "parts of its type"),
        ("struct<a: string? = new>", "have no default"),
        ("list<string>", "no type of"),
        ("array<string>> ", "element = 'string>'"),
    ],
)
def test_what_is_written_wrongly_is_named(text, wrong):
    """A declaration says which part of a type is none."""
    with pytest.raises(ValueError, match=wrong.replace("?", "[?]")):
        FieldShape.parse("tags", text)


def test_arrays_are_empty_ordered_and_have_nulls():
    """What is lost by a set, a test for truth, or a look at the first element."""
    edges = FieldShape.parse("tags", "array<int8?>").edges()

    assert edges == [
        [],
        [0],
        [0, -1, -128, 127, None],
        [None, 127, -128, -1, 0, 0],
    ]


def test_maps_of_equal_keys_differ_in_their_values():
    """A map is more than the set of its keys."""
    edges = FieldShape.parse("counts", "map<int8, boolean>?").edges()

    assert edges == [
        {},
        {0: True},
        {0: True, -1: False, -128: True, 127: False},
        {0: False, -1: True, -128: False, 127: True},
        None,
    ]


def test_a_struct_may_have_nothing_but_nulls():
    """The last one has the last value of every field."""
    edges = FieldShape.parse("place", "struct<x: boolean?, day: date?>").edges()

    assert edges[0] == {"x": True, "day": dt.date(1, 1, 1)}
    assert edges[-1] == {"x": None, "day": None}


def test_rows_become_structs_and_come_back():
    """Every edge fits its schema; as a struct, as a row again."""
    shape = RowShape.parse({"name": "string", "visits": VISITS})
    schema = shape.schema()
    rows = shape.boundary_rows()

    structs = [shape.struct(schema, row) for row in rows]

    for struct in structs:
        validate_value(schema, struct)
    assert [shape.row(struct) for struct in structs] == rows
    visit = next(struct for struct in structs if struct["visits"])["visits"][0]
    assert isinstance(visit, Struct)
    assert all(isinstance(price, Decimal) for price in visit["prices"].values())


def test_what_is_no_array_map_or_struct_stays_what_it_is():
    """So that a check can show it."""
    field = FieldShape.parse("visits", VISITS)

    assert [field.plain_value(value) for value in ("[]", 1, ["x", None])] == ["[]", 1, ["x", None]]
