"""Sets of characters as Java's regular expressions name them, as intervals of code points.

Intervals make union, intersection and complement exact, so that any class that Java can express
can be written down for Python, which lacks nested classes and ``&&``.
"""

from __future__ import annotations

import re
import sys
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Characters: TypeAlias = tuple[tuple[int, int], ...]
"""Disjoint ascending intervals of code points, ends included."""

_LAST = sys.maxunicode
_CASE_DISTANCE = ord("a") - ord("A")


def normal(intervals: Iterable[tuple[int, int]]) -> Characters:
    """The union of any intervals, in normal form."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(intervals):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return tuple(merged)


def complement(characters: Characters) -> Characters:
    """Every other character."""
    edges = [(-1, -1), *characters, (_LAST + 1, _LAST + 1)]
    gaps = ((one[1] + 1, two[0] - 1) for one, two in pairwise(edges))
    return tuple((low, high) for low, high in gaps if low <= high)


def both(one: Characters, other: Characters) -> Characters:
    """The characters that are in both sets."""
    return complement(normal([*complement(one), *complement(other)]))


def either_case(characters: Characters) -> Characters:
    """The set with the other case of its ASCII letters added, as for Java's ``(?i)``."""
    upper = both(characters, NAMED_SETS["Upper"])
    lower = both(characters, NAMED_SETS["Lower"])
    return normal(
        [
            *characters,
            *((low + _CASE_DISTANCE, high + _CASE_DISTANCE) for low, high in upper),
            *((low - _CASE_DISTANCE, high - _CASE_DISTANCE) for low, high in lower),
        ]
    )


def written(characters: Characters) -> str:
    """The set as a class of Python's regular expressions, negated if that is shorter."""
    others = complement(characters)
    if not characters or not others:
        return r"(?s:.)" if characters else "(?!)"
    negated = characters[0][0] == 0
    parts = (
        _written(low) if low == high else f"{_written(low)}-{_written(high)}"
        for low, high in (others if negated else characters)
    )
    return f"[{'^' if negated else ''}{''.join(parts)}]"


def _written(code: int) -> str:
    character = chr(code)
    plain = character.isascii() and character.isalnum()
    if plain:
        return character
    return re.escape(character) if " " <= character <= "~" else f"\\U{code:08x}"


def _ranges(text: str) -> Characters:
    """The set of the ranges that pairs of characters denote, such as ``AZaz``."""
    return normal((ord(low), ord(high)) for low, high in zip(text[::2], text[1::2], strict=True))


_LINE_ENDS = _ranges("\n\n\r\r\x85\x85\u2028\u2029")

ANY_BUT_LINE_ENDS = complement(_LINE_ENDS)
"""A dot in Java's sense; Python's excludes only ``\\n``."""

SHORT_SETS: Mapping[str, Characters] = MappingProxyType(
    {
        "d": _ranges("09"),
        "w": _ranges("09AZ__az"),
        "s": _ranges("\t\r  "),
        "h": _ranges(
            "\t\t  \xa0\xa0\u1680\u1680\u180e\u180e\u2000\u200a\u202f\u202f\u205f\u205f\u3000\u3000"
        ),
        "v": _ranges("\n\r\x85\x85\u2028\u2029"),
    }
)
r"""Sets with a letter of their own, ``\d``; the capital means every other character."""

NAMED_SETS: Mapping[str, Characters] = MappingProxyType(
    {
        "ASCII": _ranges("\x00\x7f"),
        "Alnum": _ranges("09AZaz"),
        "Alpha": _ranges("AZaz"),
        "Blank": _ranges("\t\t  "),
        "Cntrl": _ranges("\x00\x1f\x7f\x7f"),
        "Digit": _ranges("09"),
        "Graph": _ranges("!~"),
        "Lower": _ranges("az"),
        "Print": _ranges(" ~"),
        "Punct": _ranges("!/:@[`{~"),
        "Space": _ranges("\t\r  "),
        "Upper": _ranges("AZ"),
        "XDigit": _ranges("09AFaf"),
    }
)
r"""Sets of ``\p{…}`` that are the same everywhere; those of Unicode change with its version."""
