"""JSON schemas, as taps write them, as Connect schemas; and the values that fit."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal

import pytest

from plugwright import DataError, SchemaType
from plugwright_singer.json_schema import JSON_NAME, Translator

_UTC = dt.UTC
_DECIMAL = "org.apache.kafka.connect.data.Decimal"
_TIMESTAMP = "org.apache.kafka.connect.data.Timestamp"
_DATE = "org.apache.kafka.connect.data.Date"


def _read(schema, *, decimals=True, keys=(), **document):
    """How a field ``f`` of that schema is read."""
    whole = json.loads(
        json.dumps({"properties": {"f": schema}, "required": ["f"], **document}),
        parse_float=Decimal,
    )
    return Translator(whole, decimals=decimals).record("s", frozenset(keys))


def _field(reading):
    schema = reading.schema.field("f").schema
    return schema.type, schema.name, schema.optional


def _value(reading, text):
    return reading.convert({"f": json.loads(text, parse_float=Decimal)}).get_without_default("f")


@pytest.mark.parametrize(
    ("schema", "field", "text", "value"),
    [
        ({"type": "string"}, (SchemaType.STRING, None, False), '"x"', "x"),
        ({"type": ["null", "string"]}, (SchemaType.STRING, None, True), "null", None),
        ({"type": "integer"}, (SchemaType.INT64, None, False), "9223372036854775807", 2**63 - 1),
        ({"type": "integer"}, (SchemaType.INT64, None, False), "2.0", 2),
        (
            {"type": "integer", "maximum": 2**64},
            (SchemaType.BYTES, _DECIMAL, False),
            "18446744073709551616",
            Decimal(2**64),
        ),
        ({"type": "number"}, (SchemaType.FLOAT64, None, False), "0.1", 0.1),
        ({"type": ["integer", "number"]}, (SchemaType.FLOAT64, None, False), "3", 3.0),
        (
            {"type": "number", "multipleOf": 0.01},
            (SchemaType.BYTES, _DECIMAL, False),
            "1.5",
            Decimal("1.50"),
        ),
        (
            {"type": "number", "multipleOf": 1e-38},
            (SchemaType.BYTES, _DECIMAL, False),
            "12345678901234567890.5",
            Decimal("12345678901234567890.5" + 37 * "0"),
        ),
        ({"type": "boolean"}, (SchemaType.BOOLEAN, None, False), "true", True),
        (
            {"type": "string", "contentEncoding": "base64"},
            (SchemaType.BYTES, None, False),
            '"AP8="',
            b"\x00\xff",
        ),
        (
            {"type": "string", "format": "date-time"},
            (SchemaType.INT64, _TIMESTAMP, False),
            '"2024-03-31T02:30:00+02:00"',
            dt.datetime(2024, 3, 31, 0, 30, tzinfo=_UTC),
        ),
        (
            {"type": "string", "format": "date-time"},
            (SchemaType.INT64, _TIMESTAMP, False),
            '"2024-03-31T02:30:00Z"',
            dt.datetime(2024, 3, 31, 2, 30, tzinfo=_UTC),
        ),
        (
            {"type": "string", "format": "date-time"},
            (SchemaType.INT64, _TIMESTAMP, False),
            '"2024-03-31 02:30:00"',
            dt.datetime(2024, 3, 31, 2, 30, tzinfo=_UTC),
        ),
        (
            {"type": "string", "format": "date"},
            (SchemaType.INT32, _DATE, False),
            '"2024-02-29"',
            dt.date(2024, 2, 29),
        ),
        (
            {"type": "string", "format": "date"},
            (SchemaType.INT32, _DATE, False),
            '"2024-02-29T00:00:00Z"',
            dt.date(2024, 2, 29),
        ),
        (
            {"type": "array", "items": {"type": ["null", "integer"]}},
            (SchemaType.ARRAY, None, False),
            "[1, null]",
            [1, None],
        ),
        (
            {"type": "object", "additionalProperties": {"type": "integer"}},
            (SchemaType.MAP, None, False),
            '{"a": 1}',
            {"a": 1},
        ),
        ({"type": "array"}, (SchemaType.STRING, JSON_NAME, False), '[1, "é"]', '[1,"é"]'),
        ({"type": "object"}, (SchemaType.STRING, JSON_NAME, False), '{"a": 1.10}', '{"a":1.10}'),
        ({}, (SchemaType.STRING, JSON_NAME, True), "true", "true"),
        ({"type": ["integer", "string"]}, (SchemaType.STRING, JSON_NAME, False), '"1"', '"1"'),
        (
            {
                "anyOf": [
                    {"type": "string", "format": "date-time"},
                    {"type": ["string", "null"]},
                ]
            },
            (SchemaType.STRING, None, True),
            '"yesterday"',
            "yesterday",
        ),
        (
            {"anyOf": [{"type": "null"}, {"type": "string", "format": "date"}]},
            (SchemaType.INT32, _DATE, True),
            '"2024-02-29"',
            dt.date(2024, 2, 29),
        ),
        (
            {"oneOf": [{"type": "integer"}, {"type": "object", "properties": {}}]},
            (SchemaType.STRING, JSON_NAME, False),
            "1",
            "1",
        ),
        (
            {"anyOf": [{"$ref": "#/definitions/day"}, {"type": "null"}]},
            (SchemaType.INT32, _DATE, True),
            '"2024-02-29"',
            dt.date(2024, 2, 29),
        ),
    ],
    ids=str,
)
def test_types(schema, field, text, value):
    """Schema and value."""
    reading = _read(schema, definitions={"day": {"type": "string", "format": "date"}})
    assert _field(reading) == field
    found = _value(reading, text)
    assert (type(found), found) == (type(value), value)


def test_objects_with_properties_are_structs():
    """Within one another; what is not required may be missing."""
    schema = {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"properties": {"c": {"type": "string"}}}},
        "required": ["a"],
    }
    found = _value(_read(schema), '{"a": 1, "b": {"c": "x"}}')
    assert (found["a"], found["b"]["c"]) == (1, "x")
    assert _value(_read(schema), '{"a": 1}')["b"] is None
    assert (found.schema.name, found["b"].schema.name) == ("s.f", "s.f.b")


def test_names_of_schemas_are_names_in_avro():
    """Whatever streams and fields are called."""
    inner = {"type": "object", "properties": {"x": {"type": "string"}}}
    reading = Translator({"properties": {"a b": inner}}, decimals=True).record(
        "1public-or.ders", frozenset()
    )
    assert reading.schema.name == "_1public_or_ders"
    assert reading.schema.field("a b").schema.name == "_1public_or_ders.a_b"


def test_a_field_that_is_not_required_may_be_null():
    """As in JSON Schema, where it may be missing."""
    assert _field(_read({"type": "string"}, required=[]))[2] is True


def test_a_key_is_never_null():
    """Whatever its schema says."""
    reading = _read({"type": ["null", "integer"]}, required=[], keys=["f"])
    assert _field(reading) == (SchemaType.INT64, None, False)


def test_decimals_can_be_floating_point_numbers():
    """As the setting says."""
    reading = _read({"type": "number", "multipleOf": 0.01}, decimals=False)
    assert _field(reading) == (SchemaType.FLOAT64, None, False)


def test_the_scale_is_that_of_the_step():
    """Also of one that is no power of ten."""
    reading = _read({"type": "number", "multipleOf": 0.25})
    assert reading.schema.field("f").schema.parameters == {"scale": "2"}


def test_a_schema_that_holds_itself_ends():
    """Somewhere its values are JSON."""
    tree = {"type": "object", "properties": {"t": {"$ref": "#/properties/f"}}}
    found = _value(_read(tree), '{"t": {"t": null}}')
    assert found["t"]["t"] is None


@pytest.mark.parametrize(
    ("schema", "text", "said"),
    [
        ({"type": "string"}, "1", "f: expected a string, found 1"),
        ({"type": "string"}, "null", "expected a value of f, found null"),
        ({"type": "boolean"}, "0", "f: expected a boolean, found 0"),
        ({"type": "integer"}, "true", "f: expected an integer of 64 bits, found true"),
        ({"type": "integer"}, str(2**63), "f: expected an integer of 64 bits"),
        ({"type": "integer"}, "1.5", "f: expected an integer of 64 bits"),
        ({"type": "number"}, '"1"', "f: expected a number"),
        ({"type": "number"}, "1" + 400 * "0", "f: expected a number of 64 bits"),
        ({"type": "number", "multipleOf": 0.01}, "0.001", "f: expected a decimal of scale 2"),
        ({"type": "string", "format": "date"}, '"x"', "f: expected a date"),
        ({"type": "string", "format": "date"}, '"2024-01-01T05:00"', "f: expected a date"),
        ({"type": "string", "format": "date-time"}, '"x"', "f: expected a date-time"),
        ({"type": "string", "contentEncoding": "base64"}, '"?"', "f: expected base64"),
        ({"type": "array", "items": {"type": "integer"}}, "1", "f: expected an array"),
        ({"type": "array", "items": {"type": "integer"}}, "[null]", "f: expected a value"),
        ({"additionalProperties": {"type": "integer"}, "type": "object"}, "1", "f: expected an"),
        ({"properties": {"g": {"type": "integer"}}}, '{"g": "x"}', "f.g: expected an integer"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused(schema, text, said):
    """With the field, what was expected and found; nothing is rounded or made text."""
    with pytest.raises(DataError) as caught:
        _value(_read(schema), text)
    assert str(caught.value).startswith(said)
