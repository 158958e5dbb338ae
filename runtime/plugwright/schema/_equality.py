"""Equality of values and schemas at any nesting depth."""

from __future__ import annotations

from typing import Any

Pair = tuple[Any, Any]

_PLAIN = frozenset({bool, int, float, str, bytes})


class Comparable:
    """Compares its own properties, and returns the pairs inside that must be equal too."""

    __slots__ = ()

    def pairs_inside(self, other: Any) -> list[Pair] | None:
        """The pairs inside that must be equal; ``None`` if the objects differ otherwise.

        Args:
            other: something ``Comparable`` too.
        """
        raise NotImplementedError


def same_value(one: Any, other: Any) -> bool:
    """Deep equality as in Java, for which NaN equals NaN."""
    pending: list[Pair] = [(one, other)]
    seen: set[tuple[int, int]] = set()  # shared objects, such as schemas, are compared once
    while pending:
        mine, theirs = pending.pop()
        if mine is theirs or (id(mine), id(theirs)) in seen:
            continue
        if mine.__class__ in _PLAIN and mine == theirs:
            continue
        inside = _inside(mine, theirs)
        if inside is None:
            return False
        if inside:
            seen.add((id(mine), id(theirs)))
            pending.extend(inside)
    return True


def _inside(one: Any, other: Any) -> list[Pair] | None:
    if isinstance(one, Comparable) and isinstance(other, Comparable):
        return one.pairs_inside(other)
    if isinstance(one, list) and isinstance(other, list):
        return list(zip(one, other, strict=True)) if len(one) == len(other) else None
    if isinstance(one, dict) and isinstance(other, dict):
        if one.keys() != other.keys():
            return None
        return [(item, other[key]) for key, item in one.items()]
    same = one == other or (one != one and other != other)  # noqa: PLR0124  # NaN
    return [] if same else None
