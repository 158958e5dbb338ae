"""Java's narrowing and parsing of numbers."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plugwright.schema import Values
from plugwright.transforms.java_numbers import narrowed, parsed_float, parsed_integer, single

NARROWED = {
    "300-to-byte": (300, 8, 44),
    "long-to-int": (2**32 + 5, 32, 5),
    "double-to-int-stops": (3e10, 32, 2**31 - 1),
    "double-to-byte-stops-then-wraps": (3e10, 8, -1),
    "double-to-short": (-1e99, 16, 0),
    "double-to-long-stops": (1e99, 64, 2**63 - 1),
    "fraction": (-1.9, 8, -1),
    "nan": (math.nan, 32, 0),
    "decimal-wraps": (Decimal("3e10"), 32, 30_000_000_000 - 7 * 2**32),
    "huge-decimal": (Decimal("1e999999"), 64, 0),
    "tiny-decimal": (Decimal("1e-999999"), 64, 0),
}
INTEGERS = {"plain": ("12", 12), "plus": ("+4", 4), "minus": ("-128", -128), "arabic": ("٤", 4)}
NOT_INTEGERS = ("4.2", " 4", "4 ", "", "-", "128", "0x1", "1_0", "9" * 5000)
FLOATS = {
    "plain": ("1.5", 1.5),
    "blanks": ("\t1.5 ", 1.5),
    "suffix": ("1.5f", 1.5),
    "point-last": ("1.", 1.0),
    "point-first": (".5", 0.5),
    "infinity": ("-Infinity", -math.inf),
    "too-large": ("1e999", math.inf),
    "hex": ("0x1.8p1", 3.0),
    "too-large-hex": ("-0x1p99999", -math.inf),
    "tiny": ("1e-999999", 0.0),
}
NOT_FLOATS = ("", "inf", "nan", "1_0", "1e", "0x1", "infinity", ".")


@pytest.mark.parametrize(("number", "bits", "expected"), NARROWED.values(), ids=NARROWED)
def test_a_number_narrows_as_a_java_cast(number, bits, expected):
    """Whole numbers wrap, floats stop first."""
    assert narrowed(number, bits) == expected


@pytest.mark.parametrize(("text", "expected"), INTEGERS.values(), ids=INTEGERS)
def test_digits_are_an_integer(text, expected):
    """As for Byte.parseByte."""
    assert parsed_integer(text, 8) == expected


@pytest.mark.parametrize("text", NOT_INTEGERS, ids=range(len(NOT_INTEGERS)))
def test_anything_else_is_no_integer(text):
    """Neither blanks, points, underscores nor what does not fit."""
    with pytest.raises(ValueError, match=r"no integer|out of range"):
        parsed_integer(text, 8)


@pytest.mark.parametrize(("text", "expected"), FLOATS.values(), ids=FLOATS)
def test_a_text_is_a_float_as_in_java(text, expected):
    """As for Double.parseDouble."""
    assert parsed_float(text, narrow=False) == expected


@pytest.mark.parametrize("text", NOT_FLOATS)
def test_anything_else_is_no_float(text):
    """Neither Python's words nor its underscores."""
    with pytest.raises(ValueError, match="no number"):
        parsed_float(text, narrow=False)


@pytest.mark.parametrize(
    "text", ["16777217.0000000001", "1.00000005960464477540", "33554434.99999999999"]
)
def test_text_is_rounded_once_to_32_bits(text):
    """By way of 64 bits these would become their neighbour."""
    exact, found = Decimal(text), Decimal(parsed_float(text, narrow=True))
    through_double = Decimal(Values.convert_to_float(None, float(text)))

    assert abs(found - exact) < abs(through_double - exact) or found == through_double


def test_an_integer_is_rounded_once_to_32_bits():
    """Just above the middle of two floats goes up, though a double sees the middle."""
    middle = 2**60 + 2**36

    assert single(middle + 1) == 2.0**60 + 2.0**37
    assert single(middle + 2**37 - 1) == 2.0**60 + 2.0**37
    assert single(middle) == 2.0**60


@pytest.mark.slow
@settings(max_examples=100)
@given(st.integers(-(2**63), 2**63 - 1))
def test_no_float_is_nearer_to_an_integer_than_the_one_found(number):
    """Neither neighbour."""
    found = single(number)
    step = Decimal(2) ** (math.frexp(found)[1] - 24)

    assert abs(Decimal(found) - number) <= step / 2


@pytest.mark.parametrize("start", ["", "0x"])
def test_a_million_digits_before_a_letter_are_no_float_at_once(start):
    """With every way to divide the digits tried, this would take hours."""
    with pytest.raises(ValueError, match="no number"):
        parsed_float(start + "1" * 1_000_000 + "x", narrow=False)


def test_millions_of_digits_are_rounded_at_once():
    """With fractions it takes minutes to see on which side of the middle they are."""
    digits = "0" * 8_000_000

    assert parsed_float(f"16777217.{digits}", narrow=True) == 16777216.0
    assert parsed_float(f"16777217.{digits}1", narrow=True) == 16777218.0
