"""Whatever the schema and the value: Avro brings them back, and fastavro alone reads the same."""

from __future__ import annotations

import io
import json
from typing import Any

import fastavro
import pytest
from hypothesis import given, settings
from tests.runtime.converters.strategies import JSON_VALUES, records

from plugwright.converters import AvroConverter
from plugwright.converters.avro_registry import SchemaRegistry
from plugwright.schema import Schema, SchemaAndValue, SchemaBuilder, Struct

pytestmark = pytest.mark.slow

REGISTRY = {"schema.registry.url": "mock://properties"}


@pytest.fixture(scope="module")
def registry() -> SchemaRegistry:
    """A registry in memory; making one takes longer than an example."""
    return SchemaRegistry.connect({"schema.registry.url": ["mock://properties"]})


def _converter(registry: SchemaRegistry) -> AvroConverter:
    converter = AvroConverter(registry)
    converter.configure(REGISTRY, is_key=False)
    return converter


def _in_record(record: tuple[Schema, Any]) -> tuple[Schema, Struct]:
    """The value as a field: only records keep schemas whole, a version is added to others."""
    schema = SchemaBuilder.struct().name("made.Root").version(1).field("f", record[0]).build()
    return schema, Struct.from_trusted(schema, [record[1]])


@settings(max_examples=100, deadline=None)
@given(record=records())
def test_avro_brings_back_schema_and_value(
    registry: SchemaRegistry, record: tuple[Schema, Any]
) -> None:
    """Both come back equal through the registry."""
    converter = _converter(registry)
    schema, value = _in_record(record)

    data = converter.from_connect_data("t", schema, value)

    assert converter.to_connect_data("t", data) == SchemaAndValue(schema, value)


@settings(max_examples=100, deadline=None)
@given(record=records())
def test_the_registered_schema_is_enough_to_read_the_bytes(
    registry: SchemaRegistry, record: tuple[Schema, Any]
) -> None:
    """An independent reader with the registry's schema takes every byte."""
    data = _converter(registry).from_connect_data("t", *_in_record(record))
    text = registry.by_id(int.from_bytes(data[1:5], "big"))
    source = io.BytesIO(data[5:])

    fastavro.schemaless_reader(source, json.loads(text), None)

    assert source.read() == b""


@settings(max_examples=100, deadline=None)
@given(value=JSON_VALUES)
def test_data_without_schema_comes_back(registry: SchemaRegistry, value: Any) -> None:
    """Schemaless data goes through a record that can hold anything."""
    converter = _converter(registry)

    data = converter.from_connect_data("t", None, value)

    assert converter.to_connect_data("t", data) == SchemaAndValue(None, value)
