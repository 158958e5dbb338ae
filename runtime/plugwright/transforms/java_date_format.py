"""Java's ``SimpleDateFormat`` at UTC and in English, for the patterns that are the same anywhere.

Letters: G y M L d D F E u a H k K h m s S z Z X. Refused: Y, w and W, which count weeks as the
locale of the JVM does. Names are English whatever the locale of the machine. Read leniently, as
Java does: the 32nd of January is the 1st of February, and what follows a date is ignored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.transforms._java_date_names import ERAS, HALVES, MONTHS, WEEKDAYS
from plugwright.transforms.java_calendar import Moment, moment_at
from plugwright.transforms.java_date_pattern import Part, read_pattern
from plugwright.transforms.java_date_reading import DateReader

if TYPE_CHECKING:
    from collections.abc import Callable

_SHORT_NAME = 3
_LONG_NAME = 4
_MILLISECONDS = {"h": 3_600_000, "m": 60_000, "s": 1000}


class JavaDateFormat:
    """Writes and reads instants by one pattern.

    >>> JavaDateFormat("yyyy-MM-dd'T'HH:mm", "format").text(0)
    '1970-01-01T00:00'

    Args:
        pattern: as Java's ``SimpleDateFormat`` takes it.
        key: the setting with the pattern, for messages.

    Raises:
        ConfigError: if the pattern is not valid, or has no exact counterpart here.
    """

    def __init__(self, pattern: str, key: str) -> None:
        self.pattern = pattern
        parts = read_pattern(pattern, key)
        self._reader = DateReader(parts)
        self._writers = tuple(map(_writer, parts))

    @property
    def unreadable(self) -> str | None:
        """Why the pattern can write dates but not read them; ``None`` if it can."""
        return self._reader.obstacle

    def text(self, milliseconds: int) -> str:
        """The instant so many milliseconds after 1970, as text. Hot path."""
        moment = moment_at(milliseconds)
        return "".join([write(moment) for write in self._writers])

    def milliseconds(self, text: str) -> int | None:
        """The instant that a text represents; ``None`` if it does not match. Hot path."""
        return self._reader.milliseconds(text)


def _writer(part: Part) -> Callable[[Moment], str]:
    if not part.letter:
        return lambda _moment: part.text
    if part.letter in _WORDS:
        word = _WORDS[part.letter]
        return lambda moment: word(moment, part.repeated)
    number = _NUMBERS[part.letter]
    return lambda moment: f"{number(moment):0{part.repeated}d}"


def _year(moment: Moment, count: int) -> str:
    year = moment.year if moment.year > 0 else 1 - moment.year
    return f"{year % 100:02d}" if count == 2 else f"{year:0{count}d}"  # noqa: PLR2004  # yy


def _month(moment: Moment, count: int) -> str:
    if count < _SHORT_NAME:
        return f"{moment.month:0{count}d}"
    return _name(MONTHS[moment.month - 1], count)


def _name(word: str, count: int) -> str:
    return word if count >= _LONG_NAME else word[:_SHORT_NAME]


def _hour(moment: Moment) -> int:
    return moment.milliseconds // _MILLISECONDS["h"]


_WORDS: dict[str, Callable[[Moment, int], str]] = {
    "G": lambda moment, _count: ERAS[moment.year > 0],
    "y": _year,
    "M": _month,
    "L": _month,
    "E": lambda moment, count: _name(WEEKDAYS[moment.weekday], count),
    "a": lambda moment, _count: HALVES[_hour(moment) >= 12],  # noqa: PLR2004  # noon
    "z": lambda _moment, count: "UTC" if count < _LONG_NAME else "Coordinated Universal Time",
    "Z": lambda _moment, _count: "+0000",
    "X": lambda _moment, _count: "Z",
}

_NUMBERS: dict[str, Callable[[Moment], int]] = {
    "d": lambda moment: moment.day,
    "D": lambda moment: moment.day_of_year,
    "F": lambda moment: (moment.day - 1) // 7 + 1,
    "u": lambda moment: moment.weekday + 1,
    "H": _hour,
    "k": lambda moment: _hour(moment) or 24,
    "K": lambda moment: _hour(moment) % 12,
    "h": lambda moment: _hour(moment) % 12 or 12,
    "m": lambda moment: moment.milliseconds // _MILLISECONDS["m"] % 60,
    "s": lambda moment: moment.milliseconds // _MILLISECONDS["s"] % 60,
    "S": lambda moment: moment.milliseconds % 1000,
}
