"""Which values stand under which schema, and the words for those that do not."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal as D  # noqa: N817  # short in tables

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plugwright.errors import DataError
from plugwright.schema import (
    BOOLEAN_SCHEMA,
    BYTES_SCHEMA,
    FLOAT32_SCHEMA,
    FLOAT64_SCHEMA,
    INT8_SCHEMA,
    INT16_SCHEMA,
    INT32_SCHEMA,
    INT64_SCHEMA,
    OPTIONAL_INT8_SCHEMA,
    STRING_SCHEMA,
    Date,
    Decimal,
    Schema,
    SchemaBuilder,
    Struct,
    Time,
    Timestamp,
    Type,
    validate_value,
)

ARRAY = SchemaBuilder.array(INT8_SCHEMA).build()
MAP = SchemaBuilder.map(STRING_SCHEMA, INT8_SCHEMA).build()
STRUCT = SchemaBuilder.struct().field("a", INT8_SCHEMA).build()
INSTANT = dt.datetime(2019, 8, 23, 14, 34, tzinfo=dt.UTC)
MAX_FLOAT32 = 3.4028234663852886e38


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (INT8_SCHEMA, -128),
        (INT8_SCHEMA, 127),
        (INT16_SCHEMA, -32768),
        (INT16_SCHEMA, 32767),
        (INT32_SCHEMA, -2147483648),
        (INT32_SCHEMA, 2147483647),
        (INT64_SCHEMA, -9223372036854775808),
        (INT64_SCHEMA, 9223372036854775807),
        (FLOAT32_SCHEMA, 0.1),
        (FLOAT32_SCHEMA, MAX_FLOAT32),
        (FLOAT32_SCHEMA, float("inf")),
        (FLOAT32_SCHEMA, float("-inf")),
        (FLOAT32_SCHEMA, float("nan")),
        (FLOAT64_SCHEMA, 1e308),
        (FLOAT64_SCHEMA, float("nan")),
        (BOOLEAN_SCHEMA, True),
        (STRING_SCHEMA, ""),
        (BYTES_SCHEMA, b""),
        (BYTES_SCHEMA, bytearray(b"a")),
        pytest.param(BYTES_SCHEMA, memoryview(b"a"), id="memoryview"),
        (ARRAY, []),
        (ARRAY, [1, 2]),
        (MAP, {}),
        (MAP, {"a": 1}),
        (STRUCT, Struct(STRUCT).put("a", 1)),
        (OPTIONAL_INT8_SCHEMA, None),
        (Decimal.schema(2), D("1.00")),
        (Date.SCHEMA, dt.date(1, 1, 1)),
        (Time.SCHEMA, dt.time(23, 59)),
        (Time.SCHEMA, dt.time(23, 59, tzinfo=dt.UTC)),
        (Timestamp.SCHEMA, INSTANT),
        (Timestamp.SCHEMA, INSTANT.astimezone(dt.timezone(dt.timedelta(hours=2)))),
    ],
    ids=str,
)
def test_fitting_value_is_accepted(schema, value):
    """Every type accepts its Python types to the ends of their ranges."""
    validate_value(schema, value)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (INT8_SCHEMA, -129),
        (INT8_SCHEMA, 128),
        (INT16_SCHEMA, 32768),
        (INT32_SCHEMA, -2147483649),
        (INT64_SCHEMA, 9223372036854775808),
        (INT8_SCHEMA, True),
        (INT8_SCHEMA, 1.0),
        (INT8_SCHEMA, "1"),
        (FLOAT32_SCHEMA, 3.4028235677973366e38),
        (FLOAT32_SCHEMA, -1e39),
        (FLOAT32_SCHEMA, 1),
        (FLOAT64_SCHEMA, 1),
        (FLOAT64_SCHEMA, D(1)),
        (BOOLEAN_SCHEMA, 1),
        (STRING_SCHEMA, b"a"),
        (BYTES_SCHEMA, "a"),
        (BYTES_SCHEMA, [1]),
        (ARRAY, (1, 2)),
        (MAP, [("a", 1)]),
        (STRUCT, {"a": 1}),
        (Decimal.schema(2), b"\x01"),
        (Decimal.schema(2), D("NaN")),
        (Decimal.schema(2), 1),
        (Date.SCHEMA, 1),
        (Date.SCHEMA, INSTANT),
        (Time.SCHEMA, INSTANT),
        (Time.SCHEMA, dt.time(1, tzinfo=dt.timezone(dt.timedelta(hours=2)))),
        (Timestamp.SCHEMA, INSTANT.replace(tzinfo=None)),
        (Timestamp.SCHEMA, dt.date(2019, 8, 23)),
        (Schema(Type.STRUCT, name=Date.LOGICAL_NAME), dt.date(2019, 8, 23)),
    ],
    ids=repr,
)
def test_other_value_is_refused(schema, value):
    """Neither a wrong class nor a value out of range passes."""
    with pytest.raises(DataError, match=r"^Invalid Python object for schema") as caught:
        validate_value(schema, value)
    assert caught.value.code == "schema.wrong-value"


NESTED = SchemaBuilder.map(STRING_SCHEMA, ARRAY).build()
INNER = "with type INT8: class str for"


@pytest.mark.parametrize(
    ("schema", "value", "message"),
    [
        (INT8_SCHEMA, None, "Invalid value: null used for required value, schema type: INT8"),
        (INT8_SCHEMA, "a", f"Invalid Python object for schema {INNER} value"),
        (
            INT8_SCHEMA,
            300,
            (
                "Invalid Python object for schema with type INT8: class int for value, "
                "300 is not within -128 and 127"
            ),
        ),
        (
            FLOAT32_SCHEMA,
            1e39,
            (
                "Invalid Python object for schema with type FLOAT32: class float for value, "
                "1.0E39 is larger than any 32-bit float"
            ),
        ),
        (
            Date.SCHEMA,
            "a",
            (
                'Invalid Python object for schema "org.apache.kafka.connect.data.Date" '
                "with type INT32: class str for value"
            ),
        ),
        (ARRAY, ["a"], f"Invalid Python object for schema {INNER} element of array value"),
        (
            ARRAY,
            [1, None],
            "Invalid value: null used for required element of array value, schema type: INT8",
        ),
        (
            MAP,
            {1: 1},
            "Invalid Python object for schema with type STRING: class int for key of map value",
        ),
        (MAP, {"a": "a"}, f"Invalid Python object for schema {INNER} value of map value"),
        (
            NESTED,
            {"a": ["a"]},
            f"Invalid Python object for schema {INNER} element of array value of map value",
        ),
        (
            STRUCT,
            Struct(STRUCT),
            'Invalid value: null used for required field: "a", schema type: INT8',
        ),
        (
            STRUCT,
            Struct(SchemaBuilder.struct().field("b", INT8_SCHEMA).build()),
            "Struct schemas do not match.",
        ),
        (
            Schema(Type.ARRAY),
            [1],
            "No schema defined for element of array value",
        ),
        (Schema(Type.MAP), {1: 1}, "No schema defined for key of map value"),
        (
            Schema(Type.MAP, key_schema=INT8_SCHEMA),
            {1: 1},
            "No schema defined for value of map value",
        ),
    ],
)
def test_message_names_the_place(schema, value, message):
    """Kafka's words, with the path into containers."""
    with pytest.raises(DataError) as caught:
        validate_value(schema, value)
    assert str(caught.value) == message


def test_location_can_be_named_by_the_caller():
    """Structs name their fields."""
    with pytest.raises(DataError, match=r'required field: "a", schema type: INT8$'):
        validate_value(INT8_SCHEMA, None, 'field: "a"')


def test_naive_datetime_gets_advice():
    """The hint says what is missing."""
    with pytest.raises(DataError) as caught:
        validate_value(Timestamp.SCHEMA, INSTANT.replace(tzinfo=None))
    assert "time zone" in caught.value.hint


def test_giant_integer_is_refused_without_being_written_out():
    """Python refuses to print integers of more than 4300 digits."""
    with pytest.raises(DataError, match="the number is not within"):
        validate_value(INT64_SCHEMA, 10**5000)


def test_optional_elements_may_be_null():
    """The element schema decides."""
    validate_value(SchemaBuilder.array(OPTIONAL_INT8_SCHEMA).build(), [1, None])


ANYTHING = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(),
        st.binary(),
        st.decimals(),
        st.dates(),
        st.times(),
        st.datetimes(),
        st.datetimes(timezones=st.just(dt.UTC)),
    ),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    max_leaves=5,
)
SCHEMAS = (
    *(Schema(type_) for type_ in Type),
    OPTIONAL_INT8_SCHEMA,
    ARRAY,
    MAP,
    NESTED,
    STRUCT,
    Decimal.schema(0),
    Date.SCHEMA,
    Time.SCHEMA,
    Timestamp.SCHEMA,
)


@pytest.mark.slow
@given(st.sampled_from(SCHEMAS), ANYTHING)
@settings(max_examples=100)
def test_validation_raises_nothing_but_data_errors(schema, value):
    """Whatever the value, it fits or it does not."""
    try:
        validate_value(schema, value)
    except DataError as error:
        assert str(error)  # noqa: PT017  # a value that fits is as good
