"""Raw values become typed ones by Kafka's rules (reference §4.1)."""

from __future__ import annotations

import decimal
from collections import OrderedDict
from fractions import Fraction

import pytest

from plugwright.config import ConfigDef, ConfigType, Password, parse_type
from plugwright.errors import ConfigError

GOOD = [
    pytest.param(ConfigType.BOOLEAN, True, True, id="boolean-itself"),
    pytest.param(ConfigType.BOOLEAN, " FalSE ", False, id="boolean-any-case-trimmed"),
    pytest.param(ConfigType.STRING, "  hello\t", "hello", id="string-trimmed"),
    pytest.param(ConfigType.STRING, "\xa0x\xa0", "\xa0x\xa0", id="string-java-trim-keeps-nbsp"),
    pytest.param(ConfigType.STRING, "\x00\x1fx", "x", id="string-java-trim-takes-controls"),
    pytest.param(ConfigType.INT, "1   ", 1, id="int-string-trimmed"),
    pytest.param(ConfigType.INT, "+7", 7, id="int-plus-sign"),
    pytest.param(ConfigType.INT, "-2147483648", -2147483648, id="int-lowest"),
    pytest.param(ConfigType.INT, 2147483647, 2147483647, id="int-highest"),
    pytest.param(ConfigType.SHORT, "32767", 32767, id="short-highest"),
    pytest.param(ConfigType.SHORT, -32768, -32768, id="short-lowest"),
    pytest.param(ConfigType.LONG, 2, 2, id="long-itself"),
    pytest.param(ConfigType.LONG, "9223372036854775807", 9223372036854775807, id="long-highest"),
    pytest.param(ConfigType.DOUBLE, 42.5, 42.5, id="double-itself"),
    pytest.param(ConfigType.DOUBLE, 3, 3.0, id="double-from-int"),
    pytest.param(ConfigType.DOUBLE, decimal.Decimal("0.5"), 0.5, id="double-from-decimal"),
    pytest.param(ConfigType.DOUBLE, Fraction(1, 4), 0.25, id="double-from-fraction"),
    pytest.param(ConfigType.DOUBLE, "1e3", 1000.0, id="double-exponent"),
    pytest.param(ConfigType.DOUBLE, ".5d", 0.5, id="double-java-suffix"),
    pytest.param(ConfigType.DOUBLE, "-Infinity", float("-inf"), id="double-infinity"),
    pytest.param(ConfigType.DOUBLE, "0x1.8p3", 12.0, id="double-hexadecimal"),
    pytest.param(ConfigType.DOUBLE, "-0X.8P-1d", -0.25, id="double-hexadecimal-suffix"),
    pytest.param(ConfigType.DOUBLE, "-0x1p9999", float("-inf"), id="double-hexadecimal-vast"),
    pytest.param(ConfigType.LIST, " a , b, c", ["a", "b", "c"], id="list-blanks-around-commas"),
    pytest.param(ConfigType.LIST, "a,,b,", ["a", "", "b", ""], id="list-empty-elements-kept"),
    pytest.param(ConfigType.LIST, "a b , c", ["a b", "c"], id="list-inner-blanks-kept"),
    pytest.param(ConfigType.LIST, "", [], id="list-empty"),
    pytest.param(ConfigType.LIST, " \t ", [], id="list-blank"),
    pytest.param(ConfigType.LIST, ("x", "y"), ["x", "y"], id="list-from-tuple"),
    pytest.param(ConfigType.CLASS, dict, dict, id="class-itself"),
    pytest.param(ConfigType.CLASS, " collections.OrderedDict ", OrderedDict, id="class-dotted"),
    pytest.param(ConfigType.CLASS, "collections:OrderedDict", OrderedDict, id="class-colon"),
    pytest.param(ConfigType.PASSWORD, " secret ", Password("secret"), id="password-trimmed"),
    pytest.param(ConfigType.PASSWORD, Password(" p "), Password(" p "), id="password-itself"),
]


@pytest.mark.parametrize(("kind", "raw", "expected"), GOOD)
def test_accepts_what_kafka_accepts(kind, raw, expected):
    """A value that fits becomes the typed value."""
    parsed = parse_type("k", raw, kind)

    assert parsed == expected
    assert type(parsed) is type(expected)


def test_double_accepts_nan():
    """The one value that equals nothing is parsed too."""
    parsed = parse_type("k", "NaN", ConfigType.DOUBLE)

    assert parsed != parsed  # noqa: PLR0124  # the definition of NaN


@pytest.mark.parametrize("kind", list(ConfigType), ids=lambda kind: kind.value)
def test_none_stays_none(kind):
    """No value is no error of parsing, whatever the type."""
    assert parse_type("k", None, kind) is None


BOOLEAN = "Expected value to be either true or false"
BAD = [
    pytest.param(ConfigType.BOOLEAN, "truee", BOOLEAN, id="boolean-word"),
    pytest.param(ConfigType.BOOLEAN, 1, BOOLEAN, id="boolean-from-int"),
    pytest.param(
        ConfigType.STRING,
        5,
        "Expected value to be a string, but it was a int",
        id="string-from-int",
    ),
    pytest.param(
        ConfigType.STRING,
        True,
        "Expected value to be a string, but it was a bool",
        id="string-from-bool",
    ),
    pytest.param(ConfigType.INT, "hello", "Not a number of type INT", id="int-word"),
    pytest.param(ConfigType.INT, "1.0", "Not a number of type INT", id="int-decimal-point"),
    pytest.param(ConfigType.INT, "0x1", "Not a number of type INT", id="int-hexadecimal"),
    pytest.param(ConfigType.INT, "1_0", "Not a number of type INT", id="int-python-underscore"),
    pytest.param(ConfigType.INT, "", "Not a number of type INT", id="int-empty"),
    pytest.param(ConfigType.INT, "2147483648", "Not a number of type INT", id="int-text-too-large"),
    pytest.param(ConfigType.INT, 2147483648, "Not a number of type INT", id="int-too-large"),
    pytest.param(ConfigType.INT, "9" * 5000, "Not a number of type INT", id="int-too-many-digits"),
    pytest.param(
        ConfigType.INT,
        42.5,
        "Expected value to be a 32-bit integer, but it was a float",
        id="int-from-float",
    ),
    pytest.param(
        ConfigType.INT,
        True,
        "Expected value to be a 32-bit integer, but it was a bool",
        id="int-from-bool",
    ),
    pytest.param(ConfigType.SHORT, "32768", "Not a number of type SHORT", id="short-too-large"),
    pytest.param(ConfigType.SHORT, -32769, "Not a number of type SHORT", id="short-too-small"),
    pytest.param(
        ConfigType.SHORT,
        1.0,
        "Expected value to be a 16-bit integer (short), but it was a float",
        id="short-from-float",
    ),
    pytest.param(
        ConfigType.LONG, "922337203685477580700", "Not a number of type LONG", id="long-large"
    ),
    pytest.param(
        ConfigType.LONG,
        [],
        "Expected value to be a 64-bit integer (long), but it was a list",
        id="long-from-list",
    ),
    pytest.param(ConfigType.DOUBLE, "hello", "Not a number of type DOUBLE", id="double-word"),
    pytest.param(
        ConfigType.DOUBLE, "inf", "Not a number of type DOUBLE", id="double-python-infinity"
    ),
    pytest.param(ConfigType.DOUBLE, "1_0.0", "Not a number of type DOUBLE", id="double-underscore"),
    pytest.param(ConfigType.DOUBLE, 10**400, "Not a number of type DOUBLE", id="double-too-large"),
    pytest.param(
        ConfigType.DOUBLE,
        True,
        "Expected value to be a double, but it was a bool",
        id="double-from-bool",
    ),
    pytest.param(ConfigType.LIST, 53, "Expected a comma separated list.", id="list-from-int"),
    pytest.param(
        ConfigType.CLASS, 5, "Expected a Class instance or class name.", id="class-from-int"
    ),
    pytest.param(
        ConfigType.CLASS,
        "NoSuchClass",
        "Class NoSuchClass could not be found.",
        id="class-without-module",
    ),
    pytest.param(
        ConfigType.CLASS,
        "json.Nothing",
        "Class json.Nothing could not be found.",
        id="class-unknown",
    ),
    pytest.param(
        ConfigType.CLASS,
        "json:loads",
        "Class json:loads could not be found.",
        id="class-is-function",
    ),
]


@pytest.mark.parametrize(("kind", "raw", "message"), BAD)
def test_refuses_the_rest_in_kafkas_words(kind, raw, message):
    """The second half of the message says what was expected."""
    with pytest.raises(ConfigError) as caught:
        parse_type("k", raw, kind)

    assert str(caught.value).endswith(f" for configuration k: {message}")


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        pytest.param("x y", "x y", id="text"),
        pytest.param(True, "true", id="boolean"),
        pytest.param([1, None], "[1, null]", id="list"),
        pytest.param("\udc80", "\\udc80", id="lone-surrogate"),
        pytest.param(float("nan"), "NaN", id="nan"),
    ],
)
def test_message_begins_with_the_value_as_java_prints_it(raw, shown):
    """The first half of the message names value and key."""
    with pytest.raises(ConfigError) as caught:
        parse_type("port", raw, ConfigType.SHORT)

    assert str(caught.value).startswith(f"Invalid value {shown} for configuration port: ")


def test_number_too_large_to_print_is_named_by_its_type():
    """Python refuses to print integers of many digits; the message survives that."""
    with pytest.raises(ConfigError) as caught:
        parse_type("k", 10**5000, ConfigType.INT)

    assert str(caught.value) == (
        "Invalid value <int> for configuration k: Not a number of type INT"
    )


def test_wrong_password_is_hidden():
    """Of a value for a PASSWORD key only the type is reported."""
    with pytest.raises(ConfigError) as caught:
        parse_type("pw", ["s3cret"], ConfigType.PASSWORD)

    assert str(caught.value) == (
        "Invalid value [hidden] for configuration pw: "
        "Expected value to be a string, but it was a list"
    )
    assert "s3cret" not in repr(caught.value.facts)


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        pytest.param(True, ConfigType.BOOLEAN, "true", id="boolean"),
        pytest.param(32767, ConfigType.SHORT, "32767", id="short"),
        pytest.param(2147483647, ConfigType.INT, "2147483647", id="int"),
        pytest.param(9223372036854775807, ConfigType.LONG, "9223372036854775807", id="long"),
        pytest.param(3.125, ConfigType.DOUBLE, "3.125", id="double"),
        pytest.param("foobar", ConfigType.STRING, "foobar", id="string"),
        pytest.param(Password("foobar"), ConfigType.PASSWORD, "[hidden]", id="password"),
        pytest.param("foobar", ConfigType.PASSWORD, "foobar", id="password-as-string"),
        pytest.param(["a", "bc", "d"], ConfigType.LIST, "a,bc,d", id="list"),
        pytest.param(OrderedDict, ConfigType.CLASS, "collections.OrderedDict", id="class"),
        pytest.param(7, None, "7", id="no-type"),
        pytest.param(None, ConfigType.LIST, None, id="null"),
    ],
)
def test_typed_values_become_text_as_in_kafka(value, kind, text):
    """The expectations are those of Kafka's ConfigDefTest."""
    assert ConfigDef.convert_to_string(value, kind) == text


@pytest.mark.parametrize("start", ["", "0x"])
def test_a_million_digits_before_a_letter_are_no_number_at_once(start):
    """With every way to divide the digits tried, this would take hours."""
    with pytest.raises(ConfigError):
        parse_type("name", start + "1" * 1_000_000 + "x", ConfigType.DOUBLE)
