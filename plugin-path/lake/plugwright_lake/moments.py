"""The moment of a record: its own, one of its fields, or now."""

from __future__ import annotations

import datetime as dt
import time
from typing import TYPE_CHECKING, Any, Protocol

from plugwright import DataError, Struct

if TYPE_CHECKING:
    from plugwright import SinkRecord

__all__ = ["FieldMoment", "Moments", "RecordMoment", "WallClock", "field_value"]


class Moments(Protocol):
    """Says when a record is from, in milliseconds since 1970."""

    def of(self, record: SinkRecord) -> int:
        """The moment of a record."""


class WallClock:
    """The moment at which a record is written; another one when it comes again."""

    def of(self, record: SinkRecord) -> int:  # noqa: ARG002  # any record is from now
        """Now."""
        return time.time_ns() // 1_000_000


class RecordMoment:
    """The timestamp that Kafka has of a record."""

    def of(self, record: SinkRecord) -> int:
        """Its timestamp.

        Raises:
            DataError: if it has none.
        """
        if record.timestamp is None:
            raise DataError(
                f"the record at {record.original_topic}-{record.original_kafka_partition}"
                f"@{record.original_kafka_offset} has no timestamp",
                code="lake.no-timestamp",
                hint="set timestamp.extractor to RecordField, and timestamp.field",
            )
        return record.timestamp


class FieldMoment:
    """The moment in a field: milliseconds, a timestamp, a date, or text of ISO 8601.

    Args:
        field: its name; full stops lead into inner values.
    """

    def __init__(self, field: str) -> None:
        self._field = field

    def of(self, record: SinkRecord) -> int:
        """The moment in the field.

        Raises:
            DataError: if there is none.
        """
        value = field_value(record.value, self._field)
        try:
            found = _milliseconds(value)
        except ValueError:
            found = None
        if found is None:
            raise DataError(
                f"the field {self._field} of the record at {record.original_topic}-"
                f"{record.original_kafka_partition}@{record.original_kafka_offset} is not a "
                f"timestamp: found {type(value).__name__}",
                code="lake.no-timestamp",
                hint="name a field with milliseconds, a Timestamp or text of ISO 8601",
            )
        return found


def _milliseconds(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, str):
        value = dt.datetime.fromisoformat(value)
    if isinstance(value, dt.datetime):
        moment = value if value.tzinfo else value.replace(tzinfo=dt.UTC)
    elif isinstance(value, dt.date):
        moment = dt.datetime(value.year, value.month, value.day, tzinfo=dt.UTC)
    else:
        return None
    return (moment - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)) // dt.timedelta(milliseconds=1)


def field_value(value: Any, path: str) -> Any:
    """The value of a field of a struct or a map, ``None`` if there is no such field."""
    for name in path.split("."):
        if isinstance(value, Struct):
            value = value.get(name) if value.schema.field(name) else None
        elif isinstance(value, dict):
            value = value.get(name)
        else:
            return None
    return value
