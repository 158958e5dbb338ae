"""The read position in a table, and its source offset."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from plugwright import ConnectError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright_sql.source_settings import Mode

__all__ = ["Position"]

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_COUNT, _MOMENT, _NANOS = "incrementing", "timestamp", "timestamp_nanos"
_SECOND_NS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Position:
    """The row that was read last.

    Attributes:
        moment: its timestamp, or ``None`` if timestamps do not count.
        count: the number in its incrementing column, or ``None`` if that does not count.
    """

    moment: dt.datetime | None = None
    count: int | None = None

    def offset(self) -> dict[str, Any]:
        """The source offset, with the keys of the JDBC connector."""
        found: dict[str, Any] = {}
        if self.moment is not None:
            elapsed = self.moment - _EPOCH
            found[_MOMENT] = elapsed // dt.timedelta(milliseconds=1)
            found[_NANOS] = elapsed.microseconds * 1000
        if self.count is not None:
            found[_COUNT] = self.count
        return found

    @classmethod
    def from_offset(cls, offset: Mapping[str, Any], mode: Mode) -> Self:
        """The position of a stored offset.

        Raises:
            ConnectError: if it does not belong to the mode.
        """
        wanted = {*((_MOMENT, _NANOS) if mode.dates else ()), *((_COUNT,) if mode.counts else ())}
        whole = all(type(offset.get(key)) is int for key in wanted)
        if set(offset) != wanted or not whole:
            raise _bad_offset(offset, sorted(wanted))
        nanos = offset.get(_NANOS, 0)
        if not 0 <= nanos < _SECOND_NS:
            raise _bad_offset(offset, sorted(wanted))
        try:
            moment = _moment(offset[_MOMENT], nanos) if mode.dates else None
        except OverflowError as error:
            raise _bad_offset(offset, sorted(wanted)) from error
        return cls(moment, offset.get(_COUNT))


def _moment(milliseconds: int, nanos: int) -> dt.datetime:
    """The instant of whole seconds from the one, and the rest from the other."""
    seconds = milliseconds // 1000
    return _EPOCH + dt.timedelta(seconds=seconds, microseconds=nanos // 1000)


def _bad_offset(offset: Mapping[str, Any], wanted: list[str]) -> ConnectError:
    shown = json.dumps(dict(offset), ensure_ascii=False, default=str)
    keys = ", ".join(wanted) or "no key, for bulk reading has no offsets"
    return ConnectError(
        f"a stored offset must be whole numbers under {keys}, found {shown}",
        code="sql.bad-offset",
        hint="reset or alter the connector's offsets",
        facts={"offset": dict(offset)},
    )
