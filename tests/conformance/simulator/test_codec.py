"""The converters of simulated tasks read like those of a worker, by column and value by value."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from plugwright.schema import INT64_SCHEMA, OPTIONAL_STRING_SCHEMA, SchemaAndValue
from plugwright_conformance.simulator import POISON
from plugwright_conformance.simulator.codec import simulated_codec
from plugwright_conformance.subject.field_shape import FieldShape
from plugwright_conformance.subject.shape import RowShape
from plugwright_conformance.subject.text_rows import TextRows

SEVEN = SchemaAndValue(INT64_SCHEMA, 7)


def messages(*values):
    """Consumed messages without keys."""
    return [SimpleNamespace(key=lambda: None, value=lambda each=each: each) for each in values]


def test_every_other_batch_is_read_by_column():
    """So that a task with ``put_batch`` is given both."""
    codec = simulated_codec(None, None)

    found = [codec.columns(messages(b"a", None)) for _ in range(4)]

    assert found[1::2] == [None, None]
    assert [(each.value_schema, each.values) for each in found[::2]] == [
        (OPTIONAL_STRING_SCHEMA, ["a", None])
    ] * 2


def test_a_batch_with_another_type_is_read_value_by_value():
    """Columns have one schema."""
    codec = simulated_codec(SEVEN, None)

    assert codec.columns(messages(b"a", POISON + b"1")) is None
    codec.columns(messages(b"a"))
    assert codec.columns(messages(b"a")).values == ["a"]


@pytest.mark.parametrize("value", [b"a", None])
def test_rows_are_columns_unless_there_is_a_tombstone(value):
    """Which has no schema."""
    rows = TextRows.of(RowShape((FieldShape("name", "string"),)))
    codec = simulated_codec(None, None, rows)

    found = codec.columns(messages(b"b", value))

    if value is None:
        assert found is None
    else:
        assert found.value_schema is rows.schema
        assert [each["name"] for each in found.values] == ["b", "a"]
