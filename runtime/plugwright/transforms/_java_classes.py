r"""The classes of characters in Java's regular expressions: ``[a-z&&[^x]]`` and ``\p{Alpha}``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from plugwright.transforms._java_escapes import Cursor, read_character
from plugwright.transforms._java_sets import (
    NAMED_SETS,
    SHORT_SETS,
    Characters,
    both,
    complement,
    normal,
)

if TYPE_CHECKING:
    from collections.abc import Callable

_PROPERTY = re.compile(r"([pP])\{([^}]*)\}")
_SHORT = re.compile(r"[dDwWsShHvV]")
_INTERSECTION = re.compile(r"&&")
_RANGE = re.compile(r"-(?![\[\]])")


def read_set(cursor: Cursor) -> Characters | None:
    """The set for the escape before the cursor; ``None`` if it is not a set.

    Raises:
        UntranslatableError: if it is a Unicode property.
    """
    short = cursor.take(_SHORT)
    if short is not None:
        characters = SHORT_SETS[short.group().lower()]
        return complement(characters) if short.group().isupper() else characters
    if cursor.peek() not in {"p", "P"}:
        return None
    named = cursor.take(_PROPERTY)
    if named is None or named.group(2) not in NAMED_SETS:
        raise cursor.refusal(
            "a Unicode property, which has no exact counterpart in Python; "
            f"\\p can be {', '.join(NAMED_SETS)}:"
        )
    characters = NAMED_SETS[named.group(2)]
    return complement(characters) if named.group(1) == "P" else characters


def read_class(cursor: Cursor, folded: Callable[[Characters], Characters]) -> Characters:
    """The set of a class whose opening bracket was taken just now.

    Args:
        cursor: after the opening bracket; moves behind the closing one.
        folded: adds the other case of letters if the flags require it.

    Raises:
        UntranslatableError: if the class is not closed, or has something unknown in it.
    """
    negated = cursor.peek() == "^"
    if negated:
        cursor.next()
    result: Characters | None = None
    union = _union(cursor, folded, first=True)
    while True:
        result = union if result is None else both(result, union)
        if cursor.take(_INTERSECTION) is None:
            break
        union = _union(cursor, folded, first=False)
    if cursor.at_end:
        raise cursor.refusal("Unclosed character class")
    cursor.next()
    return complement(result) if negated else result


def _union(
    cursor: Cursor, folded: Callable[[Characters], Characters], *, first: bool
) -> Characters:
    """The items up to ``&&`` or the closing bracket; a bracket that comes first is an item."""
    intervals: list[tuple[int, int]] = []
    while not cursor.at_end and not cursor.ahead("&&"):
        if cursor.peek() == "]" and not (first and not intervals):
            break
        intervals.extend(_item(cursor, folded))
    return normal(intervals)


def _item(cursor: Cursor, folded: Callable[[Characters], Characters]) -> Characters:
    if cursor.peek() == "[":
        cursor.next()
        return read_class(cursor, folded)
    low = _character_or_set(cursor)
    if not isinstance(low, str):
        return folded(low)
    if cursor.take(_RANGE) is None:
        return folded(((ord(low), ord(low)),))
    high = _character_or_set(cursor)
    if not isinstance(high, str) or high < low:
        raise cursor.refusal("Illegal character range")
    return folded(((ord(low), ord(high)),))


def _character_or_set(cursor: Cursor) -> str | Characters:
    character = cursor.next()
    if character != "\\":
        return character
    if cursor.peek() == "Q":
        raise cursor.refusal(r"\Q inside a character class")
    return read_set(cursor) or read_character(cursor)
