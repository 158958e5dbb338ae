"""Values as dates, times and timestamps."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any, TypeVar, cast

from plugwright.java_numbers import wrap
from plugwright.schema._conversion import inconvertible, parsed, to_integer
from plugwright.schema._temporal import Date, Time, Timestamp

if TYPE_CHECKING:
    from plugwright.schema._schema import Schema

_T = TypeVar("_T")

_MILLISECONDS_A_DAY = 86_400_000


def convert_to_date(schema: Schema | None, value: Any) -> dt.date:
    """A date, the day of a timestamp at UTC, a number of days, or text of one of these.

    Without a schema the Python class of the value decides, and a timestamp becomes a date,
    where Kafka leaves it unchanged. A timestamp before 1970 becomes its own day, where Kafka
    rounds towards 1970; a time is refused, where Kafka takes its milliseconds for days.

    Raises:
        DataError: if the value is none of these, ``None``, or a moment that the schema does not
            announce, such as text of a date under STRING.
    """
    found = _found(schema, value, Date.SCHEMA)
    if isinstance(found, dt.time):
        raise inconvertible(schema, value, str(Date.SCHEMA))
    if isinstance(found, dt.datetime):
        days = _milliseconds(found) // _MILLISECONDS_A_DAY
    elif isinstance(found, dt.date):
        return found
    else:
        days = to_integer(schema, found)
    return _present(Date.to_logical(Date.SCHEMA, wrap(days, 32)))


def convert_to_time(schema: Schema | None, value: Any) -> dt.time:
    """A time, the time of day of a timestamp at UTC, milliseconds, or text of one of these.

    Without a schema the Python class of the value decides, and a timestamp becomes a time,
    where Kafka leaves it unchanged. A date is refused, where Kafka takes its days for
    milliseconds.

    Raises:
        DataError: if the value is none of these, ``None``, or a moment that the schema does not
            announce, such as text of a time under STRING.
    """
    found = _found(schema, value, Time.SCHEMA)
    if isinstance(found, dt.time):
        return found
    if isinstance(found, dt.datetime):
        milliseconds = _milliseconds(found) % _MILLISECONDS_A_DAY
    elif isinstance(found, dt.date):
        raise inconvertible(schema, value, str(Time.SCHEMA))
    else:
        milliseconds = to_integer(schema, found)
    return _present(Time.to_logical(Time.SCHEMA, wrap(milliseconds, 32)))


def convert_to_timestamp(schema: Schema | None, value: Any) -> dt.datetime:
    """A timestamp, a date's midnight, a time on 1970-01-01, milliseconds, or text of one of these.

    Without a schema the Python class of the value decides.

    Raises:
        DataError: if the value is none of these, ``None``, or a moment that the schema does not
            announce, such as text of a timestamp under STRING.
    """
    found = _found(schema, value, Timestamp.SCHEMA)
    if isinstance(found, dt.datetime) and found.utcoffset() is not None:
        return found
    if isinstance(found, (dt.date, dt.time)):
        milliseconds = _milliseconds(found)
    else:
        milliseconds = to_integer(schema, found)
    return _present(Timestamp.to_logical(Timestamp.SCHEMA, milliseconds))


def _found(schema: Schema | None, value: Any, target: Schema) -> Any:
    """The value, or what its text represents, checked against the schema if it is a moment."""
    found = parsed(value)
    if found is None:
        raise inconvertible(schema, value, str(target))
    if not isinstance(found, (dt.date, dt.time)) or schema is None:
        return found
    if schema.name != _logical(found).LOGICAL_NAME:
        raise inconvertible(schema, value, str(schema))
    return found


def _logical(moment: dt.date | dt.time) -> type[Date | Time | Timestamp]:
    if isinstance(moment, dt.datetime):
        return Timestamp
    return Date if isinstance(moment, dt.date) else Time


def _milliseconds(moment: dt.date | dt.time) -> int:
    """Milliseconds since the epoch, or since midnight for a time of day."""
    logical = _logical(moment)
    encoded = _present(logical.from_logical(logical.SCHEMA, moment))
    return encoded * _MILLISECONDS_A_DAY if logical is Date else encoded


def _present(moment: _T | None) -> _T:
    """For the type checker: the conversion of a number never returns ``None``."""
    return cast("_T", moment)
