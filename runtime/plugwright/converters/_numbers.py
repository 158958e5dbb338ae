"""Numbers as Java writes them in JSON and as 32 bits hold them."""

from __future__ import annotations

import math
import struct
from decimal import Decimal

__all__ = ["INTEGER_LIMITS", "exact_text", "float_text", "is_plain", "short_float32", "to_float32"]

from plugwright.schema import Type

INTEGER_LIMITS = {
    Type.INT8: 2**7 - 1,
    Type.INT16: 2**15 - 1,
    Type.INT32: 2**31 - 1,
    Type.INT64: 2**63 - 1,
}
"""The largest number of each integer type; the smallest is one further from zero."""

_FLOAT32 = struct.Struct("<f")
_FEWEST_DIGITS, _MOST_DIGITS = 6, 9
"""Any six digits survive 32 bits, and nine tell any two 32-bit floats apart."""

_PLAIN_FROM, _PLAIN_BELOW = 1e-3, 1e7
"""Between these Java prints no exponent, and Python and Java print the same."""


def to_float32(number: float) -> float:
    """The nearest 32-bit float.

    Raises:
        OverflowError: if a finite number is too large for one.
    """
    packed: float = _FLOAT32.unpack(_FLOAT32.pack(number))[0]
    return packed


def short_float32(number: float) -> float:
    """The number with the fewest digits that is the same as 32-bit float: 0.1 for 0.10000000149.

    Printing it gives what Java prints for the ``float``.

    Raises:
        OverflowError: if a finite number is too large for 32 bits.
    """
    nearest = to_float32(number)
    if not math.isfinite(nearest):
        return nearest
    for digits in range(_FEWEST_DIGITS, _MOST_DIGITS):
        candidate = float(f"{nearest:.{digits}g}")
        if _survives(candidate, nearest):
            return candidate
    return float(f"{nearest:.{_MOST_DIGITS}g}")


def _survives(candidate: float, nearest: float) -> bool:
    try:
        return to_float32(candidate) == nearest
    except OverflowError:
        return False


def is_plain(number: float) -> bool:
    """Whether Java prints the number without exponent, and so as Python does."""
    return _PLAIN_FROM <= number < _PLAIN_BELOW or _PLAIN_FROM <= -number < _PLAIN_BELOW


def float_text(number: float, *, single: bool = False) -> str:
    """A float as Java's ``toString`` prints it: ``1.0E10``, ``0.001``, ``NaN``.

    Args:
        number: the number; for 32-bit floats as ``short_float32`` gives it.
        single: whether it is a 32-bit float.
    """
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    if number == 0 or is_plain(number):
        return repr(number)
    mantissa, _, exponent = _scientific(number, single=single).partition("e")
    digits = mantissa.rstrip("0") if "." in mantissa else f"{mantissa}."
    return f"{digits}{'0' if digits.endswith('.') else ''}E{int(exponent)}"


def _scientific(number: float, *, single: bool) -> str:
    """The shortest digits, but two where the second brings them nearer: 4.9e-324, not 5e-324."""
    two = f"{number:.1e}"
    same = to_float32(float(two)) == to_float32(number) if single else float(two) == number
    if same:
        return two
    digits = len(Decimal(repr(number)).as_tuple().digits)
    return f"{number:.{digits - 1}e}"


def exact_text(number: Decimal) -> str:
    """A decimal as Java's ``BigDecimal.toString`` prints it; there is no negative zero."""
    return str(number if number else number.copy_abs())
