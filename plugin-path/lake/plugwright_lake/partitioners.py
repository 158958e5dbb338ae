"""Assigns records to folders, like Confluent's partitioners."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from plugwright import DataError
from plugwright_lake.moments import field_value
from plugwright_lake.names import names_folder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from zoneinfo import ZoneInfo

    from plugwright import SinkColumns, SinkRecord
    from plugwright_lake.joda import PathFormat
    from plugwright_lake.moments import Moments

__all__ = ["FieldFolders", "Folders", "KafkaFolders", "TimeFolders"]

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_LOCAL_EPOCH = _EPOCH.replace(tzinfo=None)
_MILLISECOND = dt.timedelta(milliseconds=1)


class Folders(Protocol):
    """Names the folder of a record, below that of its topic."""

    def folder(self, record: SinkRecord) -> str:
        """The folder of a record."""

    def folder_of_all(self, part: SinkColumns) -> str | None:
        """The folder of all records of a part; ``None`` if each has to be asked for."""


class KafkaFolders:
    """One folder for each partition of the topic: ``partition=3``."""

    def folder(self, record: SinkRecord) -> str:
        """The folder of its Kafka partition."""
        return _kafka_folder(record.original_kafka_partition)

    def folder_of_all(self, part: SinkColumns) -> str:
        """The folder of their Kafka partition."""
        return _kafka_folder(part.original_kafka_partition)


def _kafka_folder(partition: int) -> str:
    return f"partition={partition}"


@dataclass(frozen=True, slots=True)
class FieldFolders:
    """One folder for each value of some fields: ``country=no/city=oslo``.

    Attributes:
        fields: their names, the outermost folder first.
    """

    fields: Sequence[str]

    def folder(self, record: SinkRecord) -> str:
        """The folder of the values of the fields.

        Raises:
            DataError: if a field is missing, or its value cannot be part of a path.
        """
        return "/".join(self._part(record, name) for name in self.fields)

    def folder_of_all(self, part: SinkColumns) -> None:
        """Each record has its own fields."""

    def _part(self, record: SinkRecord, name: str) -> str:
        value = field_value(record.value, name)
        text = _path_text(value)
        part = f"{name}={text}"
        if not (names_folder(text) and names_folder(part)):
            raise DataError(
                f"the field {name} of the record at {record.original_topic}-"
                f"{record.original_kafka_partition}@{record.original_kafka_offset} cannot name a "
                f"folder: found {type(value).__name__}",
                code="lake.no-partition-field",
                hint="correct partition.field.name, or give the field text, a number or a truth "
                "value without slashes, of 255 bytes at most",
            )
        return part


def _path_text(value: Any) -> str:
    """A value as part of a path; nothing if it cannot be."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dt.datetime):
        return ""  # a colon or a zone is not allowed in a name; use the time partitioner instead
    if isinstance(value, int | str | dt.date):
        return str(value)
    return ""


@dataclass(frozen=True, slots=True)
class TimeFolders:
    """One folder for each stretch of time: ``year=2026/month=01``.

    Attributes:
        format: of the path.
        duration_ms: how long a stretch is, counted by the clocks of the zone.
        zone: whose clocks count.
        moments: says when a record is from.
    """

    format: PathFormat
    duration_ms: int
    zone: ZoneInfo
    moments: Moments

    def folder_of_all(self, part: SinkColumns) -> None:
        """Each record has its own moment."""

    def folder(self, record: SinkRecord) -> str:
        """The folder of the stretch that the record's moment is in.

        Raises:
            DataError: if it has no moment, or one outside the years 1 to 9999.
        """
        milliseconds = self.moments.of(record)
        try:
            local = (_EPOCH + milliseconds * _MILLISECOND).astimezone(self.zone)
        except OverflowError as error:
            raise DataError(
                f"the moment {milliseconds} lies outside the years 1 to 9999",
                code="lake.no-timestamp",
                hint="milliseconds since 1970 are expected",
            ) from error
        clock = (local.replace(tzinfo=None) - _LOCAL_EPOCH) // _MILLISECOND
        begin = clock - clock % self.duration_ms
        return self.format.path(_LOCAL_EPOCH + begin * _MILLISECOND)
