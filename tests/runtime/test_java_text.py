"""Numbers as Java prints them."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plugwright.java_text import decimal_text, float_text, is_plain, short_float32


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (-0.25, "-0.25"),
        (0.001, "0.001"),
        (0.0001, "1.0E-4"),
        (1e-5, "1.0E-5"),
        (0.00012345, "1.2345E-4"),
        (9999999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (-12345678.9, "-1.23456789E7"),
        (1e21, "1.0E21"),
        (5e-324, "4.9E-324"),
        (2.0**-24, "5.960464477539063E-8"),
        (2e23, "2.0E23"),
        (1.7976931348623157e308, "1.7976931348623157E308"),
        (math.nan, "NaN"),
        (math.inf, "Infinity"),
        (-math.inf, "-Infinity"),
    ],
)
def test_double_prints_as_in_java(number, text):
    """``Double.toString``, the extremes as in its documentation."""
    assert float_text(number) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.1, "0.1"),
        (0.10000000149011612, "0.1"),
        (16777216.0, "1.6777216E7"),
        (1e10, "1.0E10"),
        (2.0**-149, "1.4E-45"),
        (3 * 2.0**-149, "4.2E-45"),
        (714 * 2.0**-149, "1.0E-42"),
        (1000 * 2.0**-149, "1.401E-42"),
        (3.4028235e38, "3.4028235E38"),
        (-0.0, "-0.0"),
        (1e39, "Infinity"),
        (-1e39, "-Infinity"),
        (math.nan, "NaN"),
    ],
)
def test_float_prints_as_in_java(number, text):
    """``Float.toString``, with as few digits as 32 bits need."""
    assert float_text(number, single=True) == text


@pytest.mark.slow
@settings(max_examples=100)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_text_of_a_double_is_the_double(number):
    """No digit that matters is left out, and none is there in vain."""
    text = float_text(number)

    assert float(text) == number
    assert len(text) <= len("-1.7976931348623157E-308")
    assert ("E" in text) != (number == 0 or is_plain(number))


@pytest.mark.slow
@settings(max_examples=100)
@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_short_form_is_the_same_float(number):
    """At most nine digits; printing it again changes nothing."""
    short = short_float32(number)

    assert float_text(short, single=True) == float_text(number, single=True)
    assert len(Decimal(repr(short)).normalize().as_tuple().digits) <= 9


@pytest.mark.parametrize(
    ("number", "text"),
    [
        ("1.50", "1.50"),
        ("-0.00", "0.00"),
        ("1E+3", "1E+3"),
        ("0E-8", "0E-8"),
        ("0.000001", "0.000001"),
        ("0.0000001", "1E-7"),
    ],
)
def test_decimal_prints_as_in_java(number, text):
    """``BigDecimal.toString``."""
    assert decimal_text(Decimal(number)) == text
