"""Java's calendar and date patterns at UTC."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plugwright.errors import ConfigError
from plugwright.transforms.java_calendar import MILLISECONDS_A_DAY, day_number, moment_at
from plugwright.transforms.java_date_format import JavaDateFormat
from plugwright.transforms.java_date_pattern import read_pattern
from plugwright.transforms.java_date_reading import DateReader

FIRST = dt.datetime(1583, 1, 1, tzinfo=dt.UTC)
LAST = dt.datetime(9999, 12, 31, tzinfo=dt.UTC)
MILLISECOND = dt.timedelta(milliseconds=1)
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
MOMENT = 1_483_425_001_864  # 2017-01-03T06:30:01.864Z

READ = {
    "day-carries-over": ("yyyy-MM-dd", "2019-02-30", "2019-03-02"),
    "month-carries-over": ("yyyy-MM-dd", "2019-13-01", "2020-01-01"),
    "month-zero": ("yyyy-MM-dd", "2019-00-01", "2018-12-01"),
    "rest-ignored": ("yyyy-MM-dd", "2019-02-03T04:05", "2019-02-03"),
    "blanks-before-numbers": ("yyyy-MM-dd", "2019- 2-\t3", "2019-02-03"),
    "digits-by-count": ("yyyyMMdd", "20190203", "2019-02-03"),
    "name": ("d MMM yyyy", "3 feb 2019", "2019-02-03"),
    "long-name-for-short": ("d MMM yyyy", "3 FEBRUARY 2019", "2019-02-03"),
    "day-of-year": ("yyyy-DDD", "2019-034", "2019-02-03"),
    "weekday-ignored": ("EEE yyyy-MM-dd", "Mon 2019-02-03", "2019-02-03"),
    "named-zone": ("yyyy-MM-dd HH:mm z", "2019-02-03 00:30 GMT+01:00", "2019-02-02"),
    "offset": ("yyyy-MM-dd HH:mm Z", "2019-02-03 00:30 +0100", "2019-02-02"),
    "iso-offset": ("yyyy-MM-dd HH:mmXXX", "2019-02-03 23:30-01:00", "2019-02-04"),
    "wrong-literal": ("yyyy-MM", "2019/02", None),
    "no-digits": ("yyyy", "x", None),
    "too-short": ("yyyyMMdd", "2019", None),
    "unknown-zone": ("HH z", "00 CET", None),
    "bad-offset": ("HH z", "00 GMT+xx", None),
}
HOURS = {
    "24": ("k", "24", 0),
    "12-am": ("hh a", "12 AM", 0),
    "12-pm": ("hh a", "12 PM", 12),
    "1-pm": ("hh a", "01 pm", 13),
    "half-first": ("a hh", "PM 11", 23),
    "K": ("K a", "0 PM", 12),
    "half-ignored": ("HH a", "05 PM", 5),
    "last-wins": ("HH hh a", "05 01 PM", 13),
    "again-wins": ("HH hh a HH", "05 01 PM 06", 6),
    "no-half": ("hh", "12", 0),
}


@pytest.mark.parametrize(("pattern", "text", "expected"), READ.values(), ids=READ)
def test_dates_are_read_leniently_as_in_java(pattern, text, expected):
    """Carried over, cut off, ignored: or not read at all."""
    found = JavaDateFormat(pattern, "format").milliseconds(text)

    assert expected == (found and JavaDateFormat("yyyy-MM-dd", "format").text(found))


@pytest.mark.parametrize(("pattern", "text", "expected"), HOURS.values(), ids=HOURS)
def test_hours_are_read_as_in_java(pattern, text, expected):
    """Of two statements about the hour the later one counts."""
    assert JavaDateFormat(pattern, "format").milliseconds(text) == expected * 3_600_000


@pytest.mark.parametrize(
    ("text", "year"), [("50", "2050"), ("51", "1951"), ("00", "2000"), ("99", "1999")]
)
def test_two_digits_are_a_year_from_80_before_to_20_after_now(text, year):
    """Seen from the first day of 2031."""
    new_year = day_number(2031, 1, 1) * 86_400
    reader = DateReader(read_pattern("yy", "format"), now=lambda: new_year)

    assert moment_at(reader.milliseconds(text)).year == int(year)


def test_a_day_before_the_window_is_a_century_later():
    """The first year of the window began before the window did."""
    mid_year = day_number(2031, 7, 1) * 86_400
    reader = DateReader(read_pattern("yy-M-d", "format"), now=lambda: mid_year)
    years = [moment_at(reader.milliseconds(text)).year for text in ("51-6-30", "51-7-1")]

    assert years == [2051, 1951]


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "2017-01-03T06:30:01.864Z"),
        ("yy yyyyy M MM L", "17 02017 1 01 1"),
        ("D DDD F u E EEEE", "3 003 1 2 Tue Tuesday"),
        ("h K k a SSSSSS", "6 6 6 AM 000864"),
        ("G z zzzz Z", "AD UTC Coordinated Universal Time +0000"),
        ("''yy'' 'it''s'", "'17' it's"),
    ],
)
def test_dates_are_written_as_in_java(pattern, text):
    """Six letters for milliseconds are milliseconds with zeros before them, as always in Java."""
    assert JavaDateFormat(pattern, "format").text(MOMENT) == text


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("YYYY", "'Y' counts weeks by a locale"),
        ("w", "'w' counts weeks"),
        ("b", "Illegal pattern character 'b'"),
        ("XXXX", "invalid ISO 8601 format: length=4"),
        ("'a", "Unterminated quote"),
    ],
)
def test_a_pattern_that_is_not_the_same_here_is_refused_with_its_key(pattern, problem):
    """Also the frequent mistake of YYYY for yyyy."""
    with pytest.raises(ConfigError, match=problem) as raised:
        JavaDateFormat(pattern, "format")

    assert raised.value.facts["key"] == "format"


def test_a_pattern_with_only_a_weekday_writes_but_does_not_read():
    """Which day of which week it is depends on the locale."""
    weekday = JavaDateFormat("EEEE", "format")

    assert weekday.text(0) == "Thursday"
    assert weekday.unreadable == "a date whose day is given by 'E' only cannot be read"


@pytest.mark.slow
@settings(max_examples=100)
@given(st.integers((FIRST - EPOCH) // MILLISECOND, (LAST - EPOCH) // MILLISECOND))
def test_dates_since_1583_are_those_of_the_standard_library(milliseconds):
    """One calendar, two implementations."""
    instant = EPOCH + milliseconds * MILLISECOND
    found = moment_at(milliseconds)

    assert found[:3] == (instant.year, instant.month, instant.day)
    assert (found.day_of_year, found.weekday) == (instant.timetuple().tm_yday, instant.weekday())


def test_the_day_before_the_gregorian_calendar_is_julian():
    """Ten days are missing in October 1582, in Java as in history."""
    first = day_number(1582, 10, 15) * MILLISECONDS_A_DAY
    found = [moment_at(first)[:3], moment_at(first - 1)[:3]]

    assert found == [(1582, 10, 15), (1582, 10, 4)]


@pytest.mark.slow
@settings(max_examples=100)
@given(st.integers(-1_000_000, 3_000_000))
def test_a_day_has_the_number_it_came_from(number):
    """Before and after the change of calendars, and before the year 1."""
    found = moment_at(number * MILLISECONDS_A_DAY)

    assert day_number(found.year, found.month, found.day) == number
