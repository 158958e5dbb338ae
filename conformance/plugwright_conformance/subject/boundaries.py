"""Values of each type that are hard to store."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["TYPE_NAMES", "boundary_values"]

_UTC = dt.UTC
_STRINGS = (
    "",
    " ",
    "  leading and trailing  ",
    "\t",
    "carriage return at the end\r",
    "null",
    "None",
    "0",
    "nul\x00inside",
    "line\nfeed",
    "quotes \" ' ` and \\ backslash",
    "'; DROP TABLE x; -- {braces} ${dollar} %s",
    "ÄÖÜ ß é ñ",
    "numérals ١٢٣",
    "日本語",
    "\U0001f9ea\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "e\u0301 is not \u00e9",
    "\u202eright to left",
    "\ufeffbyte order mark",
    "x" * (1 << 20),
    "every\x0bother\x0cbreak\x1cof\x1dlines\x1ethat\x85Unicode\u2028has\u2029.",
    *("x" * shift + "\U0001f9ea" * 16400 for shift in range(4)),
    "twice",
    "twice",
)
"""Some are longer than usual buffers, whose ends cut a character of four bytes in every place."""
_LINE_ENDS = frozenset("\n\r")
_OTHER_BREAKS = tuple("\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")

_BOUNDARIES: Mapping[str, tuple[Any, ...]] = MappingProxyType(
    {
        "boolean": (True, False),
        "int8": (0, -1, -(2**7), 2**7 - 1),
        "int16": (0, -1, -(2**15), 2**15 - 1),
        "int32": (0, -1, -(2**31), 2**31 - 1),
        "int64": (0, -1, -(2**63), 2**63 - 1, 2**53 + 1),
        "float32": (0.0, -0.0, 1.5, -(2.0**127), math.inf, -math.inf, math.nan),
        "float64": (0.0, -0.0, 0.1, 5e-324, 1.7976931348623157e308, math.inf, -math.inf, math.nan),
        "string": _STRINGS,
        "bytes": (b"", b"\x00", bytes(range(256)), b"\xff" * 4096),
        "decimal": (Decimal(0), Decimal("-0.01"), Decimal(60), Decimal("12345678901234567890.12")),
        "date": (
            dt.date(1, 1, 1),
            dt.date(1969, 12, 31),
            dt.date(2000, 2, 29),
            dt.date(9999, 12, 31),
        ),
        "time": (dt.time(0), dt.time(2, 30), dt.time(23, 59, 59, 999000)),
        "timestamp": (
            dt.datetime(1, 1, 1, tzinfo=_UTC),
            dt.datetime(1969, 12, 31, 23, 59, 59, 999000, tzinfo=_UTC),
            dt.datetime(2024, 3, 31, 1, 30, tzinfo=_UTC),
            dt.datetime(9999, 12, 31, 23, 59, 59, 999000, tzinfo=_UTC),
        ),
    }
)
"""The edges of every type; a summer-time gap of Europe is among the timestamps."""

TYPE_NAMES = tuple(_BOUNDARIES)
"""Every type that a declaration may name."""


def boundary_values(kind: str, excluded: Sequence[str] = ()) -> Sequence[Any]:
    """The edges of a type, without those that hold an excluded character.

    Who excludes both ends of a line has an endpoint of lines, and need not name the other breaks.

    Raises:
        KeyError: if the suite has no such type.
    """
    values = _BOUNDARIES[kind]
    if kind != "string":
        return values
    if set(excluded) >= _LINE_ENDS:
        excluded = (*excluded, *_OTHER_BREAKS)
    return [value for value in values if not any(character in value for character in excluded)]
