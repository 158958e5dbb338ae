"""Date, Time and Timestamp: days and milliseconds, carried as integers."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

from plugwright.errors import DataError
from plugwright.schema._accepted import INTEGER_RANGES
from plugwright.schema._builder import SchemaBuilder
from plugwright.schema._type import Type

if TYPE_CHECKING:
    from plugwright.schema._schema import Schema

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_EPOCH_DAY = _EPOCH.toordinal()
_MILLISECOND = dt.timedelta(milliseconds=1)
_MILLISECONDS_A_DAY = 86_400_000


class Date:
    """The logical type of calendar days; in Python ``datetime.date``, encoded as days since 1970.

    Python supports the years 1 to 9999; days outside are refused.
    """

    LOGICAL_NAME = "org.apache.kafka.connect.data.Date"
    SCHEMA = SchemaBuilder.int32().name(LOGICAL_NAME).version(1).build()

    @staticmethod
    def builder() -> SchemaBuilder:
        """A builder for dates, to make optional or give a default."""
        return SchemaBuilder.int32().name(Date.LOGICAL_NAME).version(1)

    @staticmethod
    def from_logical(schema: Schema, value: Any) -> int | None:
        """Days since 1970-01-01.

        Raises:
            DataError: if the schema is not a date, or the value has a time of day.
        """
        _check_name(schema, Date.LOGICAL_NAME, "Date")
        if value is None:
            _check_absence(schema, "Date")
            return None
        if isinstance(value, dt.datetime):
            raise DataError(
                "Kafka Connect Date type should not have any time fields set to non-zero values.",
                code="schema.wrong-value",
                hint="pass a datetime.date, for example the datetime's date()",
            )
        if not isinstance(value, dt.date):
            raise _not_a("datetime.date", value)
        return value.toordinal() - _EPOCH_DAY

    @staticmethod
    def to_logical(schema: Schema, value: Any) -> dt.date | None:
        """The day that is so many days after 1970-01-01.

        Raises:
            DataError: if the schema is not a date, or the day is not within the years 1 to 9999.
        """
        _check_name(schema, Date.LOGICAL_NAME, "Date")
        if value is None:
            _check_absence(schema, "Date")
            return None
        try:
            return dt.date.fromordinal(_integer(value, Type.INT32) + _EPOCH_DAY)
        except (ValueError, OverflowError) as error:
            raise _out_of_years("Date") from error


class Time:
    """The logical type of times of day; in Python ``datetime.time``, encoded as milliseconds.

    Times have no zone or are at UTC. Encoding drops anything finer than a millisecond.
    The 86,400,000th millisecond (midnight at the end of a day), which Java accepts, has no
    Python value and is refused.
    """

    LOGICAL_NAME = "org.apache.kafka.connect.data.Time"
    SCHEMA = SchemaBuilder.int32().name(LOGICAL_NAME).version(1).build()

    @staticmethod
    def builder() -> SchemaBuilder:
        """A builder for times, to make optional or give a default."""
        return SchemaBuilder.int32().name(Time.LOGICAL_NAME).version(1)

    @staticmethod
    def from_logical(schema: Schema, value: Any) -> int | None:
        """Milliseconds since midnight.

        Raises:
            DataError: if the schema is not a time, or the value is a date or in another zone.
        """
        _check_name(schema, Time.LOGICAL_NAME, "Time")
        if value is None:
            _check_absence(schema, "Time")
            return None
        if isinstance(value, dt.date):
            raise DataError(
                "Kafka Connect Time type should not have any date fields set to non-zero values.",
                code="schema.wrong-value",
                hint="pass a datetime.time, for example the datetime's time()",
            )
        if not isinstance(value, dt.time) or value.utcoffset():
            raise _not_a("datetime.time at UTC", value)
        seconds = (value.hour * 60 + value.minute) * 60 + value.second
        return seconds * 1000 + value.microsecond // 1000

    @staticmethod
    def to_logical(schema: Schema, value: Any) -> dt.time | None:
        """The time of day so many milliseconds after midnight.

        Raises:
            DataError: if the schema is not a time, or the value does not lie within a day.
        """
        _check_name(schema, Time.LOGICAL_NAME, "Time")
        if value is None:
            _check_absence(schema, "Time")
            return None
        milliseconds = _integer(value, Type.INT32)
        if not 0 <= milliseconds < _MILLISECONDS_A_DAY:
            raise DataError(
                "Time values must use number of milliseconds greater than 0 and less than 86400000",
                code="schema.wrong-value",
                facts={"value": milliseconds},
            )
        return (_EPOCH + milliseconds * _MILLISECOND).time()


class Timestamp:
    """The logical type of instants; in Python an aware ``datetime``, encoded as milliseconds.

    A naive datetime is refused because it means another instant on every machine. Any zone is
    accepted and decoding returns UTC. Encoding drops anything finer than a millisecond, towards the
    past. Python supports the years 1 to 9999; instants outside are refused.
    """

    LOGICAL_NAME = "org.apache.kafka.connect.data.Timestamp"
    SCHEMA = SchemaBuilder.int64().name(LOGICAL_NAME).version(1).build()

    @staticmethod
    def builder() -> SchemaBuilder:
        """A builder for timestamps, to make optional or give a default."""
        return SchemaBuilder.int64().name(Timestamp.LOGICAL_NAME).version(1)

    @staticmethod
    def from_logical(schema: Schema, value: Any) -> int | None:
        """Milliseconds since the epoch.

        Raises:
            DataError: if the schema is not a timestamp, or the value is not an aware datetime.
        """
        _check_name(schema, Timestamp.LOGICAL_NAME, "Timestamp")
        if value is None:
            _check_absence(schema, "Timestamp")
            return None
        if not isinstance(value, dt.datetime) or value.utcoffset() is None:
            raise _not_a("datetime.datetime with a time zone", value)
        return (value - _EPOCH) // _MILLISECOND

    @staticmethod
    def to_logical(schema: Schema, value: Any) -> dt.datetime | None:
        """The instant so many milliseconds after the epoch, at UTC.

        Raises:
            DataError: if the schema is not a timestamp, or the instant is not within the years 1 to
                9999.
        """
        _check_name(schema, Timestamp.LOGICAL_NAME, "Timestamp")
        if value is None:
            _check_absence(schema, "Timestamp")
            return None
        try:
            return _EPOCH + _integer(value, Type.INT64) * _MILLISECOND
        except OverflowError as error:
            raise _out_of_years("Timestamp") from error


def _check_name(schema: Schema, name: str, word: str) -> None:
    if schema.name != name:
        raise DataError(
            f"Requested conversion of {word} object but the schema does not match.",
            code="schema.wrong-type",
            facts={"expected": name, "found": schema.name},
        )


def _check_absence(schema: Schema, word: str) -> None:
    if not schema.optional:
        raise DataError(
            f"Requested conversion of {word} object but the schema is not nullable and a null was "
            "supplied.",
            code="schema.null-value",
        )


def _integer(value: Any, type_: Type) -> int:
    low, high = INTEGER_RANGES[type_]
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise _not_a(f"integer of type {type_}", value)
    return value


def _not_a(expected: str, value: object) -> DataError:
    naive = isinstance(value, dt.datetime) and value.utcoffset() is None
    return DataError(
        f"Invalid value of class {type(value).__name__}: a {expected} was expected",
        code="schema.wrong-value",
        hint="set the datetime's time zone, for example datetime.UTC" if naive else "",
    )


def _out_of_years(word: str) -> DataError:
    return DataError(
        f"{word} value lies outside the years 1 to 9999 that Python can express",
        code="schema.out-of-range",
    )
