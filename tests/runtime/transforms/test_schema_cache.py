"""What was worked out for schemas is kept."""

from __future__ import annotations

import pytest

from plugwright.errors import DataError
from plugwright.schema import SchemaBuilder
from plugwright.transforms.schema_cache import SchemaCache


def _schema(number):
    return SchemaBuilder.int8().version(number).build()


def test_equal_schemas_are_worked_out_once():
    """Whether it is the same object or not."""
    asked = []
    cache = SchemaCache(lambda schema: asked.append(schema) or len(asked))
    found = [cache(schema) for schema in (_schema(1), _schema(2), _schema(1), _schema(2))]

    assert found == [1, 2, 1, 2]


def test_the_schema_used_longest_ago_is_forgotten_after_16():
    """The first one was used again, so the second one goes."""
    asked = []
    cache = SchemaCache(lambda schema: asked.append(schema.version) or schema.version)
    numbers = [*range(16), 0, 16, 0, 1]

    assert [cache(_schema(number)) for number in numbers] == numbers
    assert asked == [*range(17), 1]


def test_failures_are_not_remembered():
    """The next record of that schema fails as well, with the same words."""
    cache = SchemaCache(lambda schema: _fail())
    for _ in range(2):
        with pytest.raises(DataError, match="no"):
            cache(_schema(1))


def _fail():
    raise DataError("no")
