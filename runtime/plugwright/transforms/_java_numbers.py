"""Java's conversions between numbers and from text to numbers: casts narrow, parsing is strict."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from struct import pack, unpack

from plugwright.schema import Type

BITS = {Type.INT8: 8, Type.INT16: 16, Type.INT32: 32, Type.INT64: 64}

_INTEGER = re.compile(r"[+-]?\d+")
_FLOAT = re.compile(
    r"(?P<sign>[+-]?)(?:(?P<named>NaN|Infinity)"
    r"|(?:(?P<decimal>(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<hex>0[xX](?:[0-9a-fA-F]++(?:\.[0-9a-fA-F]*+)?|\.[0-9a-fA-F]++)[pP][+-]?[0-9]+))[fFdD]?)"
)
_TRIMMED = "".join(map(chr, range(33)))
_INT_BITS = 32
_LONG_BITS = 64
_MOST_DIGITS = 4300


def narrowed(number: float | Decimal, bits: int) -> int:
    """``byteValue()``, ``shortValue()``, ``intValue()`` or ``longValue()`` of a number.

    Integers and decimals keep their lowest bits; floats lose their fraction, stop at the ends of
    ``int`` (``long`` for 64 bits) and then keep their lowest bits; NaN is 0.
    """
    if isinstance(number, int):
        return _wrapped(number, bits)
    if isinstance(number, float):
        return _wrapped(_saturated(number, max(bits, _INT_BITS)), bits)
    # Not int() first, which writes out every digit of 1e999999999.
    if number.adjusted() < 0 or number.as_tuple().exponent >= _LONG_BITS:  # type: ignore[operator]  # finite
        return 0
    return _wrapped(int(number), bits)


def single(number: float | Decimal) -> float:
    """The nearest 32-bit float, rounded once; infinite where the number is too large for one."""
    rough = double(number)
    if isinstance(number, float) or math.isinf(rough):
        return _rounded(rough)
    exact = Decimal(number)  # compared exactly, in time that grows with the digits only
    if Decimal(rough) == exact:
        return _rounded(rough)
    # Rounded to odd at 53 bits, so that the rounding to 24 bits sees on which side the number is.
    below = rough if Decimal(rough).copy_abs() < exact.copy_abs() else math.nextafter(rough, 0.0)
    odd = unpack(">Q", pack(">d", below))[0] & 1
    return _rounded(below if odd else math.nextafter(below, math.copysign(math.inf, rough)))


def double(number: float | Decimal) -> float:
    """The nearest 64-bit float; infinite where the number is too large for one."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def truth(number: float | Decimal) -> bool:
    """Whether ``longValue()`` is not zero: 0.9 is false."""
    return narrowed(number, _LONG_BITS) != 0


def parsed_integer(text: str, bits: int) -> int:
    """Parse like ``Byte.parseByte`` and its relatives: digits after an optional sign, nothing else.

    Raises:
        ValueError: if the text is not such a number, or does not fit.
    """
    if not _INTEGER.fullmatch(text) or len(text) > _MOST_DIGITS:
        raise ValueError("no integer")
    number = int(text)
    if number != _wrapped(number, bits):
        raise ValueError("out of range")
    return number


def parsed_float(text: str, *, narrow: bool) -> float:
    """Parse like ``Double.parseDouble``, or ``Float.parseFloat`` if ``narrow``.

    Blanks around are ignored; ``NaN``, ``Infinity``, hexadecimal numbers and the suffixes of Java's
    literals are understood. Numbers that are too large become infinite.

    Raises:
        ValueError: if the text is not a number.
    """
    found = _FLOAT.fullmatch(text.strip(_TRIMMED))
    if found is None:
        raise ValueError("no number")
    if found["named"]:
        return float(found["sign"] + found["named"])
    if found["hex"]:
        exact = _hexadecimal(found["sign"] + found["hex"])
        return _rounded(exact) if narrow else exact
    number = found["sign"] + found["decimal"]
    value = float(number)
    # What is no finite double but 0 is none as a float; Decimal does not take every exponent.
    return single(Decimal(number)) if narrow and value and math.isfinite(value) else value


def _hexadecimal(text: str) -> float:
    try:
        return float.fromhex(text)
    except OverflowError:
        return -math.inf if text.startswith("-") else math.inf


def _rounded(number: float) -> float:
    try:
        (nearest,) = unpack(">f", pack(">f", number))
    except OverflowError:
        return math.copysign(math.inf, number)
    return float(nearest)


def _saturated(number: float, bits: int) -> int:
    if math.isnan(number):
        return 0
    low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    return high if number >= high else low if number <= low else int(number)


def _wrapped(number: int, bits: int) -> int:
    half = 1 << (bits - 1)
    return ((number + half) & ((1 << bits) - 1)) - half
