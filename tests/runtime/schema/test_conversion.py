"""Values: conversions, text and inference."""

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
    INT64_SCHEMA,
    OPTIONAL_STRING_SCHEMA,
    STRING_SCHEMA,
    Date,
    SchemaBuilder,
    Struct,
    Time,
    Timestamp,
    Values,
)

DAY = dt.date(2019, 8, 23)
TIME = dt.time(14, 34, 54, 346000)
INSTANT = dt.datetime(2019, 8, 23, 14, 34, 54, 346000, dt.UTC)
BEFORE = dt.datetime(1969, 12, 31, 12, tzinfo=dt.UTC)
POINT = SchemaBuilder.struct().field("x", INT8_SCHEMA).field("f", FLOAT32_SCHEMA).build()
STRUCT = Struct(POINT).put("x", 1).put("f", 0.1)
SCALARS = ("boolean", "byte", "short", "integer", "long", "float", "double")
INF = float("inf")


def _convert(word, value, *more):
    return getattr(Values, f"convert_to_{word}")(None, value, *more)


@pytest.mark.parametrize(
    ("word", "value", "expected"),
    [
        ("boolean", True, True),
        ("boolean", "false", False),
        ("boolean", " true ", True),
        ("boolean", 0, False),
        ("boolean", 0.9, False),
        ("boolean", 2, True),
        ("boolean", "0", False),
        ("boolean", "1.0", True),
        ("byte", 127, 127),
        ("byte", 128, -128),
        ("byte", -129, 127),
        ("byte", 300.7, 44),
        ("byte", "5", 5),
        ("short", 32768, -32768),
        ("short", "40000", -25536),
        ("integer", 2147483648, -2147483648),
        ("integer", 1e20, -1),
        ("integer", float("nan"), 0),
        ("long", 9223372036854775808, -9223372036854775808),
        ("long", 1e300, 9223372036854775807),
        ("long", -1e300, -9223372036854775808),
        ("long", -1.9, -1),
        ("long", "1e3", 1000),
        ("long", "-1.9", -1),
        ("long", D("18446744073709551617.5"), 1),
        ("long", D("1e999999999"), 0),
        ("long", D("1e-999999999"), 0),
        ("float", 0.1, 0.10000000149011612),
        ("float", 1e39, INF),
        ("float", -1e39, -INF),
        ("float", 10**400, INF),
        ("float", "1.5", 1.5),
        ("double", 1, 1.0),
        ("double", "1e400", INF),
        ("double", -(10**400), -INF),
        ("double", D("0.1"), 0.1),
        ("list", [1], [1]),
        ("list", "[1, 2]", [1, 2]),
        ("map", {1: 2}, {1: 2}),
        ("map", '{"a":1}', {"a": 1}),
        ("struct", STRUCT, STRUCT),
        ("date", DAY, DAY),
        ("date", "2019-08-23", DAY),
        ("date", INSTANT, DAY),
        ("date", BEFORE, dt.date(1969, 12, 31)),
        ("date", "2019-08-23T14:34:54.346Z", DAY),
        ("date", 18131, DAY),
        ("date", "18131", DAY),
        ("time", TIME, TIME),
        ("time", "14:34:54.346Z", TIME),
        ("time", INSTANT, TIME),
        ("time", BEFORE, dt.time(12)),
        ("time", 52494346, TIME),
        ("timestamp", INSTANT, INSTANT),
        ("timestamp", "2019-08-23T14:34:54.346Z", INSTANT),
        ("timestamp", DAY, dt.datetime(2019, 8, 23, tzinfo=dt.UTC)),
        ("timestamp", TIME, dt.datetime(1970, 1, 1, 14, 34, 54, 346000, dt.UTC)),
        ("timestamp", 1566570894346, INSTANT),
        ("timestamp", "1566570894346", INSTANT),
    ],
    ids=lambda value: repr(value)[:90],
)
def test_value_converts(word, value, expected):
    """Numbers narrow as Java casts do; text is read first."""
    converted = _convert(word, value)
    assert (converted, type(converted)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (D("1.50"), "1.50"),
        (b"\x0a", "1.0"),
        (bytearray(b"\xf6"), "-1.0"),
        (1.0, "1.0"),
        (0.1, "0.1"),
        (1e10, "1.0E+10"),
        (5, "5.0"),
        (-70000, "-70000.0"),
        (20000000, "2.0E+7"),
        (9007199254740993, "9007199254740993"),
        (10**400, "1" + "0" * 400),
        ("1.25", "1.25"),
    ],
    ids=repr,
)
def test_decimal_is_read_and_never_rescaled(value, expected):
    """The scale only says how to read bytes."""
    assert str(_convert("decimal", value, 1)) == expected


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        (Date.SCHEMA, DAY, 18131),
        (Time.SCHEMA, TIME, 52494346),
        (Timestamp.SCHEMA, INSTANT, 1566570894346),
    ],
    ids=["date", "time", "timestamp"],
)
def test_moment_is_a_number_under_its_schema(schema, value, expected):
    """Days or milliseconds."""
    assert Values.convert_to_long(schema, value) == expected
    assert Values.convert_to_double(schema, value) == float(expected)


@pytest.mark.parametrize("value", [DAY, TIME, INSTANT], ids=["date", "time", "timestamp"])
@pytest.mark.parametrize("schema", [None, INT64_SCHEMA], ids=["no-schema", "int64"])
def test_moment_is_no_number_elsewhere(schema, value):
    """Only the schema tells whether days or milliseconds are meant."""
    with pytest.raises(DataError, match="Unable to convert"):
        Values.convert_to_long(schema, value)
    with pytest.raises(DataError, match="Unable to convert"):
        Values.convert_to_float(schema, value)


@pytest.mark.parametrize(
    ("word", "text"),
    [("date", "2019-08-23"), ("time", "14:34:54.346Z"), ("timestamp", "2019-08-23")],
)
def test_text_of_a_moment_is_none_under_string(word, text):
    """Kafka asks the schema what a moment is, even one that it has just read."""
    convert = getattr(Values, f"convert_to_{word}")

    assert convert(None, text)
    with pytest.raises(DataError, match=r"to Schema\{STRING\}$"):
        convert(STRING_SCHEMA, text)


@pytest.mark.parametrize("word", SCALARS)
def test_null_stays_null(word):
    """For the types that may be null."""
    assert _convert(word, None) is None
    assert Values.convert_to_string(None, None) is None


@pytest.mark.parametrize("word", ["list", "map", "struct", "date", "time", "timestamp", "decimal"])
def test_null_is_refused_where_a_value_is_required(word):
    """Kafka's words."""
    with pytest.raises(DataError) as caught:
        _convert(word, None, *([2] if word == "decimal" else []))
    assert str(caught.value) == ("Unable to convert a null value to a schema that requires a value")


@pytest.mark.parametrize("word", [*SCALARS, "list", "map", "struct", "date", "time", "timestamp"])
@pytest.mark.parametrize("value", ["abc", b"a", D("NaN"), object], ids=repr)
def test_other_values_do_not_convert(word, value):
    """No conversion guesses."""
    with pytest.raises(DataError, match=r"^Unable to convert "):
        _convert(word, value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: Values.convert_to_long(None, "abc"),
            "Unable to convert abc (class str) to a number",
        ),
        (
            lambda: Values.convert_to_long(STRING_SCHEMA, " 5"),
            "Unable to convert  5 (class str) to Schema{STRING}",
        ),
        (
            lambda: Values.convert_to_integer(None, True),
            "Unable to convert true (class bool) to a number",
        ),
        (
            lambda: Values.convert_to_list(None, {1: 2}),
            "Unable to convert {1:2} (class dict) to Schema{ARRAY}",
        ),
        (
            lambda: Values.convert_to_date(None, TIME),
            (
                "Unable to convert 14:34:54.346Z (class time) to "
                "Schema{org.apache.kafka.connect.data.Date:INT32}"
            ),
        ),
        (
            lambda: Values.convert_to_time(None, DAY),
            (
                "Unable to convert 2019-08-23 (class date) to "
                "Schema{org.apache.kafka.connect.data.Time:INT32}"
            ),
        ),
        (
            lambda: Values.convert_to_decimal(None, "x" * 100, 2),
            (
                f"Unable to convert {'x' * 80}… (class str) to "
                "Schema{org.apache.kafka.connect.data.Decimal:BYTES}"
            ),
        ),
        (
            lambda: Values.convert_to_decimal(None, INF, 2),
            (
                "Unable to convert Infinity (class float) to "
                "Schema{org.apache.kafka.connect.data.Decimal:BYTES}"
            ),
        ),
    ],
    ids=["text", "blank", "bool", "map", "time", "date", "long-text", "infinity"],
)
def test_message_says_what_could_not_become_what(call, message):
    """Kafka's words; long values are cut."""
    with pytest.raises(DataError) as caught:
        call()
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("word", "value"),
    [("date", 2147483647), ("time", 86400000), ("time", -1), ("timestamp", 9223372036854775807)],
)
def test_moment_out_of_range_is_refused(word, value):
    """Python's calendar ends in 9999, a day has 86,400,000 milliseconds."""
    with pytest.raises(DataError):
        _convert(word, value)


@pytest.mark.parametrize(
    ("schema", "value", "text"),
    [
        (None, "a", "a"),
        (None, 'a"b', 'a"b'),
        (None, True, "true"),
        (None, -5, "-5"),
        (None, 1.0, "1.0"),
        (None, 0.001, "0.001"),
        (None, 0.0001, "1.0E-4"),
        (None, 9999999.0, "9999999.0"),
        (None, 1e7, "1.0E7"),
        (None, -1.5e300, "-1.5E300"),
        (None, -0.0, "-0.0"),
        (None, float("nan"), "NaN"),
        (None, -INF, "-Infinity"),
        (None, 0.10000000149011612, "0.10000000149011612"),
        (FLOAT32_SCHEMA, 0.10000000149011612, "0.1"),
        (FLOAT32_SCHEMA, 3.1415927410125732, "3.1415927"),
        (FLOAT32_SCHEMA, 16777216.0, "1.6777216E7"),
        (None, D("1E+400"), "1E+400"),
        (None, D("1.50"), "1.50"),
        (None, b"\x01\x02", "AQI="),
        pytest.param(None, memoryview(b"\x01\x02"), "AQI=", id="memoryview"),
        (None, ["a", 1, None], '["a",1,null]'),
        (None, [b"\x01\x02"], '["AQI="]'),
        (None, ['a"b\\c'], '["a\\"b\\\\c"]'),
        (None, {"a": {1: [True]}}, '{"a":{1:[true]}}'),
        (None, [], "[]"),
        (None, STRUCT, '{"x":1,"f":0.1}'),
        (SchemaBuilder.array(FLOAT32_SCHEMA).build(), [0.10000000149011612], "[0.1]"),
        (
            SchemaBuilder.map(STRING_SCHEMA, FLOAT32_SCHEMA).build(),
            {"a": 0.10000000149011612},
            '{"a":0.1}',
        ),
        (Date.SCHEMA, DAY, "2019-08-23"),
        (Time.SCHEMA, TIME, "14:34:54.346Z"),
        (Timestamp.SCHEMA, INSTANT, "2019-08-23T14:34:54.346Z"),
        (Timestamp.SCHEMA, BEFORE, "1969-12-31T12:00:00.000Z"),
        (None, dt.datetime(2019, 8, 23, tzinfo=dt.UTC), "2019-08-23T00:00:00.000Z"),
        (None, dt.datetime(1, 1, 1, tzinfo=dt.UTC), "0001-01-01T00:00:00.000Z"),
        (
            None,
            INSTANT.astimezone(dt.timezone(dt.timedelta(hours=2))),
            "2019-08-23T14:34:54.346Z",
        ),
        (None, [DAY], "[2019-08-23]"),
    ],
    ids=lambda value: repr(value)[:90],
)
def test_value_has_its_text(schema, value, text):
    """Kafka's forms, numbers as Java prints them."""
    assert Values.convert_to_string(schema, value) == text


def test_giant_integer_has_its_text():
    """Python's str refuses more than 4300 digits."""
    assert Values.convert_to_string(None, 10**5000) == "1" + "0" * 5000


_CYCLE: list[object] = []
_CYCLE.append(_CYCLE)


@pytest.mark.parametrize(
    "value",
    [
        object(),
        {1},
        [(1,)],
        INSTANT.replace(tzinfo=None),
        dt.time(1, tzinfo=dt.timezone(dt.timedelta(hours=2))),
        dt.datetime(1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=2))),
        _CYCLE,
    ],
    ids=["object", "set", "tuple", "naive", "zoned-time", "before-year-1", "cycle"],
)
def test_value_outside_the_data_model_has_no_text(value):
    """It is refused instead of printed somehow."""
    with pytest.raises(DataError, match=r"^Failed to serialize "):
        Values.convert_to_string(None, value)


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        (None, None),
        ("a", STRING_SCHEMA),
        (True, BOOLEAN_SCHEMA),
        (1, INT64_SCHEMA),
        (2**63, None),
        (1.5, FLOAT64_SCHEMA),
        (b"a", BYTES_SCHEMA),
        (bytearray(b"a"), BYTES_SCHEMA),
        (STRUCT, POINT),
        ([], None),
        ([None], None),
        ({}, None),
        ([1, 2], SchemaBuilder.array(INT64_SCHEMA).build()),
        (["a", None], SchemaBuilder.array(OPTIONAL_STRING_SCHEMA).build()),
        ([STRUCT], SchemaBuilder.array(POINT).build()),
        ([1, "a"], None),
        ([1, D(1)], None),
        ([[1], [2]], SchemaBuilder.array(SchemaBuilder.array(INT64_SCHEMA)).build()),
        ({"a": 1}, SchemaBuilder.map(STRING_SCHEMA, INT64_SCHEMA).build()),
        ({"a": 1, 2: 1}, None),
        ({"a": 1, "b": "c"}, None),
        ({"a": None}, None),
        (D(1), None),
        (DAY, None),
        (INSTANT, None),
        (object, None),
        (_CYCLE, None),
    ],
    ids=lambda value: repr(value)[:90],
)
def test_schema_is_inferred_where_the_value_shows_one(value, schema):
    """Homogeneous containers, primitives and structs do."""
    assert Values.infer_schema(value) == schema


def test_optional_struct_elements_keep_their_fields():
    """Only the optionality changes."""
    inferred = Values.infer_schema([STRUCT, None]).value_schema
    assert (inferred.optional, inferred.fields) == (True, POINT.fields)


@pytest.mark.slow
@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
@settings(max_examples=100)
def test_text_of_a_float32_reads_back_as_the_same_float32(number):
    """With as few digits as that takes: at most nine."""
    text = Values.convert_to_string(FLOAT32_SCHEMA, number)
    assert Values.convert_to_float(None, text) == number
    assert len(D(text).normalize().as_tuple().digits) <= 9


@pytest.mark.slow
@given(
    st.recursive(st.one_of(st.integers(-(2**63), 2**63 - 1), st.dates()), st.lists, max_leaves=5)
)
@settings(max_examples=100)
def test_text_of_numbers_and_dates_parses_to_the_same_value(value):
    """Containers included."""
    text = Values.convert_to_string(None, value)
    assert Values.parse_string(text).value == value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1" * 1_000_000, 8198552921648689607),
        ("-" + "9" * 25, -1590897978359414783),
        ("9" * 25 + ".9", 1590897978359414783),
        ("-1e60", -1152921504606846976),
        ("36893488147419103231", -1),
    ],
    ids=["million", "negative", "fraction", "exponent", "all bits"],
)
def test_a_number_of_any_length_is_narrowed_at_once(text, expected):
    """The lowest 64 bits; the first took half a minute while all digits were written out."""
    assert Values.convert_to_long(None, text) == expected
