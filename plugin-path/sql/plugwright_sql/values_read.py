"""Converts a driver's values of a column to values of a Connect schema."""

from __future__ import annotations

import datetime as dt
import decimal
import struct
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from plugwright import DataError
from plugwright_sql.kinds import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from zoneinfo import ZoneInfo

    from plugwright_sql.kinds import TableColumn

__all__ = ["ValueReader"]

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_FLOAT32 = struct.Struct("<f")
_EXACT = decimal.Context(prec=20_000, traps=[decimal.Inexact, decimal.InvalidOperation])
_RANGES: Mapping[Kind, int] = MappingProxyType(
    {Kind.INT8: 1 << 7, Kind.INT16: 1 << 15, Kind.INT32: 1 << 31, Kind.INT64: 1 << 63}
)


class ValueReader:
    """Reads the values of one column.

    Args:
        table: the table, for errors.
        column: the column.
        zone: of timestamps that bear none.
    """

    def __init__(self, table: str, column: TableColumn, zone: ZoneInfo) -> None:
        self._table = table
        self._column = column
        self._zone = zone
        kind = column.kind
        assert kind is not None  # noqa: S101  # making the schema has refused the others
        self._kind = kind
        self._read: Callable[[Any], Any] = {
            Kind.BOOLEAN: _boolean,
            Kind.FLOAT32: _float32,
            Kind.FLOAT64: _float,
            Kind.DECIMAL: self._decimal,
            Kind.STRING: _text,
            Kind.BYTES: _data,
            Kind.DATE: _date,
            Kind.TIME: _time,
            Kind.TIMESTAMP: self._timestamp,
        }.get(kind, self._integer)

    def __call__(self, value: Any) -> Any:
        """The value for the record.

        Raises:
            DataError: if it does not fit the type of the column, as SQLite allows.
        """
        if value is None:
            return self._absent()
        try:
            return self._read(value)
        except (TypeError, ValueError, OverflowError, decimal.DecimalException) as error:
            raise self._failure(f"found {_shown(value)}") from error

    def _absent(self) -> None:
        if not self._column.optional:
            raise self._failure("found null")

    def _integer(self, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int | decimal.Decimal):
            raise TypeError
        whole, limit = int(value), _RANGES[self._kind]
        if whole != value or not -limit <= whole < limit:
            raise ValueError
        return whole

    def _decimal(self, value: Any) -> decimal.Decimal:
        if not isinstance(value, decimal.Decimal | int | str | float) or isinstance(value, bool):
            raise TypeError
        exact = value if isinstance(value, decimal.Decimal) else decimal.Decimal(str(value))
        unit = decimal.Decimal((0, (1,), -(self._column.scale or 0)))
        return exact.quantize(unit, context=_EXACT)

    def _timestamp(self, value: Any) -> dt.datetime:
        if isinstance(value, str):
            value = dt.datetime.fromisoformat(value)
        elif isinstance(value, int) and not isinstance(value, bool):
            return _EPOCH + dt.timedelta(milliseconds=value)
        if not isinstance(value, dt.datetime):
            raise TypeError
        if value.tzinfo is None:
            value = value.replace(tzinfo=self._zone)
        found: dt.datetime = value.astimezone(dt.UTC)
        return found.replace(microsecond=found.microsecond // 1000 * 1000)

    def _failure(self, found: str) -> DataError:
        column = self._column
        return DataError(
            f"table {self._table}, column {column.name}: expected a value of type "
            f"{column.declared or self._kind.value} ({self._kind.value}), {found}",
            code="sql.bad-value",
            hint="correct the row, or leave the column out by a query",
            facts={"table": self._table, "column": column.name, "type": column.declared},
        )


def _boolean(value: Any) -> bool:
    if value not in {0, 1}:
        raise ValueError
    return bool(value)


def _float(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | decimal.Decimal):
        raise TypeError
    return float(value)


def _float32(value: Any) -> float:
    """The nearest 32-bit number: PostgreSQL sends no more digits than are needed to tell it."""
    (found,) = _FLOAT32.unpack(_FLOAT32.pack(_float(value)))
    return float(found)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _data(value: Any) -> bytes:
    if not isinstance(value, bytes | bytearray | memoryview):
        raise TypeError
    return bytes(value)


def _date(value: Any) -> dt.date:
    if isinstance(value, str):
        return dt.date.fromisoformat(value)
    if not isinstance(value, dt.date) or isinstance(value, dt.datetime):
        raise TypeError
    return value


def _time(value: Any) -> dt.time:
    if isinstance(value, dt.timedelta):  # MySQL's TIME, which may be longer than a day
        if not dt.timedelta(0) <= value < dt.timedelta(days=1):
            raise ValueError
        value = (_EPOCH + value).time()
    found = dt.time.fromisoformat(value) if isinstance(value, str) else value
    if not isinstance(found, dt.time) or found.tzinfo is not None:
        raise TypeError
    return found.replace(microsecond=found.microsecond // 1000 * 1000)


def _shown(value: Any) -> str:
    """The type of a value, and a short one itself."""
    text = repr(value)
    shown = text if len(text) <= 40 else f"{text[:40]}…"  # noqa: PLR2004  # fits a line
    return f"{type(value).__name__} {shown}"
