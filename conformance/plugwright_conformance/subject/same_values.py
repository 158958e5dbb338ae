"""Comparison of values by type, and values that every system has."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["finite", "is_finite", "same"]


def same(one: object, other: object) -> bool:
    """Whether two values are equal in type and value; NaN is NaN, and zero has a sign."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return repr(one) == repr(other) if isinstance(one, float) else one == other


def finite(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with one half for infinities and NaN, which JSON and many systems do not have."""
    return {name: _finite(value) for name, value in row.items()}


def _finite(value: Any) -> Any:
    if isinstance(value, list):
        return [_finite(each) for each in value]
    if isinstance(value, dict):
        return finite(value)
    return value if is_finite(value) else 0.5


def is_finite(value: object) -> bool:
    """Whether a value is anything but infinity or NaN."""
    return not isinstance(value, float) or math.isfinite(value)
