"""Numbers as the ``toString`` of their Java classes prints them.

Kafka Connect prints numbers into messages, documentation, headers and JSON, so every package needs
the same digits. This module imports nothing of its package, so everything may import it.
"""

from __future__ import annotations

import math
from decimal import Decimal
from struct import pack, unpack

__all__ = ["decimal_text", "float_text", "is_plain", "nearest_float32", "short_float32"]

_PLAIN_FROM, _PLAIN_BELOW = 1e-3, 1e7
"""Between these Java prints no exponent (``Double.toString``), and the same as Python."""

_SMALLEST_NORMAL = 2.0**-126
_MOST_DIGITS = 9
"""Nine digits distinguish any two 32-bit floats."""

_SURE_DIGITS = 6
"""Any six digits survive 32 bits, so fewer need not be tried; not so below the normal numbers."""


def float_text(number: float, *, single: bool = False) -> str:
    """A float as Java prints it: ``1.0E10``, ``0.001``, ``NaN``.

    The fewest digits that tell the number from its neighbours, as since Java 19; older ones print
    more for a few numbers (JDK-4511638), and this prints one more for the 32-bit floats 2**-96,
    2**87 and 2**90.

    Args:
        number: the number.
        single: whether it stands for a 32-bit float.
    """
    value = short_float32(number) if single else number
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0 or is_plain(value):
        return repr(value)
    shortest = _fewest_digits(abs(value), single=single)
    digits = "".join(map(str, shortest.as_tuple().digits)).rstrip("0")
    minus = "-" if value < 0 else ""
    return f"{minus}{digits[0]}.{digits[1:] or '0'}E{shortest.adjusted()}"


def decimal_text(number: Decimal) -> str:
    """A decimal as Java's ``BigDecimal`` prints it, which has no negative zero."""
    return str(number or number.copy_abs())


def is_plain(number: float) -> bool:
    """Whether Java prints the float without exponent, and so as Python does."""
    return _PLAIN_FROM <= number < _PLAIN_BELOW or _PLAIN_FROM <= -number < _PLAIN_BELOW


def nearest_float32(number: float) -> float:
    """The nearest 32-bit float; infinite where the number is too large for one."""
    try:
        (nearest,) = unpack(">f", pack(">f", number))
    except OverflowError:
        return math.copysign(math.inf, number)
    return float(nearest)


def short_float32(number: float) -> float:
    """The number with the fewest digits that is the same 32-bit float: 0.1 for 0.10000000149."""
    nearest = nearest_float32(number)
    if not math.isfinite(nearest):
        return nearest
    fewest = _SURE_DIGITS if abs(nearest) >= _SMALLEST_NORMAL else 1
    candidates = (float(f"{nearest:.{digits}g}") for digits in range(fewest, _MOST_DIGITS + 1))
    return next(candidate for candidate in candidates if nearest_float32(candidate) == nearest)


def _fewest_digits(number: float, *, single: bool) -> Decimal:
    """Those of ``repr``, but two where the second brings them nearer: 4.9e-324, not 5e-324.

    A 32-bit float comes as ``short_float32`` gives it.
    """
    exact = nearest_float32(number) if single else number
    two = f"{exact:.1e}"
    same = (nearest_float32(float(two)) if single else float(two)) == exact
    return Decimal(two if same else repr(number))
