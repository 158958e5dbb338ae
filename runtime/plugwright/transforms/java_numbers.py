"""Java's conversions between numbers and from text to numbers: casts narrow, parsing is strict."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from struct import pack, unpack

from plugwright.java_numbers import hexadecimal, to_double, to_long, wrap
from plugwright.java_text import nearest_float32
from plugwright.schema import Type

BITS = {Type.INT8: 8, Type.INT16: 16, Type.INT32: 32, Type.INT64: 64}

_INTEGER = re.compile(r"[+-]?\d+")
_FLOAT = re.compile(
    r"(?P<sign>[+-]?)(?:(?P<named>NaN|Infinity)"
    r"|(?:(?P<decimal>(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<hex>0[xX](?:[0-9a-fA-F]++(?:\.[0-9a-fA-F]*+)?|\.[0-9a-fA-F]++)[pP][+-]?[0-9]+))[fFdD]?)"
)
_TRIMMED = "".join(map(chr, range(33)))
_INT_MIN, _INT_MAX = -(2**31), 2**31 - 1
_LONG_BITS = 64
_MOST_DIGITS = 4300


def narrowed(number: float | Decimal, bits: int) -> int:
    """``byteValue()``, ``shortValue()``, ``intValue()`` or ``longValue()`` of a number.

    Integers and decimals keep their lowest bits; floats lose their fraction, stop at the ends of
    ``int`` (``long`` for 64 bits) and then keep their lowest bits; NaN is 0.
    """
    if isinstance(number, float) and bits < _LONG_BITS and not math.isnan(number):
        number = max(_INT_MIN, min(_INT_MAX, number))
    return wrap(to_long(number), bits)


def single(number: float | Decimal) -> float:
    """The nearest 32-bit float, rounded once; infinite where the number is too large for one."""
    rough = to_double(number)
    if isinstance(number, float) or math.isinf(rough):
        return nearest_float32(rough)
    exact = Decimal(number)  # compared exactly, in time that grows with the digits only
    if Decimal(rough) == exact:
        return nearest_float32(rough)
    # Rounded to odd at 53 bits, so that the rounding to 24 bits sees on which side the number is.
    below = rough if Decimal(rough).copy_abs() < exact.copy_abs() else math.nextafter(rough, 0.0)
    odd = unpack(">Q", pack(">d", below))[0] & 1
    return nearest_float32(below if odd else math.nextafter(below, math.copysign(math.inf, rough)))


def truth(number: float | Decimal) -> bool:
    """Whether ``longValue()`` is not zero: 0.9 is false."""
    return to_long(number) != 0


def parsed_integer(text: str, bits: int) -> int:
    """Parse like ``Byte.parseByte`` and its relatives: digits after an optional sign, nothing else.

    Raises:
        ValueError: if the text is not such a number, or does not fit.
    """
    if not _INTEGER.fullmatch(text) or len(text) > _MOST_DIGITS:
        raise ValueError("no integer")
    number = int(text)
    if number != wrap(number, bits):
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
        exact = hexadecimal(found["sign"] + found["hex"])
        return nearest_float32(exact) if narrow else exact
    number = found["sign"] + found["decimal"]
    value = float(number)
    # What is no finite double but 0 is none as a float; Decimal does not take every exponent.
    return single(Decimal(number)) if narrow and value and math.isfinite(value) else value
