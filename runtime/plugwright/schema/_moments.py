"""Values as dates, times and timestamps."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any, TypeVar, cast

from plugwright.schema._conversion import inconvertible, parsed, to_integer
from plugwright.schema._numbers import wrap
from plugwright.schema._temporal import Date, Time, Timestamp

if TYPE_CHECKING:
    from plugwright.schema._schema import Schema

__all__ = ["convert_to_date", "convert_to_time", "convert_to_timestamp"]

_T = TypeVar("_T")

_MILLISECONDS_A_DAY = 86_400_000


def convert_to_date(schema: Schema | None, value: Any) -> dt.date:
    """A date, the day of a timestamp at UTC, a number of days, or text of one of these.

    The Python class of the value says what it is, so the schema need not be known. A timestamp
    before 1970 becomes the day it lies in, where Kafka rounds towards 1970; a time becomes no date,
    where Kafka takes its milliseconds for days.

    Raises:
        DataError: if the value is none of these, or ``None``.
    """
    found = parsed(value)
    if isinstance(found, dt.date) and not isinstance(found, dt.datetime):
        return found
    if found is None or isinstance(found, dt.time):
        raise inconvertible(schema, value, str(Date.SCHEMA))
    days = to_integer(schema, found)
    if isinstance(found, dt.datetime):
        days //= _MILLISECONDS_A_DAY
    return _present(Date.to_logical(Date.SCHEMA, wrap(days, 32)))


def convert_to_time(schema: Schema | None, value: Any) -> dt.time:
    """A time, the time of day of a timestamp at UTC, milliseconds, or text of one of these.

    A date becomes no time, where Kafka takes its days for milliseconds.

    Raises:
        DataError: if the value is none of these, or ``None``.
    """
    found = parsed(value)
    if isinstance(found, dt.time):
        return found
    day = isinstance(found, dt.date) and not isinstance(found, dt.datetime)
    if found is None or day:
        raise inconvertible(schema, value, str(Time.SCHEMA))
    milliseconds = to_integer(schema, found)
    if isinstance(found, dt.datetime):
        milliseconds %= _MILLISECONDS_A_DAY
    return _present(Time.to_logical(Time.SCHEMA, wrap(milliseconds, 32)))


def convert_to_timestamp(schema: Schema | None, value: Any) -> dt.datetime:
    """A timestamp, a date's midnight, a time on 1970-01-01, milliseconds, or text of one of these.

    Raises:
        DataError: if the value is none of these, or ``None``.
    """
    found = parsed(value)
    if isinstance(found, dt.datetime) and found.utcoffset() is not None:
        return found
    if found is None:
        raise inconvertible(schema, value, str(Timestamp.SCHEMA))
    milliseconds = to_integer(schema, found)
    if isinstance(found, dt.date) and not isinstance(found, dt.datetime):
        milliseconds *= _MILLISECONDS_A_DAY
    return _present(Timestamp.to_logical(Timestamp.SCHEMA, milliseconds))


def _present(moment: _T | None) -> _T:
    """Tells the type checker that a number always has its moment."""
    return cast("_T", moment)
