"""Reported faults of values with types: digits, fractions, days before 1970, cached columns."""

from __future__ import annotations

import datetime as dt
import time
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from plugwright import DataError
from plugwright_conformance.reference.rows.sink import RowsSinkTask
from plugwright_conformance.reference.rows.source import RowsSourceTask

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright import Struct

__all__ = [
    "CachesColumnsTask",
    "DropsFractionsTask",
    "ForgetsDefaultTask",
    "FormatsNegativeFractionTask",
    "NumericByFloatTask",
    "ReadsNumbersAsFloatsTask",
    "ReadsOtherScaleTask",
    "RoundsTowardsZeroTask",
    "ShiftsDayByZoneTask",
]

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


class NumericByFloatTask(RowsSinkTask):
    """Writes a decimal by way of a double.

    https://github.com/confluentinc/kafka-connect-jdbc/issues/1237: a NUMERIC column of the copy had
    fewer digits than the one it came from.
    """

    def plain(self, value: Any) -> Any:
        """A row whose amounts are rounded to what a double holds."""
        row = super().plain(value)
        if isinstance(row, dict) and isinstance(row.get("amount"), Decimal):
            row["amount"] = Decimal(f"{float(row['amount']):.2f}")
        return row


class ReadsOtherScaleTask(RowsSinkTask):
    """Takes the digits of a whole decimal without its scale.

    https://github.com/confluentinc/kafka-connect-jdbc/issues/450: sixty, in a field with the scale
    5, was updated in the table as 0.00060.
    """

    def plain(self, value: Any) -> Any:
        """A row whose whole amounts have the wrong scale."""
        row = super().plain(value)
        amount = row.get("amount") if isinstance(row, dict) else None
        if isinstance(amount, Decimal) and amount and amount == amount.to_integral_value():
            row["amount"] = amount.scaleb(-2).quantize(Decimal("0.01"))
        return row


class FormatsNegativeFractionTask(RowsSinkTask):
    """Formats the fraction of a second before 1970 as a negative number.

    https://github.com/confluentinc/kafka-connect-bigquery/issues/401: '22:43:41.-871000' could not
    be parsed, and the task failed on timestamps with a negative epoch.
    """

    def plain(self, value: Any) -> Any:
        """A row, if its timestamp can be formatted.

        Raises:
            DataError: if it cannot.
        """
        row = super().plain(value)
        seen = row.get("seen") if isinstance(row, dict) else None
        if isinstance(seen, dt.datetime) and seen < _EPOCH and seen.microsecond:
            raise DataError(f"Could not parse '{seen:%H:%M:%S}.-{seen.microsecond}' as a timestamp")
        return row


class CachesColumnsTask(RowsSinkTask):
    """Keeps the columns of the first row for all others.

    https://github.com/confluentinc/kafka-connect-hdfs/issues/4: a cached writer was used on after
    the schema of its records had changed.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Open the table."""
        super().start(props)
        self._columns: list[str] | None = None

    def plain(self, value: Any) -> Any:
        """A row with the columns that the first one had."""
        row = super().plain(value)
        if not isinstance(row, dict):
            return row
        self._columns = list(row) if self._columns is None else self._columns
        return {name: row.get(name) for name in self._columns}


class ForgetsDefaultTask(RowsSinkTask):
    """Writes what a missing field stands for where it is null.

    https://github.com/meltano/sdk/pull/3340: values that were there were not preserved when the
    target filled columns anew; here a null that was set becomes the default.
    """

    def plain(self, value: Any) -> Any:
        """A row whose null state is the default."""
        row = super().plain(value)
        if isinstance(row, dict) and "state" in row and row["state"] is None:
            row["state"] = "new"
        return row


class ReadsNumbersAsFloatsTask(RowsSourceTask):
    """Parses numbers as floats.

    https://github.com/singer-io/singer-python/pull/104: JSON was loaded without decimals, which
    changed digits of numbers on their way.
    """

    def struct(self, row: Mapping[str, Any]) -> Struct:
        """The row, its identifier by way of a float."""
        return super().struct({**row, "id": max(min(int(float(row["id"])), 2**63 - 1), -(2**63))})


class DropsFractionsTask(RowsSourceTask):
    """Drops the fractions of seconds.

    https://github.com/singer-io/singer-python/pull/34: fractional seconds of datetimes were not
    preserved.
    """

    def struct(self, row: Mapping[str, Any]) -> Struct:
        """The row, its timestamp in whole seconds."""
        return super().struct({**row, "seen": row["seen"].replace(microsecond=0)})


class RoundsTowardsZeroTask(RowsSourceTask):
    """Rounds milliseconds before 1970 towards it.

    https://github.com/debezium/debezium/pull/512: DBZ-694, milliseconds of dates before the epoch
    were not handled.
    """

    def struct(self, row: Mapping[str, Any]) -> Struct:
        """The row, its timestamp by seconds and a fraction that is never negative."""
        past = row["seen"] - _EPOCH
        seconds, fraction = int(past.total_seconds()), past.microseconds
        made = _EPOCH + dt.timedelta(seconds=seconds, microseconds=fraction)
        return super().struct({**row, "seen": made})


class ShiftsDayByZoneTask(RowsSourceTask):
    """Takes a day for a moment, and moves it by the zone of the machine.

    https://github.com/confluentinc/kafka-connect-jdbc/issues/676: dates got a time of day that was
    not midnight in UTC, since the driver converted them by the zone.
    """

    def struct(self, row: Mapping[str, Any]) -> Struct:
        """The row, its date as the day in UTC of the local midnight."""
        born: dt.date = row["born"]
        if 1 < born.year < 9999:  # noqa: PLR2004  # the ends of the calendar
            moment = dt.datetime.combine(born, dt.time(), dt.UTC) + dt.timedelta(
                seconds=time.timezone
            )
            born = moment.date()
        return super().struct({**row, "born": born})
