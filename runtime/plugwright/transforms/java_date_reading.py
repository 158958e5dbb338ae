"""Parses dates by the rules of Java's ``SimpleDateFormat``."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

from plugwright.java_numbers import wrap
from plugwright.transforms._java_date_names import ERAS, HALVES, MONTHS, WEEKDAYS, ZONES
from plugwright.transforms.java_calendar import MILLISECONDS_A_DAY, day_number, moment_at

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plugwright.transforms.java_date_pattern import Part

_NUMBER = re.compile(r"-?\d+")
_LITERALLY = 3
"""With this many letters or more a month is a name, and a year is read literally."""

_OFFSETS = {
    "Z": re.compile(r"([+-])(\d\d)(\d\d)", re.ASCII),
    "z": re.compile(r"GMT([+-])(\d\d?):(\d\d)", re.ASCII | re.IGNORECASE),
    "X": re.compile(r"([+-])(\d\d)()", re.ASCII),
    "XX": re.compile(r"([+-])(\d\d)(\d\d)", re.ASCII),
    "XXX": re.compile(r"([+-])(\d\d):(\d\d)", re.ASCII),
}
_WEEK_LETTERS = frozenset("EuF")
_DAY_LETTERS = frozenset("dD")
_WINDOW_YEARS = 80
_HOURS = 24
_HALF_DAY = 12
_HOUR, _MINUTE, _SECOND = 3_600_000, 60_000, 1000


class _UnreadableError(Exception):
    """The text does not match the pattern."""


class DateReader:
    """Reads dates by the parts of one pattern.

    Two-digit years lie within 80 years before and 20 after the making of the reader, as in Java.

    Attributes:
        obstacle: why the pattern cannot parse dates, or ``None``: weeks depend on the locale.

    Args:
        parts: the parts of the pattern.
        now: the present, in seconds since 1970.
    """

    def __init__(self, parts: Sequence[Part], now: Callable[[], float] = time.time) -> None:
        letters = {part.letter for part in parts}
        self.obstacle: str | None = None
        if letters & _WEEK_LETTERS and not letters & _DAY_LETTERS:
            letter = min(letters & _WEEK_LETTERS)
            self.obstacle = f"a date whose day is given by '{letter}' only cannot be read"
        self._parts = tuple(parts)
        today = moment_at(int(now() * 1000))
        self._window = (
            day_number(today.year - _WINDOW_YEARS, today.month, today.day) * MILLISECONDS_A_DAY
            + today.milliseconds
        )
        self._window_year = today.year - _WINDOW_YEARS

    def milliseconds(self, text: str) -> int | None:
        """Milliseconds since 1970; ``None`` if the text does not match. Hot path."""
        reading = _Reading(text, self._window_year)
        try:
            for part, following in zip(self._parts, (*self._parts[1:], None), strict=True):
                reading.take(part, following)
        except _UnreadableError:
            return None
        if reading.position == 0:
            return None
        found = reading.milliseconds()
        if reading.ambiguous and found < self._window:
            reading.fields["y"] += 100
            found = reading.milliseconds()
        return found


class _Reading:
    """The state while one text is parsed."""

    __slots__ = ("ambiguous", "fields", "position", "text", "window_year")

    def __init__(self, text: str, window_year: int) -> None:
        self.text = text
        self.position = 0
        self.fields: dict[str, int] = {}
        self.window_year = window_year
        self.ambiguous = False

    def take(self, part: Part, following: Part | None) -> None:
        """Read one part; the next part determines where digits end."""
        if not part.letter:
            self._take_text(part.text)
            return
        start = self.position
        while self.text[self.position : self.position + 1] in {" ", "\t"}:
            self.position += 1
        if self.position >= len(self.text):
            raise _UnreadableError
        letter, count = part.letter, part.repeated
        if letter in "zZX":
            self._put("zone", self._zone(letter, count))
        elif letter in _NAMES and not (letter in "ML" and count < _LITERALLY):
            self._put(*self._word(letter, start))
        else:
            limit = start + count if _is_number(following) else None
            self._take_number(letter, count, limit)

    def _take_text(self, text: str) -> None:
        if not self.text.startswith(text, self.position):
            raise _UnreadableError
        self.position += len(text)

    def _take_number(self, letter: str, count: int, limit: int | None) -> None:
        begin = self.position
        if limit is not None and limit > len(self.text):
            raise _UnreadableError
        found = _NUMBER.match(self.text, begin, len(self.text) if limit is None else limit)
        if found is None:
            raise _UnreadableError
        self.position = found.end()
        number = _int_value(found.group())
        if letter == "y" and count < _LITERALLY and len(found.group()) == 2 and number >= 0:  # noqa: PLR2004  # two digits
            number = self._windowed(number)
        self._put("M" if letter == "L" else letter, number)

    def _windowed(self, number: int) -> int:
        century, first = divmod(self.window_year, 100)
        self.ambiguous = number == first
        return century * 100 + number + (100 if number < first else 0)

    def _word(self, letter: str, start: int) -> tuple[str, int]:
        """The letter and number of the longest matching name."""
        names = _NAMES[letter]
        lowered = self.text[start:].lower()
        matching = [name for name in names if lowered.startswith(name.lower())]
        if not matching:
            raise _UnreadableError
        longest = max(matching, key=len)
        self.position = start + len(longest)
        return "M" if letter == "L" else letter, names[longest]

    def _zone(self, letter: str, count: int) -> int:
        if letter == "X" and self.text[self.position] != "Z":
            return self._offset("X" * count)
        if letter == "X":
            self.position += 1
            return 0
        for kind in ("Z", "z"):
            if _OFFSETS[kind].match(self.text, self.position):
                return self._offset(kind)
        for name in ZONES:
            end = self.position + len(name)
            if self.text[self.position : end].lower() == name.lower():
                if name == "GMT" and self.text[end : end + 1] in {"+", "-"}:
                    break
                self.position = end
                return 0
        raise _UnreadableError

    def _offset(self, kind: str) -> int:
        found = _OFFSETS[kind].match(self.text, self.position)
        if found is None:
            raise _UnreadableError
        sign, hours, minutes = found.groups()
        if int(hours) >= _HOURS or int(minutes or 0) >= 60:  # noqa: PLR2004  # minutes an hour
            raise _UnreadableError
        self.position = found.end()
        offset = int(hours) * _HOUR + int(minutes or 0) * _MINUTE
        return -offset if sign == "-" else offset

    def _put(self, letter: str, number: int) -> None:
        # The order determines which of two fields for the same quantity was set last.
        self.fields.pop(letter, None)
        self.fields[letter] = number

    def milliseconds(self) -> int:
        """The instant that the fields make up."""
        fields = self.fields
        within = self._hour() * _HOUR + fields.get("m", 0) * _MINUTE
        within += fields.get("s", 0) * _SECOND + fields.get("S", 0)
        return self._day() * MILLISECONDS_A_DAY + within - fields.get("zone", 0)

    def _day(self) -> int:
        fields = self.fields
        year = fields.get("y", 1970)
        if fields.get("G") == 0:
            year = 1 - year
        order = list(fields)
        if "D" in fields and ("d" not in fields or order.index("D") > order.index("d")):
            return day_number(year, 1, fields["D"])
        return day_number(year, fields.get("M", 1), fields.get("d", 1))

    def _hour(self) -> int:
        for letter in reversed(self.fields):
            if letter == "a" and ("h" in self.fields or "K" in self.fields):
                return self._half_hour()
            if letter in "Hk":
                return self._number_of_day(letter)
            if letter in "hK" and ("a" in self.fields or not {"H", "k"} & set(self.fields)):
                return self._half_hour()
        return 0

    def _number_of_day(self, letter: str) -> int:
        hour = self.fields[letter]
        return 0 if letter == "k" and hour == _HOURS else hour

    def _half_hour(self) -> int:
        letter = next(letter for letter in reversed(self.fields) if letter in "hK")
        hour = self.fields[letter]
        if letter == "h" and hour == _HALF_DAY:
            hour = 0
        return hour + _HALF_DAY * self.fields.get("a", 0)


def _is_number(part: Part | None) -> bool:
    """Whether digits that follow belong to the next part, as it is a number as well."""
    if part is None or part.letter in {"", "G", "E", "a", "z", "Z", "X"}:
        return False
    return part.letter not in "ML" or part.repeated < _LITERALLY


def _int_value(digits: str) -> int:
    """Java's ``intValue`` of a number of any length."""
    number = int(digits[:40])
    if abs(number) >= 2**63:
        return 2**31 - 1 if number > 0 else -(2**31)
    return wrap(number, 32)


def _numbered(names: Sequence[str], first: int) -> dict[str, int]:
    shortened = {name[:3]: number for number, name in enumerate(names, first)}
    return {**shortened, **{name: number for number, name in enumerate(names, first)}}


_NAMES = {
    "G": {name: number for number, name in enumerate(ERAS)},
    "M": _numbered(MONTHS, 1),
    "L": _numbered(MONTHS, 1),
    "E": _numbered(WEEKDAYS, 0),
    "a": {name: number for number, name in enumerate(HALVES)},
}
