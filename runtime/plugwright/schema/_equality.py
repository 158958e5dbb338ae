"""Equality of values and schemas, however deep they are nested."""

from __future__ import annotations

from typing import Any

Pair = tuple[Any, Any]

_PLAIN = frozenset({bool, int, float, str, bytes})


class Comparable:
    """The base of what compares its own properties and names the pairs inside it."""

    __slots__ = ()

    def pairs_inside(self, other: Any) -> list[Pair] | None:
        """What must be equal inside both; ``None`` if they differ whatever is inside.

        Args:
            other: something ``Comparable`` too.
        """
        raise NotImplementedError


def same_value(one: Any, other: Any) -> bool:
    """Equality that also holds between two NaN, wherever they are, as Java's deep equality does."""
    pending: list[Pair] = [(one, other)]
    seen: set[tuple[int, int]] = set()  # what many values share, such as a schema, is compared once
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
