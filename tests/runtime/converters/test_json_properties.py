"""Whatever the schema and the value: JSON brings them back, and others read the same."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.runtime.converters.strategies import JSON_VALUES, records

from plugwright.converters import JsonConverter
from plugwright.converters.json_engine import OrjsonEngine, PlainEngine
from plugwright.errors import DataError
from plugwright.schema import Schema, SchemaAndValue

pytestmark = pytest.mark.slow

ENGINES = pytest.mark.parametrize("engine", [OrjsonEngine, PlainEngine])


def _converter(engine: type, **configs: Any) -> JsonConverter:
    converter = JsonConverter(engine())
    converter.configure({name.replace("_", "."): value for name, value in configs.items()})
    return converter


@ENGINES
@settings(max_examples=100, deadline=None)
@given(record=records())
def test_an_envelope_brings_back_schema_and_value(engine: type, record: tuple[Schema, Any]) -> None:
    """Both come back equal, whether the schema was seen before or not."""
    converter = _converter(engine)

    data = converter.from_connect_data("t", *record)
    first, again = (converter.to_connect_data("t", data) for _ in range(2))

    assert first == again == SchemaAndValue(*record)


@settings(max_examples=100, deadline=None)
@given(record=records())
def test_numeric_decimals_come_back_with_their_scale(record: tuple[Schema, Any]) -> None:
    """Decimals as numbers lose nothing."""
    converter = _converter(OrjsonEngine, decimal_format="numeric")

    data = converter.from_connect_data("t", *record)

    assert converter.to_connect_data("t", data) == SchemaAndValue(*record)


@settings(max_examples=100, deadline=None)
@given(record=records())
def test_both_engines_write_the_same_bytes(record: tuple[Schema, Any]) -> None:
    """What is installed does not change what other systems read."""
    fast, plain = _converter(OrjsonEngine), _converter(PlainEngine)

    assert fast.from_connect_data("t", *record) == plain.from_connect_data("t", *record)


@settings(max_examples=100, deadline=None)
@given(record=records())
def test_an_envelope_is_json_for_everyone(record: tuple[Schema, Any]) -> None:
    """A reader that knows nothing of Connect finds schema and payload."""
    data = _converter(OrjsonEngine).from_connect_data("t", *record)

    assert list(json.loads(data)) == ["schema", "payload"]


@ENGINES
@settings(max_examples=100, deadline=None)
@given(value=JSON_VALUES)
def test_plain_json_is_read_as_any_reader_reads_it(engine: type, value: Any) -> None:
    """An independent writer and reader agree with ours."""
    converter = _converter(engine, schemas_enable="false")

    read = converter.to_connect_data("t", json.dumps(value).encode())

    assert read == SchemaAndValue(None, value)


@ENGINES
@settings(max_examples=100, deadline=None)
@given(value=JSON_VALUES)
def test_plain_json_is_written_so_that_any_reader_reads_it(engine: type, value: Any) -> None:
    """An independent reader finds the value that was given."""
    data = _converter(engine, schemas_enable="false").from_connect_data("t", None, value)

    assert value is None if data is None else json.loads(data) == value


@ENGINES
@settings(max_examples=100, deadline=None)
@given(
    data=st.binary(max_size=40) | st.text('[]{},:"\\u0d81e-. nulltrue', max_size=40).map(str.encode)
)
def test_any_bytes_are_a_value_or_a_data_error(engine: type, data: bytes) -> None:
    """Nothing else ever comes out of hostile bytes."""
    converter = _converter(engine, schemas_enable="false")

    try:
        schema, _ = converter.to_connect_data("t", data)
    except DataError:
        return

    assert schema is None


def _outcome(engine: type, data: bytes) -> Any:
    """The value as text, which tells 1 from 1.0 and 0.0 from -0.0, or that there is none."""
    try:
        return repr(_converter(engine, schemas_enable="false").to_connect_data("t", data).value)
    except DataError:
        return DataError


_PAIRS = st.tuples(st.sampled_from(["a", "b", ":", '"', "\\"]), JSON_VALUES)
_TWICE = st.lists(_PAIRS, min_size=1, max_size=4).map(
    lambda pairs: ",".join(f"{json.dumps(key)} : {json.dumps(value)}" for key, value in pairs)
)


@settings(max_examples=100, deadline=None)
@given(text=_TWICE.map("{{{}}}".format) | st.text('[]{},:"\\u0d81e-. a', max_size=30))
def test_the_fast_reader_never_disagrees_with_the_exact_one(text: str) -> None:
    """Keys that occur twice, colons in strings and odd numbers are found out by both."""
    assert _outcome(OrjsonEngine, text.encode()) == _outcome(PlainEngine, text.encode())
