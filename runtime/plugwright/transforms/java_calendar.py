"""Java's calendar at UTC: milliseconds and their fields, Julian before 15 October 1582."""

from __future__ import annotations

from typing import NamedTuple

MILLISECONDS_A_DAY = 86_400_000

_CUTOVER = -141_427
"""The first Gregorian day, 1582-10-15, counted from 1970-01-01."""

_CUTOVER_YEAR = 1582
_MONTHS = 12
_DAYS_BEFORE_MARCH_OF_YEAR_0 = 719_468
_DAYS_IN_400_YEARS = 146_097
_DAYS_IN_4_YEARS = 1461
_JULIAN_SHIFT = 2
"""The number of days that the Julian calendar is behind in the year 0."""


class Moment(NamedTuple):
    """An instant in calendar fields.

    Attributes:
        year: astronomical: year 0 is 1 BC.
        month: from 1.
        day: of the month, from 1.
        day_of_year: from 1.
        weekday: from 0 for Monday.
        milliseconds: of the day.
    """

    year: int
    month: int
    day: int
    day_of_year: int
    weekday: int
    milliseconds: int


def moment_at(milliseconds: int) -> Moment:
    """The moment so many milliseconds after 1970."""
    days, rest = divmod(milliseconds, MILLISECONDS_A_DAY)
    year, month, day = _civil(days)
    day_of_year = days - day_number(year, 1, 1) + 1
    return Moment(year, month, day, day_of_year, (days + 3) % 7, rest)


def day_number(year: int, month: int, day: int) -> int:
    """The day counted from 1970-01-01; months and days out of range carry over, as in Java."""
    carry, month0 = divmod(month - 1, _MONTHS)
    year += carry
    if year >= _CUTOVER_YEAR:
        gregorian = _first_of_month(year, month0 + 1, gregorian=True) + day - 1
        if year > _CUTOVER_YEAR or gregorian >= _CUTOVER:
            return gregorian
    return _first_of_month(year, month0 + 1, gregorian=False) + day - 1


def _first_of_month(year: int, month: int, *, gregorian: bool) -> int:
    # Years that begin in March have their leap day at the end.
    march_year = year if month > 2 else year - 1  # noqa: PLR2004  # February
    day_of_year = (153 * ((month + 9) % _MONTHS) + 2) // 5
    leap_days = march_year // 4
    if gregorian:
        leap_days += march_year // 400 - march_year // 100
    shift = _DAYS_BEFORE_MARCH_OF_YEAR_0 + (0 if gregorian else _JULIAN_SHIFT)
    return march_year * 365 + leap_days + day_of_year - shift


def _civil(days: int) -> tuple[int, int, int]:
    """Year, month and day of a day, in closed form, because it runs once per record."""
    if days >= _CUTOVER:
        cycles, rest = divmod(days + _DAYS_BEFORE_MARCH_OF_YEAR_0, _DAYS_IN_400_YEARS)
        years = (rest - rest // 1460 + rest // 36_524 - rest // 146_096) // 365
        rest -= years * 365 + years // 4 - years // 100
        years += cycles * 400
    else:
        shift = _DAYS_BEFORE_MARCH_OF_YEAR_0 + _JULIAN_SHIFT
        cycles, rest = divmod(days + shift, _DAYS_IN_4_YEARS)
        years = (rest - rest // 1460) // 365
        rest -= years * 365
        years += cycles * 4
    months = (5 * rest + 2) // 153
    day = rest - (153 * months + 2) // 5 + 1
    month = months + 3 if months < 10 else months - 9  # noqa: PLR2004  # from January on
    return years + (month <= 2), month, day  # noqa: PLR2004  # February
