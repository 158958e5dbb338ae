"""Paths from instants, by the patterns of Confluent's ``path.format``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Sequence

__all__ = ["PathFormat"]

_TOKEN = re.compile(r"'(?:[^']|'')*'|([A-Za-z])\1*|[^A-Za-z']+")
_SHORT = 3
_TWO = 2


@dataclass(frozen=True, slots=True)
class PathFormat:
    """A pattern such as ``'year'=YYYY/'month'=MM``, in the letters of Joda's date formats.

    Attributes:
        tokens: its parts, each a letter repeated, quoted text or text.
    """

    tokens: Sequence[str]

    @classmethod
    def parse(cls, pattern: str) -> PathFormat:
        """The pattern in its parts.

        Raises:
            ValueError: if it is empty, a quote is not closed, or a letter has no meaning here.
        """
        tokens, end = [], 0
        for found in _TOKEN.finditer(pattern):
            if found.start() != end:
                break
            if found[1] and found[1] not in "yYuMdDHhmsSaEe":
                raise ValueError(f"the letter {found[1]} has no meaning; put text into quotes")
            tokens.append(found[0])
            end = found.end()
        if end != len(pattern):
            raise ValueError(f"a quote is not closed at {pattern[end:]}")
        if not tokens:
            raise ValueError("it is empty")
        return cls(tokens)

    def path(self, moment: dt.datetime) -> str:
        """The text of a moment, whose zone is the one of the path."""
        return "".join(_text(part, moment) for part in self.tokens)


def _text(part: str, moment: dt.datetime) -> str:
    letter = part[0]
    if letter == "'":
        return "'" if part == "''" else part[1:-1].replace("''", "'")
    return _letters(letter, len(part), moment) if letter.isalpha() else part


def _letters(letter: str, width: int, moment: dt.datetime) -> str:
    if letter == "S":
        return f"{moment.microsecond // 1000:03d}"[:width].ljust(width, "0")
    if letter == "a":
        return "AM" if moment.hour < 12 else "PM"  # noqa: PLR2004  # noon
    if letter == "E":
        return moment.strftime("%a" if width <= _SHORT else "%A")
    if letter == "M" and width >= _SHORT:
        return moment.strftime("%b" if width == _SHORT else "%B")
    if letter in "yYu" and width == _TWO:
        return f"{moment.year % 100:02d}"
    return f"{_number(letter, moment):0{width}d}"


def _number(letter: str, moment: dt.datetime) -> int:
    numbers = {
        "d": moment.day,
        "D": moment.timetuple().tm_yday,
        "H": moment.hour,
        "h": (moment.hour + 11) % 12 + 1,
        "m": moment.minute,
        "s": moment.second,
        "M": moment.month,
        "e": moment.isoweekday(),
    }
    return numbers.get(letter, moment.year)
