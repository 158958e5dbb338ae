"""Structs that are read by field."""

from __future__ import annotations

import pytest

from plugwright import INT64_SCHEMA, STRING_SCHEMA, SchemaBuilder, SinkColumns, SinkRecord, Struct
from plugwright.schema import StructColumn

BETTER = SchemaBuilder.string().default("unset").build()


def two_fields():
    """A schema, each time another object."""
    return SchemaBuilder.struct().field("id", INT64_SCHEMA).field("text", BETTER).build()


SCHEMA = two_fields()
OTHER = SchemaBuilder.struct().field("id", INT64_SCHEMA).field("name", BETTER).build()
A = Struct(SCHEMA).put("id", 1).put("text", "a")
UNSET = Struct(SCHEMA).put("id", 2)
EQUAL = Struct(two_fields()).put("id", 3).put("text", "c")


def columns(schema, *values):
    """Columns of records with these values."""
    records = [SinkRecord("t", 0, None, None, schema, value, n) for n, value in enumerate(values)]
    return SinkColumns(records)


def test_each_field_is_a_column_with_its_default():
    """Structs whose schemas are equal, but not the same, are of one schema."""
    structs = columns(SCHEMA, A, UNSET, EQUAL).structs
    assert structs.schema is SCHEMA
    assert [list(each) for each in structs.fields] == [[1, 2, 3], ["a", "unset", "c"]]
    assert list(structs) == [A, UNSET.put("text", "unset"), EQUAL]


@pytest.mark.parametrize("value", [None, "text", {"id": 1}, Struct(OTHER).put("id", 1)], ids=str)
def test_what_is_no_struct_of_the_schema_has_no_columns(value):
    """As a tombstone between others."""
    assert columns(SCHEMA, A, value).structs is None


@pytest.mark.parametrize("schema", [None, STRING_SCHEMA])
def test_values_that_are_not_structs_have_no_columns(schema):
    """With and without schema."""
    assert columns(schema, "a").structs is None


def test_keys_have_columns_as_well():
    """By the key schema."""
    both = SinkColumns([SinkRecord("t", 0, SCHEMA, UNSET, STRING_SCHEMA, "a", 0)])
    assert [list(each) for each in both.key_structs.fields] == [[2], ["unset"]]
    assert columns(SCHEMA, A).key_structs is None


def test_no_structs_have_empty_columns():
    """One for each field, as of a batch that was filtered."""
    assert [list(each) for each in StructColumn.of(SCHEMA, []).fields] == [[], []]


def test_columns_are_structs_like_others():
    """Those of an equal schema have their defaults; those of another one do not fit."""
    given = StructColumn(SCHEMA, [[1, 2], ["a", None]], 2)
    found = StructColumn.of(two_fields(), given)
    assert [list(each) for each in found.fields] == [[1, 2], ["a", "unset"]]
    assert StructColumn.of(OTHER, given) is None
