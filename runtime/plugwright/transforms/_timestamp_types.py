"""The five types of timestamps: text, a number, Date, Time and Timestamp."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

from plugwright.errors import DataError
from plugwright.schema import (
    INT64_SCHEMA,
    OPTIONAL_INT64_SCHEMA,
    OPTIONAL_STRING_SCHEMA,
    STRING_SCHEMA,
    Date,
    Schema,
    Time,
    Timestamp,
    Type,
)
from plugwright.transforms._requirements import class_of, refused

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugwright.transforms.java_date_format import JavaDateFormat

_MILLISECONDS_A_DAY = 86_400_000
_MAX_LONG = 2**63 - 1

PRECISIONS = {
    "nanoseconds": (1, 1_000_000),
    "microseconds": (1, 1000),
    "milliseconds": (1, 1),
    "seconds": (1000, 1),
}
"""The factors that convert a unit to milliseconds: multiply by the first, divide by the second."""

_STRING, _UNIX, _DATE, _TIME, _TIMESTAMP = TARGETS = ("string", "unix", "Date", "Time", "Timestamp")

_SCHEMAS: dict[str, tuple[Schema, Schema]] = {
    _STRING: (STRING_SCHEMA, OPTIONAL_STRING_SCHEMA),
    _UNIX: (INT64_SCHEMA, OPTIONAL_INT64_SCHEMA),
    _DATE: (Date.SCHEMA, Date.builder().optional().build()),
    _TIME: (Time.SCHEMA, Time.builder().optional().build()),
    _TIMESTAMP: (Timestamp.SCHEMA, Timestamp.builder().optional().build()),
}


def timestamp_schema(target: str, *, optional: bool) -> Schema:
    """The schema of timestamps in that form."""
    return _SCHEMAS[target][optional]


class TimestampReader:
    """Converts timestamps of any type to milliseconds since 1970.

    Args:
        date_format: parses text; ``None`` if no format is configured.
        precision: the unit of numbers.
    """

    def __init__(self, date_format: JavaDateFormat | None, precision: str) -> None:
        self._format = date_format
        self._times, self._divided = PRECISIONS[precision]

    def for_schema(self, schema: Schema) -> Callable[[Any], int]:
        """The function for values of a schema.

        Raises:
            DataError: if the schema is not a timestamp's; from the function, if a value is not one.
        """
        if schema.name in {Timestamp.LOGICAL_NAME, Date.LOGICAL_NAME, Time.LOGICAL_NAME}:
            return self._from_moment
        if schema.type is Type.STRING:
            return self._from_text
        if schema.type is Type.INT64:
            return self._from_number
        raise refused(f"Schema {schema} does not correspond to a known timestamp type format")

    def schemaless(self, value: Any) -> int:
        """Milliseconds of a schemaless value; its class determines the type.

        Raises:
            DataError: if it is not a timestamp.
        """
        if isinstance(value, (dt.date, dt.time)):
            return self._from_moment(value)
        if isinstance(value, str):
            return self._from_text(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return self._from_number(value)
        raise refused(
            f"TimestampConverter does not support class {class_of(value)} objects as timestamps"
        )

    def _from_text(self, value: Any) -> int:
        if not isinstance(value, str):
            raise refused(
                f"Expected string timestamp to be a String, but found class {class_of(value)}"
            )
        if self._format is None:
            raise DataError(
                "Text cannot be read as a timestamp without a format",
                code="transform.no-format",
                hint="set format to a pattern of Java's SimpleDateFormat",
            )
        if self._format.unreadable is not None:
            raise refused(f"Could not parse timestamp: {self._format.unreadable}")
        milliseconds = self._format.milliseconds(value)
        if milliseconds is None:
            raise refused(
                f"Could not parse timestamp: value ({value}) "
                f"does not match pattern ({self._format.pattern})"
            )
        return milliseconds

    def _from_number(self, value: Any) -> int:
        if not isinstance(value, int):
            raise refused(
                f"Expected Unix timestamp to be a Long, but found class {class_of(value)}"
            )
        return _towards_zero(value * self._times, self._divided)

    def _from_moment(self, value: Any) -> int:
        if isinstance(value, dt.datetime):
            return Timestamp.from_logical(Timestamp.SCHEMA, value) or 0
        if isinstance(value, dt.date):
            return (Date.from_logical(Date.SCHEMA, value) or 0) * _MILLISECONDS_A_DAY
        if isinstance(value, dt.time):
            return Time.from_logical(Time.SCHEMA, value) or 0
        raise refused(
            f"Expected Timestamp to be a java.util.Date, but found class {class_of(value)}"
        )


def timestamp_writer(
    target: str, date_format: JavaDateFormat | None, precision: str
) -> Callable[[int], Any]:
    """A function that writes milliseconds since 1970 in one of the forms.

    Raises:
        DataError: from the function, if Python has no such date.
    """
    if target == _STRING and date_format is not None:
        return date_format.text
    if target == _UNIX:
        divided, times = PRECISIONS[precision]
        return lambda milliseconds: _towards_zero(milliseconds * times, divided)
    if target == _DATE:
        return lambda milliseconds: Date.to_logical(
            Date.SCHEMA, milliseconds // _MILLISECONDS_A_DAY
        )
    if target == _TIME:
        return lambda milliseconds: Time.to_logical(Time.SCHEMA, milliseconds % _MILLISECONDS_A_DAY)
    return lambda milliseconds: Timestamp.to_logical(Timestamp.SCHEMA, milliseconds)


def _towards_zero(number: int, divisor: int) -> int:
    """The quotient rounded towards zero and limited to 64 bits, as by ``TimeUnit``."""
    quotient = abs(number) // divisor
    return min(quotient, _MAX_LONG) if number >= 0 else max(-quotient, -_MAX_LONG - 1)
