"""Java's arithmetic, on which Connect's results depend: parses and narrows numbers."""

from __future__ import annotations

import math
import re
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal

from plugwright.java_text import nearest_float32

_NUMBER = re.compile(r"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d{1,10})?")
_MAX_SCALE = 2**31 - 1
_LONG_MIN, _LONG_MAX = -(2**63), 2**63 - 1
_LONG_BITS = 64
_EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)


def parse_number(text: str) -> Decimal | None:
    """The number that Java's ``BigDecimal`` parses from the text, or ``None`` if it parses none.

    Its zero has no sign.
    """
    if not _NUMBER.fullmatch(text):
        return None
    number = Decimal(text)
    number = number or number.copy_abs()
    return number if abs(scale_of(number)) <= _MAX_SCALE else None


def scale_of(number: Decimal) -> int:
    """Digits after the point, as Java counts them: negative for ``1e3``; for finite numbers."""
    return -int(number.as_tuple().exponent)


def wrap(number: int, bits: int) -> int:
    """The lowest bits of an integer, read as a signed one: a narrowing cast."""
    half = 1 << (bits - 1)
    return ((number + half) & ((1 << bits) - 1)) - half


def to_long(number: float | Decimal) -> int:
    """``Number.longValue()``: fractions are cut off, floats saturate, exact numbers wrap.

    Raises:
        ValueError: if a ``Decimal`` is not finite; ``BigDecimal`` has no such numbers.
    """
    if isinstance(number, int):
        return wrap(number, _LONG_BITS)
    if isinstance(number, float):
        if math.isnan(number):
            return 0
        return int(max(_LONG_MIN, min(_LONG_MAX, number)))
    if not number.is_finite():
        raise ValueError("not a finite number")
    # Checked first because int() would write out every digit of 1e999999999.
    if number.adjusted() < 0 or scale_of(number) <= -_LONG_BITS:
        return 0
    # The remainder first: int() of a million digits takes half a minute.
    return wrap(int(_EXACT.remainder(number, Decimal(1 << _LONG_BITS))), _LONG_BITS)


def to_float32(number: float | Decimal) -> float:
    """The nearest 32-bit float; infinite where the number is too large for one."""
    return nearest_float32(to_double(number))


def to_double(number: float | Decimal) -> float:
    """The nearest 64-bit float; infinite where the number is too large for one."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def hexadecimal(text: str) -> float:
    """The number in the form of Java's hexadecimal literals; infinite if it is too large.

    Raises:
        ValueError: if the text has another form.
    """
    try:
        return float.fromhex(text)
    except OverflowError:
        return -math.inf if text.startswith("-") else math.inf
