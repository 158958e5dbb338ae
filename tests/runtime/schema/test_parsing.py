"""Values.parse_string: what text stands for."""

from __future__ import annotations

import datetime as dt
import gc
import sys
from decimal import Decimal as D  # noqa: N817  # short in tables

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from plugwright.errors import DataError
from plugwright.schema import (
    BOOLEAN_SCHEMA,
    FLOAT32_SCHEMA,
    FLOAT64_SCHEMA,
    INT8_SCHEMA,
    INT16_SCHEMA,
    INT32_SCHEMA,
    INT64_SCHEMA,
    STRING_SCHEMA,
    Date,
    Decimal,
    Schema,
    SchemaAndValue,
    SchemaBuilder,
    Time,
    Timestamp,
    Type,
    Values,
    validate_value,
)

DAY = dt.date(2019, 8, 23)
TIME = dt.time(14, 34, 54, 346000)
INSTANT = dt.datetime(2019, 8, 23, 14, 34, 54, 346000, dt.UTC)
NO_ARRAY_SCHEMA = Schema(Type.ARRAY)
NO_MAP_SCHEMA = Schema(Type.MAP)


def _array(schema):
    return SchemaBuilder.array(schema).build()


def _map(keys, values):
    return SchemaBuilder.map(keys, values).build()


@pytest.mark.parametrize(
    ("text", "schema", "value"),
    [
        (None, None, None),
        ("null", None, None),
        (" null ", None, None),
        ("true", BOOLEAN_SCHEMA, True),
        (" false\t", BOOLEAN_SCHEMA, False),
        ("0", INT8_SCHEMA, 0),
        ("-128", INT8_SCHEMA, -128),
        ("127", INT8_SCHEMA, 127),
        ("128", INT16_SCHEMA, 128),
        ("-32768", INT16_SCHEMA, -32768),
        ("32768", INT32_SCHEMA, 32768),
        ("-2147483649", INT64_SCHEMA, -2147483649),
        ("9223372036854775807", INT64_SCHEMA, 9223372036854775807),
        ("9223372036854775808", Decimal.schema(0), D(9223372036854775808)),
        (" 5 ", INT8_SCHEMA, 5),
        ("007", INT8_SCHEMA, 7),
        ("+5", INT8_SCHEMA, 5),
        ("1.0", INT8_SCHEMA, 1),
        ("1e3", INT16_SCHEMA, 1000),
        ("0e999999999", INT8_SCHEMA, 0),
        ("-0.0", INT8_SCHEMA, 0),
        ("1.5", FLOAT32_SCHEMA, 1.5),
        ("+.5", FLOAT32_SCHEMA, 0.5),
        ("-1.1", FLOAT32_SCHEMA, -1.100000023841858),
        ("1e30", FLOAT32_SCHEMA, 1.0000000150474662e30),
        ("1e40", FLOAT64_SCHEMA, 1e40),
        ("1e400", Decimal.schema(-400), D("1e400")),
        ("2019-08-23", Date.SCHEMA, DAY),
        (" 2019-08-23 ", Date.SCHEMA, DAY),
        ("14:34:54.346Z", Time.SCHEMA, TIME),
        ("14\\:34\\:54.346Z", Time.SCHEMA, TIME),
        ("2019-08-23T14:34:54.346Z", Timestamp.SCHEMA, INSTANT),
        ("2019-08-23T14\\:34\\:54.346Z", Timestamp.SCHEMA, INSTANT),
    ],
    ids=repr,
)
def test_text_of_one_value_is_that_value(text, schema, value):
    """Literals, numbers in their smallest type, dates and times."""
    parsed = Values.parse_string(text)
    assert parsed == SchemaAndValue(schema, value)
    assert type(parsed.value) is type(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "True",
        "NULL",
        "null=",
        "true}",
        "falsely",
        "NaN",
        "Infinity",
        "0x10",
        "1_000",
        "5 6",
        "-",
        "+",
        "1e",
        "1e99999999999",
        "1e2147483649",
        "a:b",
        '"abc"',
        "'null'",
        " padded ",
        "\ud800",
        "2019-08-23T14:34:54.346",
        "2019-08-23T14:34:54Z",
        "14:34:54.346Z ",
        "14:34",
    ],
    ids=ascii,
)
def test_other_text_stays_as_it_is(text):
    """Blanks and quotes included."""
    assert Values.parse_string(text) == SchemaAndValue(STRING_SCHEMA, text)


@pytest.mark.parametrize(
    "text",
    [
        "1,2",
        "1::2",
        "1:2",
        "2019-08-23,x",
        "14:34:54.346Z,x",
        "[1] 2",
        "{1:2} {3:4}",
        "2019-13-45",
        "2019-02-29",
        "24:00:00.000Z",
        "0000-01-01",
        '{1:"a",true:"b"}',
        "{[1]:2}",
        "{16777216:1,16777217:2,0.5:3}",
    ],
)
def test_text_that_kafka_reads_with_losses_stays_text(text):
    """Documented deviations: nothing is dropped, moved or merged."""
    assert Values.parse_string(text) == SchemaAndValue(STRING_SCHEMA, text)


@pytest.mark.parametrize(
    ("text", "schema", "value"),
    [
        ("[]", NO_ARRAY_SCHEMA, []),
        (" [ ] ", NO_ARRAY_SCHEMA, []),
        ("[null]", NO_ARRAY_SCHEMA, [None]),
        ("[null, null]", NO_ARRAY_SCHEMA, [None, None]),
        ("[1, 2, 3]", _array(INT8_SCHEMA), [1, 2, 3]),
        ("[1,2,]", _array(INT8_SCHEMA), [1, 2]),
        ("[1, 1000]", _array(INT16_SCHEMA), [1, 1000]),
        ("[3000000000, 1]", _array(INT64_SCHEMA), [3000000000, 1]),
        ("[1, 2.5]", _array(FLOAT32_SCHEMA), [1.0, 2.5]),
        ("[2.5, 1, 1e40]", _array(FLOAT64_SCHEMA), [2.5, 1.0, 1e40]),
        ("[16777217, 0.5]", _array(FLOAT32_SCHEMA), [16777216.0, 0.5]),
        ("[true, false]", _array(BOOLEAN_SCHEMA), [True, False]),
        ('["a", "b"]', _array(STRING_SCHEMA), ["a", "b"]),
        ('["a,b", "[", "{:}"]', _array(STRING_SCHEMA), ["a,b", "[", "{:}"]),
        ('["1", "true", "null"]', _array(STRING_SCHEMA), ["1", "true", "null"]),
        ('["  ", "a: :b"]', _array(STRING_SCHEMA), ["  ", "a: :b"]),
        ('["a\\"b"]', _array(STRING_SCHEMA), ['a\\"b']),
        ('["a\\\\"]', _array(STRING_SCHEMA), ["a\\\\"]),
        ('[""]', _array(STRING_SCHEMA), [""]),
        ("[2019-08-23]", _array(Date.SCHEMA), [DAY]),
        ('["2019-08-23"]', _array(Date.SCHEMA), [DAY]),
        ("[14:34:54.346Z, 14\\:34\\:54.346Z]", _array(Time.SCHEMA), [TIME, TIME]),
        ('["2019-08-23T14:34:54.346Z"]', _array(Timestamp.SCHEMA), [INSTANT]),
        ("[9223372036854775808]", _array(Decimal.schema(0)), [D(9223372036854775808)]),
        ('[1, "a"]', NO_ARRAY_SCHEMA, [1, "a"]),
        ('[1, "a", 2]', NO_ARRAY_SCHEMA, [1, "a", 2]),
        ('[1, "a", null]', NO_ARRAY_SCHEMA, [1, "a", None]),
        ("[1, true]", NO_ARRAY_SCHEMA, [1, True]),
        ("[1, 2019-08-23]", NO_ARRAY_SCHEMA, [1, DAY]),
        ("[1, 9223372036854775808]", NO_ARRAY_SCHEMA, [1, D(9223372036854775808)]),
        ("[[1], [2]]", _array(_array(INT8_SCHEMA)), [[1], [2]]),
        ("[[1], [300]]", _array(_array(INT16_SCHEMA)), [[1], [300]]),
        ("[[300], [1]]", NO_ARRAY_SCHEMA, [[300], [1]]),
        ("[[], [1]]", _array(_array(INT8_SCHEMA)), [[], [1]]),
        ("[[1], []]", NO_ARRAY_SCHEMA, [[1], []]),
        ('[[1], ["a"]]', NO_ARRAY_SCHEMA, [[1], ["a"]]),
        ("[[], {}]", NO_ARRAY_SCHEMA, [[], {}]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_text_of_an_array_is_the_array(text, schema, value):
    """Elements get their common schema, if they have one."""
    assert Values.parse_string(text) == SchemaAndValue(schema, value)


@pytest.mark.parametrize(
    ("text", "schema", "value"),
    [
        ("{}", NO_MAP_SCHEMA, {}),
        ("{1:2}", _map(INT8_SCHEMA, INT8_SCHEMA), {1: 2}),
        ("{1:2,}", _map(INT8_SCHEMA, INT8_SCHEMA), {1: 2}),
        ("{1:2,1:3}", _map(INT8_SCHEMA, INT8_SCHEMA), {1: 3}),
        (
            ' { "foo" :  1234567890 , "bar" : 0,  "baz" : -987654321 }  ',
            _map(STRING_SCHEMA, INT32_SCHEMA),
            {"foo": 1234567890, "bar": 0, "baz": -987654321},
        ),
        ('{1:"x"2:"y"}', _map(INT8_SCHEMA, STRING_SCHEMA), {1: "x", 2: "y"}),
        ("{1:1000,0.5:2}", _map(FLOAT32_SCHEMA, INT16_SCHEMA), {1.0: 1000, 0.5: 2}),
        (
            "{3: null}",
            Schema(Type.MAP, key_schema=INT8_SCHEMA),
            {3: None},
        ),
        (
            '{1:2,1000:"a"}',
            Schema(Type.MAP, key_schema=INT16_SCHEMA),
            {1: 2, 1000: "a"},
        ),
        ('{1:2,"a":3}', NO_MAP_SCHEMA, {1: 2, "a": 3}),
        (
            '{"k":2019-08-23T14:34:54.346Z}',
            _map(STRING_SCHEMA, Timestamp.SCHEMA),
            {"k": INSTANT},
        ),
        ("{14:34:54.346Z:1}", _map(Time.SCHEMA, INT8_SCHEMA), {TIME: 1}),
        (
            '{"a":[1,2],"b":[3]}',
            _map(STRING_SCHEMA, _array(INT8_SCHEMA)),
            {"a": [1, 2], "b": [3]},
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_text_of_a_map_is_the_map(text, schema, value):
    """Keys and values get their common schemas, if they have them."""
    assert Values.parse_string(text) == SchemaAndValue(schema, value)


@pytest.mark.parametrize(
    "text",
    [
        "[",
        "[1",
        "[1,",
        "[,1]",
        "[1,,2]",
        "[1 2]",
        "[a]",
        '["a]',
        "[1, null]",
        "[1}",
        "]",
        "{",
        "{1",
        "{1:",
        "{1:2",
        "{1:2,",
        "{1:}",
        "{:1}",
        "{,}",
        "{1:2,,3:4}",
        "{1,2}",
        "{null:1}",
        "{a:1}",
        '{"a":1,"b":null}',
        '{"a":[1,}',
        "[[1,a]]",
    ],
)
def test_text_of_a_broken_container_stays_text(text):
    """One fault inside makes the whole a string."""
    assert Values.parse_string(text) == SchemaAndValue(STRING_SCHEMA, text)


def test_containers_nest_a_hundred_levels():
    """Deeper ones stay text."""
    deep, too_deep = "[" * 100 + "]" * 100, "[" * 102 + "]" * 102
    assert Values.parse_string(deep).schema.type is Type.ARRAY
    assert Values.parse_string(too_deep).schema is STRING_SCHEMA


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"a":' * 100_000, "9" * 100_000, "\\" * 100_000, '["' + "\\" * 9999]
)
def test_huge_text_is_read_quickly(text):
    """Nothing is quadratic, nothing overflows."""
    assert Values.parse_string(text).value is not None


SYNTAX = st.lists(
    st.sampled_from(
        [
            *'[]{},:"\\ 1-ea',
            "2.5",
            "null",
            "true",
            "2019-08-23",
            "14:34:54.346Z",
            "9223372036854775808",
            "\ud800",
            "\u0663",
        ]
    ),
    max_size=12,
).map("".join)


@pytest.mark.slow
@given(st.one_of(SYNTAX, st.text(st.characters(), max_size=30)))
@settings(max_examples=100)
@example("[" * 5000 + "]" * 5000)
def test_any_text_has_a_value_that_fits_its_schema(text):
    """Parsing never raises, and never gives a value that its own schema refuses."""
    schema, value = Values.parse_string(text)
    if schema is not None:
        try:
            validate_value(schema, value)
        except DataError as error:
            assert error.code == "schema.no-inner-schema"  # noqa: PT017  # mixed contents


HOSTILE = {
    "keys again": lambda n: "{" + "".join(f"{i}:1," for i in [*range(n), *[n - 1] * n]) + "}",
    "last of nested wins": lambda n: "[[]," * 90 + "[" + "1," * n + "1]" + "]" * 90,
    "two kinds of lists": lambda n: "[" + '[1],["a"],' * n + "[1]]",
    "no end": lambda n: '["a",' * n,
    "brackets": lambda n: "[" * n,
    "colons": lambda n: "[" + ":" * n + "]",
    "quotes": lambda n: "[" + '" ' * n + "]",
    "escapes": lambda n: "[" + "\\" * n + "]",
    "digits": lambda n: "[" + "1" * n + ".5]",
    "numbers": lambda n: "[" + ",".join(f"{i}.5" for i in range(n)) + "]",
    "deep": lambda n: "[" + ",".join(["[" * 50 + "]" * 50] * (n // 50)) + "]",
    "maps": lambda n: "[" + '{"a":1},{"b":[]},' * n + "{}]",
}  # fmt: skip


def _calls(text):
    """How many calls of functions parsing a text takes, in Python and in C."""
    calls = 0

    def count(_frame, event, _argument):
        nonlocal calls
        calls += event in {"call", "c_call"}

    gc.disable()  # it would call what other tests have left for the end of their objects
    sys.setprofile(count)
    try:
        Values.parse_string(text)
    finally:
        sys.setprofile(None)
        gc.enable()
    return calls


@pytest.mark.slow
@pytest.mark.parametrize("shape", HOSTILE)
def test_work_grows_with_the_text_and_no_faster(shape):
    """Four times the text is at most four times the calls, whatever stands in it."""
    small, large = (_calls(HOSTILE[shape](n)) for n in (300, 1200))

    assert large <= 4.4 * small + 100


def test_keys_that_were_chosen_to_have_one_hash_are_text():
    """A dict would compare each of them with all others."""
    text = "{" + ",".join(f"{number * (2**61 - 1)}:1" for number in range(100, 200)) + "}"

    assert Values.parse_string(text) == SchemaAndValue(STRING_SCHEMA, text)


@pytest.mark.parametrize("end", ["a", "." * 1_000_000, "e", "1e1.", ".5."])
def test_a_million_digits_before_something_else_are_text_at_once(end):
    """With every way to divide the digits tried, this would take hours."""
    text = "1" * 1_000_000 + end

    assert Values.parse_string(text) == SchemaAndValue(STRING_SCHEMA, text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{1:true,true:1}", None),
        ("{true:1,1:true}", None),
        ("{1.5:1,1.50:2}", {1.5: 2}),
        ("{1:[1],2:[]}", {1: [1], 2: []}),
        ("{1:1.5,2:1}", {1: 1.5, 2: 1.0}),
        ("{1.5:1,1:2}", {1.5: 1, 1.0: 2}),
        ("{[1]:1}", None),
        ("{1:1.5,2:null}", None),
        ('{"a":1,"a":2}', {"a": 2}),
        ("[{},{1:2},{}]", [{}, {1: 2}, {}]),
    ],
)
def test_a_map_has_one_schema_and_distinct_keys_or_is_text(text, value):
    """Numbers widen; keys that Python calls equal must be of one kind."""
    found = Values.parse_string(text)

    if value is None:
        assert found == SchemaAndValue(STRING_SCHEMA, text)
    else:
        assert repr(found.value) == repr(value)
