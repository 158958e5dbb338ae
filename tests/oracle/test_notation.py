"""The notation means the Python values that NOTATION.md says."""

from __future__ import annotations

import datetime as dt
import json
import math
import uuid
from decimal import Decimal as PythonDecimal

import pytest
from tests.oracle.golden import Line
from tests.oracle.notation import (
    NotRepresentableError,
    comparable,
    has_width,
    is_representable,
    read_bytes,
    read_data,
    read_record,
    read_schema,
    read_value,
    write_bytes,
    write_data,
    write_record,
    write_schema,
    write_value,
)

from plugwright.record import SinkRecord
from plugwright.schema import (
    INT8_SCHEMA,
    OPTIONAL_STRING_SCHEMA,
    Date,
    Decimal,
    Schema,
    SchemaBuilder,
    Struct,
    Time,
    Type,
)

_POINT = SchemaBuilder.struct().name("P").field("x", INT8_SCHEMA).build()
_POINT_NODE = {"type": "struct", "name": "P", "fields": [["x", "int8"]]}
_NAMED = SchemaBuilder.int8().optional().name("n").version(2).doc("d").parameter("p", "q")

SCHEMAS = {
    "required": ("int8", INT8_SCHEMA),
    "optional": ("string?", OPTIONAL_STRING_SCHEMA),
    "date": ("date", Date.SCHEMA),
    "optional-decimal": ("decimal(2)?", Decimal.builder(2).optional().build()),
    "none": (None, None),
    "struct": (_POINT_NODE, _POINT),
    "array-of-unknown": ({"type": "array", "items": None}, Schema(Type.ARRAY)),
    "map": (
        {"type": "map", "keys": "int8", "values": "int8"},
        SchemaBuilder.map(INT8_SCHEMA, INT8_SCHEMA).build(),
    ),
    "all-properties": (
        {
            "type": "int8",
            "optional": True,
            "name": "n",
            "version": 2,
            "doc": "d",
            "parameters": {"p": "q"},
            "default": 3,
        },
        _NAMED.default(3).build(),
    ),
}


@pytest.mark.parametrize(("node", "schema"), SCHEMAS.values(), ids=SCHEMAS)
def test_schema_is_read(node, schema):
    """Each form of a schema reads as what the builder makes."""
    assert read_schema(node) == schema


@pytest.mark.parametrize(("node", "schema"), SCHEMAS.values(), ids=SCHEMAS)
def test_schema_is_written_in_its_shortest_form(node, schema):
    """A schema is written as NOTATION.md shows it."""
    assert write_schema(schema) == node


VALUES = {
    "null": (None, None, None),
    "long": (5, None, 5),
    "double": (1.5, None, 1.5),
    "float-of-whole": (1, Schema(Type.FLOAT64), 1.0),
    "float-rounds": (0.1, Schema(Type.FLOAT32), 0.10000000149011612),
    "infinity": ({"$float64": "-Infinity"}, None, -math.inf),
    "narrow": ({"$int8": 5}, None, 5),
    "big": ({"$bigint": "9223372036854775808"}, None, 2**63),
    "bytes": ({"$bytes": "AQI="}, None, b"\1\2"),
    "buffer": ({"$buffer": "AQI="}, None, memoryview(b"\1\2")),
    "decimal": ({"$decimal": ["-150", 2]}, None, PythonDecimal("-1.50")),
    "decimal-negative-scale": ({"$decimal": ["15", -1]}, None, PythonDecimal("1.5E+2")),
    "date": ({"$date": 86400000}, Date.SCHEMA, dt.date(1970, 1, 2)),
    "date-with-time": ({"$date": 1}, Date.SCHEMA, dt.datetime(1970, 1, 1, 0, 0, 0, 1000, dt.UTC)),
    "time": ({"$date": 1001}, Time.SCHEMA, dt.time(0, 0, 1, 1000)),
    "moment": ({"$date": -1}, None, dt.datetime(1969, 12, 31, 23, 59, 59, 999000, dt.UTC)),
    "map": ({"a": [1, None]}, None, {"a": [1, None]}),
    "pairs": ({"$map": [[1, "a"]]}, None, {1: "a"}),
    "struct": ({"x": 1}, _POINT, Struct(_POINT).put("x", 1)),
    "foreign-struct": (
        {"$struct": {"schema": _POINT_NODE, "fields": {"x": 1}}},
        None,
        Struct(_POINT).put("x", 1),
    ),
    "uuid": ({"$uuid": "00000000-0000-0000-0000-000000000001"}, None, uuid.UUID(int=1)),
}


@pytest.mark.parametrize(("node", "schema", "value"), VALUES.values(), ids=VALUES)
def test_value_is_read(node, schema, value):
    """Each tag reads as the Python class that stands for the Java one."""
    found = read_value(node, schema)

    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("value", "schema", "node"),
    [
        (1.0, None, 1.0),
        (2**63, None, {"$bigint": "9223372036854775808"}),
        (math.nan, None, {"$float64": "NaN"}),
        (math.inf, Schema(Type.FLOAT32), {"$float32": "Infinity"}),
        (bytearray(b"\1"), None, {"$bytes": "AQ=="}),
        (PythonDecimal("-0.0150"), None, {"$decimal": ["-150", 4]}),
        (dt.date(1970, 1, 2), Date.SCHEMA, {"$date": 86400000}),
        (dt.time(0, 0, 1, 1999), Time.SCHEMA, {"$date": 1001}),
        (dt.datetime(1970, 1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=1))), None, {"$date": 0}),
        ({2: "b", 1: "a"}, None, {"$map": [[1, "a"], [2, "b"]]}),
        ({"$a": 1}, None, {"$map": [["$a", 1]]}),
        ({"b": 1, "a": 2}, None, {"a": 2, "b": 1}),
        (Struct(_POINT).put("x", 1), _POINT, {"x": 1}),
        (Struct(_POINT), None, {"$struct": {"schema": _POINT_NODE, "fields": {}}}),
    ],
    ids=str,
)
def test_value_is_written(value, schema, node):
    """Each Python class is written with its tag, and in one order."""
    assert json.dumps(write_value(value, schema)) == json.dumps(node)


@pytest.mark.parametrize(
    ("node", "schema"),
    [
        ({"$date": 253402300800000}, None),
        ({"$int16": 5}, INT8_SCHEMA),
        ({"$float64": 1.5}, Schema(Type.FLOAT32)),
        ({"$map": [[[1], 2]]}, None),
    ],
    ids=["year-10000", "short-for-byte", "double-for-float", "list-as-key"],
)
def test_what_python_lacks_is_refused(node, schema):
    """A value that Python cannot have, or cannot tell from a right one, is not made up."""
    with pytest.raises(NotRepresentableError):
        read_value(node, schema)


def test_wrong_class_that_python_sees_is_read():
    """A whole number too large for its schema is wrong in Python, too."""
    assert read_value({"$int16": 300}, INT8_SCHEMA) == 300


def test_data_keeps_no_data_apart_from_null():
    """Java's null SchemaAndValue is not the same as a null value."""
    assert (read_data(None), read_data({"value": None})) == (None, (None, None))


@pytest.mark.parametrize(
    ("node", "value"),
    [({"text": "é"}, b"\xc3\xa9"), ({"bytes": "/w=="}, b"\xff"), ({"bytes": None}, None)],
    ids=["text", "bytes", "null"],
)
def test_bytes_are_read_and_written(node, value):
    """Printable UTF-8 stands as text, everything else in base64."""
    assert (read_bytes(node), write_bytes(value)) == (value, node)


def test_sink_record_is_read_and_written():
    """A sink record keeps its offset, headers and original topic."""
    node = {
        "kind": "sink",
        "topic": "new",
        "partition": 2,
        "key": {"schema": "string", "value": "k"},
        "timestamp": 5,
        "headers": [["h", {"schema": "int8", "value": 1}]],
        "offset": 9,
        "original_topic": "old",
    }

    record = read_record(node)

    assert isinstance(record, SinkRecord)
    assert (record.topic, record.original_topic, record.kafka_offset) == ("new", "old", 9)
    assert (record.key, record.headers.last_with_name("h").value) == ("k", 1)
    assert write_record(record) == node


def test_comparable_ignores_what_python_cannot_see():
    """A schemaless Byte and a schemaless Long look alike, 1 and 1.0 do not."""
    narrow, wide = {"data": {"value": {"$int8": 1}}}, {"data": write_data(None, 1)}

    assert comparable(narrow) == comparable(wide) != comparable({"data": {"value": 1.0}})


def test_comparable_reads_a_projection_under_its_target():
    """A bare struct needs the schema of its place."""
    assert comparable({"value": {"x": 1}}, _POINT) == '{"value": {"x": 1}}'


def test_lines_tell_whether_python_can_answer():
    """A width without schema is marked, a value that Python lacks as well."""
    narrow = Line("a", {"data": {"value": {"$int8": 1}}}, {"text": "1"})
    late = Line("b", {"data": {"value": {"$date": 2**62}}}, {"text": "1"})

    assert (has_width(narrow), is_representable(narrow)) == (True, True)
    assert (has_width(late), is_representable(late)) == (False, False)
