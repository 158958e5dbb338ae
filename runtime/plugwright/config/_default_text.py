"""The text of a default in the documentation, with a readable unit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from plugwright.config._printing import convert_to_string

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugwright.config._key import ConfigKey

_MEMORY: Final = tuple((1024, unit) for unit in ("kibibyte", "mebibyte", "gibibyte", "tebibyte"))
_TIME: Final = ((1000, "second"), (60, "minute"), (60, "hour"), (24, "day"))


def documented_default(key: ConfigKey) -> str:
    """The key's ``alternative_string`` if it has one, else the text of its default."""
    return default_text(key) if key.alternative_string is None else key.alternative_string


def default_text(key: ConfigKey) -> str:
    """The text of the default; empty without one.

    ``null`` for ``None``, two quotes for the empty string; settings in ``.bytes`` and ``.ms`` that
    are a whole number of larger units also show these: ``1048576 (1 mebibyte)``.
    """
    if not key.has_default:
        return ""
    text = convert_to_string(key.default_value, key.type)
    if text is None:
        return "null"
    return text + _unit(key) if text else '""'


def memory_units(size: int) -> str:
    """`` (2 kibibytes)`` for an exact number of binary units, else an empty string."""
    return _in_units(size, _MEMORY, singular=lambda number: number == 1)


def time_units(milliseconds: int) -> str:
    """`` (2 minutes)`` for an exact number of larger units, else an empty string."""
    return _in_units(milliseconds, _TIME, singular=lambda number: number <= 1)


def _unit(key: ConfigKey) -> str:
    value = key.default_value
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return ""
    if key.name.endswith(".bytes"):
        return memory_units(int(value))
    return time_units(int(value)) if key.name.endswith(".ms") else ""


def _in_units(
    number: int, units: tuple[tuple[int, str], ...], *, singular: Callable[[int], bool]
) -> str:
    name = ""
    for size, unit in units:
        if number == 0 or number % size:
            break
        number, name = number // size, unit
    return f" ({number} {name}{'' if singular(number) else 's'})" if name else ""
