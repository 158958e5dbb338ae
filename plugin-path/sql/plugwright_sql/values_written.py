"""A value of a record, as the driver wants it for a column."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from types import NoneType
from typing import TYPE_CHECKING, Any

from plugwright import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from zoneinfo import ZoneInfo

    from plugwright_sql.dialects import SqlDialect

__all__ = ["ValueWriter"]

_AS_THEY_ARE = frozenset({str, int, bool, bytes, NoneType})


class ValueWriter:
    """Prepares the values of one column.

    Args:
        table: the table, for errors.
        column: the name of the column, for errors.
        dialect: of the database.
        zone: that timestamps are written in, or ``None`` if the column keeps the zone itself.
    """

    def __init__(self, table: str, column: str, dialect: SqlDialect, zone: ZoneInfo | None) -> None:
        self._table = table
        self._column = column
        self._lite = dialect.name == "sqlite"
        self._floats = dialect.name == "postgresql"
        self._zone = zone

    def __call__(self, value: Any) -> Any:
        """The value for the statement.

        Raises:
            DataError: if the database has no such value.
        """
        if type(value) in _AS_THEY_ARE:
            return value
        if isinstance(value, float):
            return self._float(value)
        if isinstance(value, bytearray | memoryview):
            return bytes(value)
        if isinstance(value, dt.datetime):
            return self._timestamp(value)
        if self._lite:
            return _for_sqlite(value)
        return value

    def all(self, values: Sequence[Any]) -> Sequence[Any]:
        """The values for many rows. Hot path: plain ones are looked at only in bulk.

        Raises:
            DataError: if the database has no such value.
        """
        others = {*map(type, values)} - _AS_THEY_ARE
        if not others or (self._floats and others == {float}):
            return values
        return [self(value) for value in values]

    def _float(self, value: float) -> float:
        if self._floats or math.isfinite(value) or (self._lite and math.isinf(value)):
            return value
        raise self._failure(f"{value} has no place in this database")

    def _timestamp(self, value: dt.datetime) -> Any:
        if self._zone is None:
            return value
        try:
            local = value.astimezone(self._zone)
        except OverflowError as error:
            raise self._failure(
                f"{value.isoformat()} is outside the years 1 to 9999 in db.timezone {self._zone}"
            ) from error
        if self._lite:
            return local.replace(tzinfo=None).isoformat(" ", "milliseconds")
        return local.replace(tzinfo=None)

    def _failure(self, found: str) -> DataError:
        return DataError(
            f"table {self._table}, column {self._column}: {found}",
            code="sql.no-such-value",
            facts={"table": self._table, "column": self._column},
        )


def _for_sqlite(value: Any) -> Any:
    """Values for which SQLite has no type are text, in the only form that sorts."""
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, dt.time):
        return value.isoformat("milliseconds")
    if isinstance(value, dt.date):
        return value.isoformat()
    return value
